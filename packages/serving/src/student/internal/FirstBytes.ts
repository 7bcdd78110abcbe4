/**
 * Waits for the first bytes of a response before the client is given any of it: until then another responder can be asked.
 */

import { CaptureLimits } from "@limbeck/capture/Limits"
import { UpstreamFailure, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")

const emptyAnswer = Effect.fail(new UpstreamFailure({ reason: "empty_answer" }))

/** Fails with `timeout` if the effect takes longer. */
export const within = <A, E, R>(timeoutMillis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeoutMillis,
    orElse: () => Effect.fail(new UpstreamFailure({ reason: "timeout" }))
  })

/** Waits for the first bytes of a flow. `settled`: with the rest of a body that is no event stream, up to a size. */
const awaitedFlow = Effect.fnUntraced(function* (
  response: UpstreamResponse,
  flow: Flow.Flow<UpstreamFailure>,
  silenceMillis: number
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
  const takeInTime = within(silenceMillis, takeMore)
  const until = (enough: () => boolean, take: typeof takeMore) =>
    Effect.whileLoop({ while: () => !ended && !enough(), body: () => take, step: () => {} })

  yield* until(() => bytes > 0, takeMore)
  if (bytes === 0) return yield* emptyAnswer
  const settled = Effect.gen(function* () {
    if (!isEventStream(response)) yield* until(() => bytes > CaptureLimits.answerBytesMax, takeInTime)
    const answer: UpstreamResponse = {
      ...response,
      body: Body.flowing(ended ? Flow.following(held) : Flow.following(held, flow))
    }
    return answer
  })
  return { settled }
})

/**
 * Fails if no byte comes. `settled` succeeds with the whole response. Of a response that is no event stream it first waits for the
 * rest, up to a size, because half of one is worth nothing, and fails if nothing comes for `silenceMillis`.
 */
export const awaited = (response: UpstreamResponse, silenceMillis: number) => {
  const { body } = response
  if (body._tag === "Flow") return awaitedFlow(response, body.flow, silenceMillis)
  return body.bytes.length === 0 ? emptyAnswer : Effect.succeed({ settled: Effect.succeed(response) })
}
