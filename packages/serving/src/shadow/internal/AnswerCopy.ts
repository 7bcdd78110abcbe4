/** A copy of an answer's bytes, taken as they pass to the client. */
import { CaptureLimits } from "@limbeck/capture/Limits"
import { isSuccess, type UpstreamFailure, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

export interface AnswerCopy {
  /** Null without a good answer, or beyond the size limit. */
  readonly chunks: ReadonlyArray<Uint8Array> | null
  readonly bytes: number
}

const none: AnswerCopy = { chunks: null, bytes: 0 }

const isGood = ({ status }: UpstreamResponse, bytes: number): boolean =>
  isSuccess(status) && bytes <= CaptureLimits.answerBytesMax

/** Copies the pieces of a flow. Ends with the flow, or with its scope if the client leaves before. */
const ofFlow = Effect.fnUntraced(function* (
  response: UpstreamResponse,
  flow: Flow.Flow<UpstreamFailure>,
  ended: (copy: AnswerCopy) => void
) {
  const chunks: Array<Uint8Array> = []
  const length = Number(response.headers["content-length"] ?? Number.POSITIVE_INFINITY)
  let bytes = 0
  let isOver = false
  const end = (isWhole: boolean) =>
    Effect.sync(() => {
      if (isOver) return
      isOver = true
      ended(isWhole && isGood(response, bytes) ? { chunks, bytes } : none)
    })
  // A client that has all of it need not wait for the end.
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    Effect.suspend(() => end(bytes >= length))
  )
  const body = Flow.tap(flow, (portion) => {
    if (portion._tag !== "Chunks") return end(portion._tag === "Ended" || bytes >= length)
    for (const chunk of portion.chunks) {
      bytes += chunk.length
      if (isGood(response, bytes)) chunks.push(chunk)
    }
    return null
  })
  const copied: UpstreamResponse = { ...response, body: Body.flowing(body) }
  return copied
})

/** The same response; `ended` is called with the copy when it has been passed on. */
export const copyAnswer = Effect.fnUntraced(function* (response: UpstreamResponse, ended: (copy: AnswerCopy) => void) {
  const { body } = response
  if (body._tag === "Flow") return yield* ofFlow(response, body.flow, ended)
  // What came at once is passed on at once: its call ends with it.
  const copy = isGood(response, body.bytes.length) ? { chunks: [body.bytes], bytes: body.bytes.length } : none
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    Effect.sync(() => ended(copy))
  )
  return response
})
