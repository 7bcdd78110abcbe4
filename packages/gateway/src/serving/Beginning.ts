/** Waits for an answer's first bytes before anybody is given the answer: until then another one can still be had. */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { Limits } from "../Limits.ts"
import { type UpstreamAnswer, UpstreamFailure } from "../upstream/Upstream.ts"

const isEventStream = ({ headers }: UpstreamAnswer): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")

export interface Begun {
  /** Waits for the rest of an answer that is no stream, up to a bound: half of one is worth nothing. */
  readonly settled: Effect.Effect<UpstreamAnswer, UpstreamFailure>
}

/** Fails where no byte comes. The body is to be run in the same scope. */
export const begin = Effect.fnUntraced(function* (answer: UpstreamAnswer) {
  const pull = yield* Stream.toPull(answer.body)
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
    if (!isEventStream(answer)) yield* until(() => bytes > Limits.answerBytesMax)
    const rest = ended ? Stream.empty : Stream.fromPull(Effect.succeed(pull))
    return { ...answer, body: Stream.concat(Stream.fromArray(held), rest) }
  })
  const begun: Begun = { settled }
  return begun
})
