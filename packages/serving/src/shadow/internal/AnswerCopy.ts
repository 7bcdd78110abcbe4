/** A copy of the bytes of an answer, taken as they pass to the client. */
import { CaptureLimits } from "@limbeck/capture/Limits"
import { isSuccess, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export interface AnswerCopy {
  /** Null where there is no good answer, or too much of it. */
  readonly chunks: ReadonlyArray<Uint8Array> | null
  readonly bytes: number
}

const none: AnswerCopy = { chunks: null, bytes: 0 }

const isGood = ({ status }: UpstreamResponse, bytes: number): boolean =>
  isSuccess(status) && bytes <= CaptureLimits.answerBytesMax

const ofStream = (response: UpstreamResponse, ended: (copy: AnswerCopy) => void): UpstreamResponse => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const length = Number(response.headers["content-length"] ?? Number.POSITIVE_INFINITY)
  // A client that has all of it need not wait for the end.
  const isWhole = (exit: Exit.Exit<unknown, unknown>) => Exit.isSuccess(exit) || bytes >= length
  const body = response.body.pipe(
    Stream.mapArray((part) => {
      for (const chunk of part) {
        bytes += chunk.length
        if (isGood(response, bytes)) chunks.push(chunk)
      }
      return part
    }),
    Stream.onExit((exit) =>
      Effect.sync(() => ended(isWhole(exit) && isGood(response, bytes) ? { chunks, bytes } : none))
    )
  )
  return { ...response, body }
}

/** The same response; `ended` is called with the copy when it has been passed on. */
export const taking = Effect.fnUntraced(function* (response: UpstreamResponse, ended: (copy: AnswerCopy) => void) {
  const { whole } = response
  if (whole === undefined) return ofStream(response, ended)
  // What came at once is passed on at once: its call ends with it.
  const copy = isGood(response, whole.length) ? { chunks: [whole], bytes: whole.length } : none
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    Effect.sync(() => ended(copy))
  )
  return response
})
