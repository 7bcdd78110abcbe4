/** Removes events that are older than the operator keeps them, but none that a delivery which is there may still tell of. */
import { EventStore } from "@limbeck/core/events/EventStore"
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import { ServerSettings } from "./Settings.ts"
import { sweeping } from "./Sweeping.ts"

/** An event is made a moment before its deliveries. */
const slackMillis = 60_000

const earlier = (before: Millis, oldest: Millis | null): Millis =>
  oldest === null ? before : Math.min(before, oldest - slackMillis)

/** Does nothing where events are kept for ever. */
export const make = Effect.map(
  Effect.all([EventStore, DeliveryStore, ServerSettings]),
  ([events, deliveries, { eventHistoryDays: days }]) =>
    days === null
      ? Effect.never
      : sweeping("events", (now, batch) =>
          Effect.flatMap(deliveries.oldest, (oldest) =>
            events.prune(earlier(now - Math.round(days * dayMillis), oldest), batch)
          )
        )
)
