/** Applies retention rules, each at its own interval. Any number of servers may do so at once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { RetentionOutcome, RetentionRule } from "./RetentionRule.ts"

/** One round of a rule: batches until nothing is left or a batch is blocked. */
export const round = ({ removeBatch }: RetentionRule): Effect.Effect<RetentionOutcome, StorageError> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap(removeBatch),
    Effect.repeat({ while: (outcome) => outcome === "more" }),
    Effect.withSpan("RetentionWorker.round")
  )

/** A failed round is logged, and repeated after `retryMillis`. */
const apply = (rule: RetentionRule): Effect.Effect<never> =>
  round(rule).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("retention_failed", cause).pipe(
        Effect.annotateLogs({ rule: rule.name }),
        Effect.as<RetentionOutcome>("later")
      )
    ),
    Effect.flatMap((outcome) => Effect.sleep(outcome === "later" ? rule.retryMillis : rule.everyMillis)),
    Effect.forever,
    Effect.delay(rule.delayMillis)
  )

/** Side by side, so that a long round holds up no other rule. Never ends; without rules it does nothing. */
export const forever = (rules: ReadonlyArray<RetentionRule>): Effect.Effect<never> =>
  Effect.andThen(Effect.forEach(rules, apply, { concurrency: "unbounded", discard: true }), Effect.never)
