/** The routes of the assistant (contract 16.49). */
import { AssistantApi, AssistantStepApi } from "@limbeck/api/AssistantApi"
import { statusOf } from "@limbeck/api/ErrorTable"
import { factsOf } from "@limbeck/api/Operation"
import {
  type Assistant,
  type ConversationState,
  make as makeAssistant,
  type Owner
} from "@limbeck/chat/assistant/Assistant"
import * as AssistantResource from "@limbeck/chat/assistant/AssistantResource"
import { Operations } from "@limbeck/chat/assistant/Operations"
import type { Caller } from "@limbeck/core/tokens/Caller"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Lists from "../../http/internal/Lists.ts"
import * as Loopback from "../../http/internal/Loopback.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { handlersOf, responsesOf } from "../../http/internal/Routes.ts"
import * as SignedIn from "../../http/internal/SignedIn.ts"
import * as AssistantOperations from "../../internal/AssistantOperations.ts"
import { ServerSettings } from "../../Settings.ts"

const ownerOf = (caller: Caller): Effect.Effect<Owner> =>
  Effect.map(SignedIn.of(caller), ({ partition, person }) => ({ partition, person: person.id }))

/** Answers with the state of a conversation. */
const showConversation = <E>(caller: Caller, use: (owner: Owner) => Effect.Effect<ConversationState, E>) =>
  Effect.map(Effect.flatMap(ownerOf(caller), use), (state) => AssistantResource.render(caller.partition, state))

const handlersOfAssistant = (assistant: Assistant) =>
  handlersOf(AssistantApi)({
    create: ({ caller, payload }) => showConversation(caller, (owner) => assistant.create(owner, payload)),
    list: ({ caller, query }) =>
      Effect.flatMap(ownerOf(caller), (owner) =>
        Lists.page(
          { partition: caller.partition, list: `assistant.${owner.person}`, query },
          (request) => assistant.page(owner, request),
          (items) => items.map((item) => AssistantResource.renderSummary(caller.partition, item))
        )
      ),
    get: ({ caller, params: { conversation_id: id } }) => showConversation(caller, (owner) => assistant.get(owner, id)),
    remove: ({ caller, params: { conversation_id: id } }) =>
      Effect.as(
        Effect.flatMap(ownerOf(caller), (owner) => assistant.remove(owner, id)),
        { id, object: "assistant_conversation" as const, deleted: true as const }
      ),
    post: ({ caller, params: { conversation_id: id }, payload: { text } }) =>
      showConversation(caller, (owner) => assistant.post(owner, id, text)),
    decide: ({ caller, params: { conversation_id: id }, payload: { approve, call } }) =>
      showConversation(caller, (owner) => assistant.decide(owner, id, call, approve)),
    cancel: ({ caller, params: { conversation_id: id } }) =>
      showConversation(caller, (owner) => assistant.cancel(owner, id))
  })

const { step } = AssistantStepApi.endpoints

const responsesOfStep = (assistant: Assistant, brand: string) =>
  responsesOf(AssistantStepApi)({
    step: Effect.gen(function* () {
      const request = yield* HttpServerRequest
      const caller = yield* Pipeline.admit(request, factsOf(step.annotations))
      const { conversation_id: id = "" } = yield* HttpRouter.params
      const identity = Loopback.identityOf(request, brand)
      const conversation = yield* showConversation(caller, (owner) => assistant.step(owner, id, identity))
      return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(conversation))
    })
  })

/** `open` receives the app, which answers the operations of the assistant. */
export const make = Effect.gen(function* () {
  const { brand } = yield* ServerSettings
  const loopback = Loopback.make()
  const assistant = yield* Effect.provideServiceEffect(
    makeAssistant(statusOf),
    Operations,
    AssistantOperations.make(loopback)
  )
  return {
    assistant: handlersOfAssistant(assistant),
    step: responsesOfStep(assistant, brand),
    open: loopback.open
  }
})
