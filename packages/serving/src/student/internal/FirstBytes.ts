/**
 * Waits for the first bytes of a response before the client is given any of it: until then another responder can be asked.
 */

import { CaptureLimits } from "@limbeck/capture/Limits"
import { UpstreamFailure, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")

/**
 * Fails where no byte comes. `settled` waits for the rest of a response that is no stream, up to a bound, because half of one is
 * worth nothing; and succeeds with the whole response. Its body is to be run in the same scope.
 */
export const awaited = Effect.fnUntraced(function* (response: UpstreamResponse) {
  const pull = yield* Stream.toPull(response.body)
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
  const until = (enough: () => boolean) =>
    Effect.whileLoop({ while: () => !ended && !enough(), body: () => takeMore, step: () => {} })

  yield* until(() => bytes > 0)
  if (bytes === 0) return yield* new UpstreamFailure({ reason: "empty_answer" })
  const settled = Effect.gen(function* () {
    if (!isEventStream(response)) yield* until(() => bytes > CaptureLimits.answerBytesMax)
    const rest = ended ? Stream.empty : Stream.fromPull(Effect.succeed(pull))
    const whole: UpstreamResponse = { ...response, body: Stream.concat(Stream.fromArray(held), rest) }
    return whole
  })
  return { settled }
})
