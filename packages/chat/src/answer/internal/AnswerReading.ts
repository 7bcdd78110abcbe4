/** Reads a model's response to the end and decodes its completion. */
import * as CallOf from "@limbeck/capture/call/CallOf"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Completion from "@limbeck/capture/source/Completion"
import type { Answer } from "@limbeck/capture/tape/Answer"
import { isSuccess } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ModelFailed } from "../../Errors.ts"
import { AnswerReader } from "./AnswerReader.ts"

/** Receives streamed text; null: the whole answer is read at once. */
export type OnText = ((text: string) => Effect.Effect<void>) | null

export const failWith = (model: string, fault: ModelFailed["fault"], detail: string | null = null) =>
  Effect.fail(new ModelFailed({ model, fault, detail }))

/** Also one that is no good: only so its call is captured whole. */
const readThrough = Effect.fnUntraced(function* (answer: Answer, model: string, onText: OnText) {
  const reader = new AnswerReader(isSuccess(answer.status) ? answer.headers["content-type"] : undefined)
  yield* Stream.runForEach(Body.toStream(answer.body), (chunk) => {
    const text = reader.add(chunk)
    if (reader.bytes > CaptureLimits.answerBytesMax) return failWith(model, "too_long")
    return text === "" || onText === null ? Effect.void : onText(text)
  }).pipe(Effect.catchTag("UpstreamFailure", ({ reason }) => failWith(model, "broke_off", reason)))
  return reader.chunks
})

/** Returns the completion; `onText` receives the text as it streams. */
export const completionOf = Effect.fnUntraced(function* (answer: Answer, model: string, onText: OnText) {
  const response = yield* readThrough(answer, model, onText)
  if (!isSuccess(answer.status)) return yield* failWith(model, "status", String(answer.status))
  const completion = yield* CallOf.completionOf({
    endpoint: "chat.completions",
    contentType: answer.headers["content-type"] ?? null,
    contentEncoding: answer.headers["content-encoding"] ?? null,
    response
  })
  return Completion.read(completion) ?? (yield* failWith(model, "no_completion"))
})
