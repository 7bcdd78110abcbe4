/**
 * Streams an answer as server-sent events: its text, and its end. A failure before the first text is a response of its own;
 * a later one is the last event.
 */

import { wire } from "@limbeck/api/Brand"
import { type ContractError, render } from "@limbeck/api/ErrorTable"
import type { Message } from "@limbeck/chat/message/Message"
import type { IdempotentAnswer } from "@limbeck/core/idempotency/IdempotentWrites"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { unbufferedHeaders } from "../../http/internal/EventStream.ts"

interface StreamEvent {
  readonly text: string
  /** Of an answer that was given before. */
  readonly replayed: boolean
}

const eventOf = (event: string, data: unknown, replayed = false): StreamEvent => ({
  text: Sse.encoder.write({ _tag: "Event", event, id: undefined, data: JSON.stringify(data) }),
  replayed
})

const deltaOf = ({ conversation, id }: Message, text: string): StreamEvent =>
  eventOf("message.delta", { id, object: "message.delta", conversation, text })

/** An error without a row is a defect, shown in the log. */
const failedOf = ({ conversation, id }: Message, error: Option.Option<ContractError>): StreamEvent => {
  const { code, message, param, type } = Option.match(error, {
    onNone: () => ({ type: "api_error", code: "api_error", message: "Something went wrong on our side", param: null }),
    onSome: (found) => render(found, "").error
  })
  return eventOf("message.failed", {
    id,
    object: "message",
    status: "failed",
    conversation,
    error: { type, code, message, param }
  })
}

/** `answering` ends with its request; it is told where text goes. */
export const respond = Effect.fnUntraced(function* <R>(
  answering: (
    onText: (text: string, message: Message) => Effect.Effect<void>
  ) => Effect.Effect<IdempotentAnswer, ContractError, R>
) {
  const events = yield* Queue.unbounded<StreamEvent, ContractError | Cause.Done>()
  let begun: Message | undefined

  const onText = (text: string, message: Message) =>
    Effect.suspend(() => {
      begun = message
      return Effect.asVoid(Queue.offer(events, deltaOf(message, text)))
    })
  const completed = ({ body, replayed }: IdempotentAnswer) =>
    Effect.andThen(Queue.offer(events, eventOf("message.completed", JSON.parse(body), replayed)), Queue.end(events))
  const failed = (cause: Cause.Cause<ContractError>) =>
    Effect.suspend(() => {
      if (begun === undefined) return Queue.failCause(events, cause)
      return Effect.andThen(Queue.offer(events, failedOf(begun, Cause.findErrorOption(cause))), Queue.end(events))
    })
  yield* Effect.forkScoped(Effect.matchCauseEffect(answering(onText), { onSuccess: completed, onFailure: failed }))

  // A failure before the first event is an ordinary refusal.
  const first = yield* Effect.catchIf(Queue.take(events), Cause.isDone, () =>
    Effect.die(new Error("An answer ended without an event"))
  )
  const told = Stream.concat(Stream.succeed(first), Stream.orDie(Stream.fromQueue(events)))
  return HttpServerResponse.stream(Stream.encodeText(Stream.map(told, ({ text }) => text)), {
    contentType: "text/event-stream",
    headers: { ...unbufferedHeaders, ...(first.replayed ? { [wire.idempotentReplayed]: "true" } : {}) }
  })
})
