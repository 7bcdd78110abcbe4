/**
 * Removes old hours and days of metrics. All hours of a day of UTC expire together, so that the first day of a reader is whole.
 * Tallies of the width `all` stay, one for each priced group: estimates of savings read them.
 */
import * as RetentionRule from "@limbeck/core/retention/RetentionRule"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import { CallStore } from "../call/CallStore.ts"
import { CaptureLimits } from "../Limits.ts"
import { startOf } from "./TallyRules.ts"

const ruleOf = (name: string, width: "hour" | "day", days: number) =>
  Effect.map(CallStore, (store) =>
    RetentionRule.ofRows({
      name,
      setting: null,
      remove: (now, max) => store.pruneTallies(width, startOf("day", now - days * dayMillis), max)
    })
  )

export const hours = ruleOf("hours of metrics", "hour", CaptureLimits.metricHoursKeptDays)

export const days = ruleOf("days of metrics", "day", CaptureLimits.metricDaysKeptDays)
