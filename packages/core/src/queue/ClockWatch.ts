/**
 * Notices that the clock was ahead and has gone back. What was written meanwhile may be due, or leased, far in the future: it is
 * pulled forward at the start of a process, and whenever the clock is seen to have gone back.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StorageError } from "../errors/Errors.ts"
import type { Millis } from "../time/Timestamp.ts"

/**
 * To be run before each look at the next due time. `pullForward` returns how many items it moved; `subject` names them in the log.
 */
export const make = (
  subject: string,
  pullForward: (now: Millis) => Effect.Effect<number, StorageError>
): Effect.Effect<void, StorageError> => {
  let lastSeenAt = Number.POSITIVE_INFINITY
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now < lastSeenAt) {
      const count = yield* pullForward(now)
      const warning = Effect.logWarning("due_times_pulled_forward")
      if (count > 0) yield* Effect.annotateLogs(warning, { subject, count })
    }
    lastSeenAt = now
  })
}
