/** Writes outcomes in batches: what ends while one statement runs goes into the next. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { Limits } from "../Limits.ts"
import { DeliveryStore, type Settlement } from "./DeliveryStore.ts"

export interface Settler {
  /** Ends when storage has taken the outcome, refused it as stale, or failed for so long that its lease is over. */
  readonly settle: (settlement: Settlement) => Effect.Effect<void>
}

interface Waiting {
  readonly settlement: Settlement
  readonly done: Deferred.Deferred<void>
}

const persistence = { schedule: Schedule.spaced(Limits.settleRetryMillis / 10), times: 10 }

/** Runs in the surrounding scope; what is still waiting when it closes is lost, and will be attempted again. */
export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const queue = yield* Queue.unbounded<Waiting>()

  const write = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>) {
    const stale = yield* Effect.retry(store.settle(settlements), persistence)
    if (stale.length === 0) return
    yield* Effect.logWarning("Delivery outcomes came after their lease had ended, and were refused", { stale })
  })

  const turn = Effect.gen(function* () {
    const batch = yield* Queue.takeBetween(queue, 1, Limits.settleBatchMax)
    yield* write(batch.map(({ settlement }) => settlement)).pipe(
      Effect.catchCause((cause) =>
        Effect.logError("Delivery outcomes were not written; they are attempted again", cause)
      )
    )
    yield* Effect.forEach(batch, ({ done }) => Deferred.succeed(done, undefined), { discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(turn))

  const settler: Settler = {
    settle: (settlement) =>
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void>()
        return Effect.andThen(Queue.offer(queue, { settlement, done }), Deferred.await(done))
      })
  }
  return settler
})
