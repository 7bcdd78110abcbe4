/**
 * Logs a storage outage instead of every refused request: the first refusal with its cause, then the number of others, at
 * most one line per interval. A busy server would otherwise write a megabyte in minutes.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { RequestId } from "@limbeck/core/ids/Id"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../../internal/Limits.ts"

export type Report = (error: StorageError, id: RequestId) => Effect.Effect<void>

/** One per server. `request_id` belongs to the logged refusal; `refused_since` counts those since the previous line. */
export const make = (): Report => {
  let loggedAt = Number.NEGATIVE_INFINITY
  let refused = 0
  return Effect.fnUntraced(function* (error: StorageError, id: RequestId) {
    refused++
    const now = yield* Clock.currentTimeMillis
    if (Math.abs(now - loggedAt) < Limits.outageLogMillis) return
    const facts = { request_id: id, refused_since: refused }
    loggedAt = now
    refused = 0
    yield* Effect.annotateLogs(Effect.logError("storage_failed", error), facts)
  })
}
