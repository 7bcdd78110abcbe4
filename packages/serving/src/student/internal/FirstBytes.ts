/** Waits for the first bytes of a response before the client gets any: until then another responder can take over. */

import { CaptureLimits } from "@limbeck/capture/Limits"
import { UpstreamFailure, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

export const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")

const emptyAnswer = Effect.fail(new UpstreamFailure({ reason: "empty_answer" }))

/** Fails with `timeout` if the effect takes longer. */
export const limitTime = <A, E, R>(timeoutMillis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeoutMillis,
    orElse: () => Effect.fail(new UpstreamFailure({ reason: "timeout" }))
  })

interface FirstBytesResult {
  /** The whole response. */
  readonly response: UpstreamResponse
  /** Its bytes, if all of them have arrived. */
  readonly bytes: Uint8Array | null
}

interface PendingBytes {
  /** Whether the client gets nothing of the response before all of it has arrived. */
  readonly isHeldBack: boolean
  readonly silenceMillis: number
}

/** Waits for the first bytes of a flow. `settled`: with the rest, up to a size, unless it is an event stream that passes at once. */
const awaitedFlow = Effect.fnUntraced(function* (
  response: UpstreamResponse,
  flow: Flow.Flow<UpstreamFailure>,
  { isHeldBack, silenceMillis }: PendingBytes
) {
  const pull = yield* Stream.toPull(Flow.toStream(flow))
  const held: Array<Uint8Array> = []
  let bytes = 0
  let ended = false

  const takeMore = Effect.map(pull, (chunks) => {
    for (const chunk of chunks) {
      held.push(chunk)
      bytes += chunk.length
    }
  }).pipe(
    Pull.catchDone(() => {
      ended = true
      return Effect.void
    })
  )
  const takeInTime = limitTime(silenceMillis, takeMore)
  const until = (enough: () => boolean, take: typeof takeMore) =>
    Effect.whileLoop({ while: () => !ended && !enough(), body: () => take, step: () => {} })

  yield* until(() => bytes > 0, takeMore)
  if (bytes === 0) return yield* emptyAnswer
  const settled = Effect.gen(function* () {
    if (isHeldBack || !isEventStream(response)) yield* until(() => bytes > CaptureLimits.answerBytesMax, takeInTime)
    const rest = ended ? Flow.prepend<UpstreamFailure>(held) : Flow.prepend(held, flow)
    const answer: FirstBytesResult = {
      response: { ...response, body: Body.flowing(rest) },
      bytes: ended ? joinPieces(held) : null
    }
    return answer
  })
  return { settled }
})

/**
 * Fails if no byte arrives. `settled` succeeds with the whole response. A response that is no event stream, or that is held back,
 * waits for the rest first, up to a size, because half of one is useless, and fails after `silenceMillis` without a byte.
 */
export const awaitFirstBytes = (response: UpstreamResponse, waiting: PendingBytes) => {
  const { body } = response
  if (body._tag === "Flow") return awaitedFlow(response, body.flow, waiting)
  const settled: FirstBytesResult = { response, bytes: body.bytes }
  return body.bytes.length === 0 ? emptyAnswer : Effect.succeed({ settled: Effect.succeed(settled) })
}
