/**
 * Copies of calls that wait for somebody to be asked, in lanes that do not wait for each other. A copy that finds no room is
 * dropped and counted.
 *
 * Invariant: `waiting` and `waitingBytes` count the copies in the lanes and those that are performed, each once.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { ServingLimits } from "../../Limits.ts"

export interface ShadowFigures {
  readonly waiting: number
  /** Copies that were given up since the process began. */
  readonly dropped: number
}

export const make = Effect.fnUntraced(function* <Lane extends string, Copy extends { readonly lane: Lane }>(options: {
  /** How many of each lane are performed at once. */
  readonly workers: ReadonlyArray<readonly [lane: Lane, count: number]>
  /** In bytes. */
  readonly sizeOf: (copy: Copy) => number
  readonly perform: (copy: Copy) => Effect.Effect<void>
}) {
  const { perform, sizeOf, workers } = options
  const lanes = new Map<Lane, Queue.Queue<Copy>>()
  let waiting = 0
  let waitingBytes = 0
  let dropped = 0

  const offer = (copy: Copy) => {
    const lane = lanes.get(copy.lane)
    const size = sizeOf(copy)
    const isFull = waiting >= ServingLimits.shadowsMax || waitingBytes + size > ServingLimits.shadowsBytesMax
    if (lane === undefined || isFull) {
      dropped++
      return
    }
    waiting++
    waitingBytes += size
    Queue.offerUnsafe(lane, copy)
  }

  const next = (lane: Queue.Queue<Copy>) =>
    Effect.flatMap(Queue.take(lane), (copy) =>
      perform(copy).pipe(
        Effect.catchCause((cause) => Effect.logError("shadow_student_defect", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            waiting--
            waitingBytes -= sizeOf(copy)
          })
        )
      )
    )

  for (const [name, count] of workers) {
    const lane = yield* Queue.unbounded<Copy>()
    lanes.set(name, lane)
    for (let worker = 0; worker < count; worker++) yield* Effect.forkScoped(Effect.forever(next(lane)))
  }

  return { offer, figures: Effect.sync((): ShadowFigures => ({ waiting, dropped })) }
})
