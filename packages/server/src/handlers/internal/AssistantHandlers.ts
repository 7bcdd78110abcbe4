/** The routes of the assistant (contract 16.49). */
import { AssistantApi, AssistantStepApi } from "@limbeck/api/AssistantApi"
import { factsOf } from "@limbeck/api/Operation"
import { Assistant, type ConversationState, type Owner } from "@limbeck/chat/assistant/Assistant"
import * as AssistantResource from "@limbeck/chat/assistant/AssistantResource"
import type { Caller } from "@limbeck/core/tokens/Caller"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Lists from "../../http/internal/Lists.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { handlersOf, responsesOf } from "../../http/internal/Routes.ts"
import * as SignedIn from "../../http/internal/SignedIn.ts"
import * as Loopback from "../../http/Loopback.ts"
import { ServerSettings } from "../../Settings.ts"

const ownerOf = (caller: Caller): Effect.Effect<Owner> =>
  Effect.map(SignedIn.of(caller), ({ partition, person }) => ({ partition, person: person.id }))

/** Answers with the state of a conversation. */
const shown = <E>(caller: Caller, use: (owner: Owner) => Effect.Effect<ConversationState, E>) =>
  Effect.map(Effect.flatMap(ownerOf(caller), use), (state) => AssistantResource.render(caller.partition, state))

export const make = Effect.map(Assistant, (assistant) =>
  handlersOf(AssistantApi)({
    create: ({ caller, payload }) => shown(caller, (owner) => assistant.create(owner, payload)),
    list: ({ caller, query }) =>
      Effect.flatMap(ownerOf(caller), (owner) =>
        Lists.page(
          { partition: caller.partition, list: `assistant.${owner.person}`, query },
          (request) => assistant.page(owner, request),
          (items) => items.map((item) => AssistantResource.renderSummary(caller.partition, item))
        )
      ),
    get: ({ caller, params: { conversation_id: id } }) => shown(caller, (owner) => assistant.get(owner, id)),
    remove: ({ caller, params: { conversation_id: id } }) =>
      Effect.as(
        Effect.flatMap(ownerOf(caller), (owner) => assistant.remove(owner, id)),
        { id, object: "assistant_conversation" as const, deleted: true as const }
      ),
    post: ({ caller, params: { conversation_id: id }, payload: { text } }) =>
      shown(caller, (owner) => assistant.post(owner, id, text)),
    decide: ({ caller, params: { conversation_id: id }, payload: { approve, call } }) =>
      shown(caller, (owner) => assistant.decide(owner, id, call, approve)),
    cancel: ({ caller, params: { conversation_id: id } }) => shown(caller, (owner) => assistant.cancel(owner, id))
  })
)

const { step } = AssistantStepApi.endpoints

export const makeStep = Effect.gen(function* () {
  const assistant = yield* Assistant
  const { brand } = yield* ServerSettings

  return responsesOf(AssistantStepApi)({
    step: Effect.gen(function* () {
      const request = yield* HttpServerRequest
      const caller = yield* Pipeline.admit(request, factsOf(step.annotations))
      const { conversation_id: id = "" } = yield* HttpRouter.params
      const identity = Loopback.identityOf(request, brand)
      const conversation = yield* shown(caller, (owner) => assistant.step(owner, id, identity))
      return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(conversation))
    })
  })
})
