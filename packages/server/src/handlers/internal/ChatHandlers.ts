/** `POST /v1/chat` and its like of the sandbox: an answer in place, as a stream, or by a callback (contract 9). */
import { ChatApi, ChatRequest, SandboxApi } from "@limbeck/api/ChatApi"
import { factsOf } from "@limbeck/api/Operation"
import { type AnswerKeeper, Chat } from "@limbeck/chat/answer/Chat"
import type { Question } from "@limbeck/chat/answer/Question"
import type { Message } from "@limbeck/chat/message/Message"
import * as MessageResource from "@limbeck/chat/message/MessageResource"
import { invalid } from "@limbeck/core/errors/Errors"
import type { Keeper } from "@limbeck/core/idempotency/IdempotentWrites"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Decode from "../../http/internal/Decode.ts"
import { Exchange } from "../../http/internal/Exchange.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import { bodyOf, responsesOf } from "../../http/internal/Routes.ts"
import * as ChatStream from "./ChatStream.ts"

type ChatEndpoint = typeof ChatApi.endpoints.send | typeof SandboxApi.endpoints.send

const decodeRequest = Decode.strict(ChatRequest)

const questionOf = (asked: typeof ChatRequest.Type, sandbox: boolean): Question => ({
  text: asked.text,
  agent: asked.agent,
  conversation: asked.conversation,
  channel: asked.channel,
  session: asked.session,
  author: asked.author,
  sandbox
})

export const make = Effect.gen(function* () {
  const chat = yield* Chat

  const enqueue = (asked: Pipeline.AdmittedRequest, question: Question, webhook: string) =>
    Pipeline.execute(
      asked,
      Effect.map(chat.enqueue(asked.caller.partition, question, webhook), (message) => ({
        status: 202,
        body: JSON.stringify(MessageResource.renderQueued(message))
      }))
    )

  /** Runs once per key, which is stored with the answer. */
  const answer = (
    asked: Pipeline.AdmittedRequest,
    question: Question,
    onText?: (text: string, message: Message) => Effect.Effect<void>
  ) => {
    const { partition } = asked.caller
    const shown = (message: Message) => ({
      status: 200,
      body: JSON.stringify(MessageResource.render(partition, message))
    })
    const keeping = (keeper: Keeper): AnswerKeeper => ({
      ...keeper,
      begin: (accepting) => keeper.begin(accepting, ({ id }) => id),
      keep: (message) => keeper.keep(shown(message))
    })
    return Pipeline.executeKeeping(asked, (keeper) =>
      Effect.map(chat.answer(partition, question, { onText, keeper: keeper && keeping(keeper) }), shown)
    )
  }

  const send = (endpoint: ChatEndpoint, sandbox: boolean) => {
    const facts = factsOf(endpoint.annotations)
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest
      const exchange = yield* Exchange
      const caller = yield* Pipeline.admit(request, facts)
      const key = yield* Pipeline.idempotencyKey(request, facts)
      const body = yield* Pipeline.readBody(request, caller.partition.workspace)
      const asked = { request, facts, caller, key, body }
      const decoded = yield* Effect.result(Effect.flatMap(bodyOf(request, facts, body), decodeRequest))
      // The key comes first: it may stand for another request.
      if (decoded._tag === "Failure")
        return Pipeline.respond(yield* Pipeline.execute(asked, Effect.fail(decoded.failure)), exchange)
      const { stream = false, webhook } = decoded.success
      const question = questionOf(decoded.success, sandbox)
      if (webhook === undefined) {
        return stream
          ? yield* ChatStream.respond((onText) => answer(asked, question, onText))
          : Pipeline.respond(yield* answer(asked, question), exchange)
      }
      if (!stream) return Pipeline.respond(yield* enqueue(asked, question, webhook), exchange)
      const refused = invalid("stream", "An answer that goes to a webhook is not streamed")
      return Pipeline.respond(yield* Pipeline.execute(asked, refused), exchange)
    })
  }

  return {
    chat: responsesOf(ChatApi)({ send: send(ChatApi.endpoints.send, false) }),
    sandbox: responsesOf(SandboxApi)({ send: send(SandboxApi.endpoints.send, true) })
  }
})
