/** How deliveries travel to and from their tables: read by `columns`, written column by column as arrays. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import { AttemptResult, Delivery, laneOf } from "@limbeck/webhooks/delivery/Delivery"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as T from "../connection/PostgresTypes.ts"

/** The trace, which most deliveries have none of, lies beside the last result: in JSON that Postgres cannot look into, for it may hold a NUL. */
export const StoredDelivery = Schema.Struct({
  ...Struct.omit(Delivery.fields, ["traceparent"]),
  lastResult: Schema.Struct({ ...AttemptResult.fields, traceparent: Schema.optionalKey(Schema.String) })
})

/** Copies field by field: a rest spread takes as long as the remaining work on a row. */
export const toDelivery = (stored: typeof StoredDelivery.Type): Delivery => {
  const { bodySnippet, durationMillis, error, statusCode, traceparent } = stored.lastResult
  return {
    id: stored.id,
    endpointId: stored.endpointId,
    eventId: stored.eventId,
    eventType: stored.eventType,
    status: stored.status,
    attemptCount: stored.attemptCount,
    cycleStartedAt: stored.cycleStartedAt,
    cycleAttempts: stored.cycleAttempts,
    trigger: stored.trigger,
    lastResult: { statusCode, bodySnippet, durationMillis, error },
    traceparent: traceparent ?? null,
    dueAt: stored.dueAt,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt
  }
}

const decodeStored = Schema.decodeUnknownEffect(compileOnUse(Schema.Array(StoredDelivery)))

export const decodeDeliveries = (rows: unknown) => Effect.map(decodeStored(rows), (stored) => stored.map(toDelivery))

/** A delivery, read from `deliveries d`. */
export const columnsOf = (sql: PgClient.PgClient) =>
  sql.literal(`d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId",
    d.event_type AS "eventType", d.status, d.attempt_count AS "attemptCount", d.cycle_started_at AS "cycleStartedAt",
    d.cycle_attempts AS "cycleAttempts", d.trigger, d.last_result AS "lastResult", d.due_at AS "dueAt",
    d.created_at AS "createdAt", d.updated_at AS "updatedAt"`)

/**
 * One array per written column, in the order of `deliveries`. `retries` is the lane in `deliveries_due`: computed by the
 * law here, never in a statement.
 */
export const arraysOf = (deliveries: ReadonlyArray<Delivery>) => ({
  ids: T.texts(deliveries.map(({ id }) => id)),
  endpointIds: T.texts(deliveries.map(({ endpointId }) => endpointId)),
  statuses: T.texts(deliveries.map(({ status }) => status)),
  attemptCounts: T.ints(deliveries.map(({ attemptCount }) => attemptCount)),
  cycleStarts: T.ints(deliveries.map(({ cycleStartedAt }) => cycleStartedAt)),
  cycleAttempts: T.ints(deliveries.map(({ cycleAttempts }) => cycleAttempts)),
  triggers: T.texts(deliveries.map(({ trigger }) => trigger)),
  lastResults: T.jsons(
    deliveries.map(({ lastResult, traceparent }) =>
      traceparent === null ? lastResult : { ...lastResult, traceparent }
    )
  ),
  dueTimes: T.ints(deliveries.map(({ dueAt }) => dueAt)),
  updateTimes: T.ints(deliveries.map(({ updatedAt }) => updatedAt)),
  retries: T.bools(deliveries.map((delivery) => laneOf(delivery) === "retry"))
})
