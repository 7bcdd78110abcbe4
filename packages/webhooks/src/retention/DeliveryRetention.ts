/** Removes expired deliveries, with their attempts. */
import type { RetentionRule } from "@limbeck/core/retention/RetentionRule"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import { WebhookLimits } from "../Limits.ts"

/** `days`: deliveries made within them are kept. Storage may keep others for up to a week longer. */
export const rule = (days: number): Effect.Effect<RetentionRule, never, DeliveryStore> =>
  Effect.map(DeliveryStore, (store) => ({
    name: "deliveries",
    setting: "webhookHistoryDays",
    // At once: the round also prepares storage for the deliveries of the coming days.
    delayMillis: 0,
    everyMillis: WebhookLimits.historyRoundMillis,
    retryMillis: WebhookLimits.historyRetryMillis,
    removeBatch: (now) =>
      Effect.map(store.keepHistory({ now, since: now - days * dayMillis }), (isDone) => (isDone ? "done" : "later"))
  }))
