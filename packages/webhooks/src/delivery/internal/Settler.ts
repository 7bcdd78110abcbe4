/** Writes outcomes in batches: outcomes that arrive during a statement, or right after it, go into the next. */
import * as Gathered from "@limbeck/core/queue/Gathered"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { WebhookLimits } from "../../Limits.ts"
import { DeliveryStore, type Settlement } from "../DeliveryStore.ts"
import * as OutcomeMeter from "./OutcomeMeter.ts"

/** `ended` is called when storage has written the outcome, refused it as stale, or failed until the lease was over. */
type Settle = (settlement: Settlement, ended: () => void) => void

const persistence = { schedule: Schedule.spaced(WebhookLimits.settleRetryMillis / 10), times: 10 }

export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const count = yield* OutcomeMeter.make

  const write = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>) {
    const stale = yield* Effect.retry(store.settle(settlements), persistence)
    const refused = new Set<string>(stale)
    yield* count(settlements.filter(({ delivery }) => !refused.has(delivery.id)))
    if (stale.length === 0) return
    yield* Effect.annotateLogs(Effect.logWarning("stale_outcomes_refused"), { deliveries: stale })
  })

  const settle: Settle = yield* Gathered.intake<Settlement, void, never>({
    togetherMax: WebhookLimits.settleBatchMax,
    lingerMax: WebhookLimits.settleLingerMax,
    perform: (settlements) =>
      write(settlements).pipe(
        Effect.catchCause((cause) =>
          Effect.annotateLogs(Effect.logError("outcomes_not_written", cause), { deliveries: settlements.length })
        ),
        Effect.as(settlements.map(() => Exit.void))
      )
  })

  return settle
})
