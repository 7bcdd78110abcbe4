/** Keeps so many days of deliveries and their attempts, and lets go of what is older. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import { Limits } from "../Limits.ts"

export class HistoryWorker extends Context.Service<
  HistoryWorker,
  {
    /** One round; false: not all could be done, so the next one is to come soon. */
    readonly runOnce: Effect.Effect<boolean, StorageError>
    /** A round at once, and from then on every few hours. Never ends; a failure is logged and survived. */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/webhooks/retention/HistoryWorker") {}

/** `days`: deliveries made within them are kept. Storage may keep others for up to a week longer. */
export const layer = (days: number): Layer.Layer<HistoryWorker, never, DeliveryStore> =>
  Layer.effect(
    HistoryWorker,
    Effect.map(DeliveryStore, (store) => {
      const runOnce = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        store.keepHistory({ now, since: now - days * dayMillis })
      ).pipe(Effect.withSpan("HistoryWorker.runOnce"))

      const round = runOnce.pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("the history of webhooks could not be kept in order", cause), false)
        ),
        Effect.flatMap((isDone) => Effect.sleep(isDone ? Limits.historyRoundMillis : Limits.historyRetryMillis))
      )
      return HistoryWorker.of({ runOnce, forever: Effect.forever(round) })
    })
  )
