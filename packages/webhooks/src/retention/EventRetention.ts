/** Removes expired events, except those that a stored delivery may still send. */
import { EventStore } from "@limbeck/core/events/EventStore"
import * as RetentionRule from "@limbeck/core/retention/RetentionRule"
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"

/** An event is made a moment before its deliveries. */
const slackMillis = 60_000

const earlier = (before: Millis, oldest: Millis | null): Millis =>
  oldest === null ? before : Math.min(before, oldest - slackMillis)

export const rule = (days: number) =>
  Effect.map(Effect.all([EventStore, DeliveryStore]), ([events, deliveries]) =>
    RetentionRule.ofRows({
      name: "events",
      setting: "eventHistoryDays",
      remove: (now, max) =>
        Effect.flatMap(deliveries.oldest, (oldest) =>
          events.prune(earlier(now - Math.round(days * dayMillis), oldest), max)
        )
    })
  )
