/**
 * Removes expired calls with their feedback, expired feedback on external ids, and feedback whose call never arrived.
 * Dataset versions made from calls stay.
 */
import * as RetentionRule from "@limbeck/core/retention/RetentionRule"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { CaptureLimits } from "../Limits.ts"
import { CallStore } from "./CallStore.ts"

export const calls = (days: number) =>
  Effect.map(CallStore, (store) =>
    RetentionRule.ofRows({
      name: "captured calls",
      setting: "callHistoryDays",
      remove: (now, max) => {
        const before = now - Math.round(days * dayMillis)
        return Effect.zipWith(store.prune(before, max), store.pruneFeedback(before, max), Math.max)
      }
    })
  )

export const feedbackDropped = Metric.counter("limbeck_feedback_dropped_total", {
  description: "Feedback whose call never came",
  incremental: true
})

export const unjoinedFeedback = Effect.map(CallStore, (store) =>
  RetentionRule.ofRows({
    name: "feedback without a call",
    setting: null,
    remove: Effect.fnUntraced(function* (now, max) {
      const { dropped, kept } = yield* store.dropUnjoined(now - CaptureLimits.feedbackUnjoinedMillis, max)
      if (dropped > 0) {
        yield* Metric.update(feedbackDropped, dropped)
        yield* Effect.annotateLogs(Effect.logWarning("feedback_without_call_dropped"), { dropped })
      }
      return dropped + kept
    })
  })
)
