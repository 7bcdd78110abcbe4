/** Writes outcomes in batches: what ends while one statement runs goes into the next. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { WebhookLimits } from "../../Limits.ts"
import { DeliveryStore, type Settlement } from "../DeliveryStore.ts"

interface Settler {
  /** Ends when storage has written the outcome, refused it as stale, or failed until the lease was over. */
  readonly settle: (settlement: Settlement) => Effect.Effect<void>
}

interface PendingSettlement {
  readonly settlement: Settlement
  readonly done: Deferred.Deferred<void>
}

const persistence = { schedule: Schedule.spaced(WebhookLimits.settleRetryMillis / 10), times: 10 }

/** Runs in the surrounding scope; outcomes that wait when it closes are lost, and their deliveries are attempted again. */
export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const queue = yield* Queue.unbounded<PendingSettlement>()

  const write = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>) {
    const stale = yield* Effect.retry(store.settle(settlements), persistence)
    if (stale.length === 0) return
    yield* Effect.annotateLogs(Effect.logWarning("stale_outcomes_refused"), { deliveries: stale })
  })

  const turn = Effect.gen(function* () {
    const batch = yield* Queue.takeBetween(queue, 1, WebhookLimits.settleBatchMax)
    yield* write(batch.map(({ settlement }) => settlement)).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logError("outcomes_not_written", cause), { deliveries: batch.length })
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
