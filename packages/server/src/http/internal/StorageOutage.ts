/**
 * Logs an outage of storage, not every request that it refuses: the first refusal with its cause, then how many followed, at most
 * one line in a while. A busy server would write a megabyte in minutes otherwise.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { RequestId } from "@limbeck/core/ids/Id"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Limits } from "../../internal/Limits.ts"

export type Report = (error: StorageError, id: RequestId) => Effect.Effect<void>

/** One per server. `request_id` is that of the refusal that is logged; `refused_since`, those since the line before. */
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
