/** How deliveries travel to and from their tables: read by `columns`, written column by column as arrays. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Delivery, laneOf } from "@limbeck/webhooks/delivery/Delivery"
import * as Schema from "effect/Schema"
import * as T from "./PostgresTypes.ts"

export const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(Delivery))

/** A delivery, read from `deliveries d`. */
export const columnsOf = (sql: PgClient.PgClient) =>
  sql.literal(`d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId",
    d.event_type AS "eventType", d.status, d.attempt_count AS "attemptCount", d.cycle_started_at AS "cycleStartedAt",
    d.cycle_attempts AS "cycleAttempts", d.trigger, d.last_result AS "lastResult", d.last_result ->> 'traceparent' AS traceparent, d.due_at AS "dueAt",
    d.created_at AS "createdAt", d.updated_at AS "updatedAt"`)

/**
 * One array for each column that a statement writes, in the order of `deliveries`. `retries` is the lane in `deliveries_due`:
 * the law gives it here, and no statement knows it.
 */
export const arraysOf = (deliveries: ReadonlyArray<Delivery>) => ({
  ids: T.texts(deliveries.map(({ id }) => id)),
  endpointIds: T.texts(deliveries.map(({ endpointId }) => endpointId)),
  statuses: T.texts(deliveries.map(({ status }) => status)),
  attemptCounts: T.ints(deliveries.map(({ attemptCount }) => attemptCount)),
  cycleStarts: T.ints(deliveries.map(({ cycleStartedAt }) => cycleStartedAt)),
  cycleAttempts: T.ints(deliveries.map(({ cycleAttempts }) => cycleAttempts)),
  triggers: T.texts(deliveries.map(({ trigger }) => trigger)),
  // With the trace, which most deliveries have none of.
  lastResults: T.jsons(
    deliveries.map(({ lastResult, traceparent }) =>
      traceparent === null ? lastResult : { ...lastResult, traceparent }
    )
  ),
  dueTimes: T.ints(deliveries.map(({ dueAt }) => dueAt)),
  updateTimes: T.ints(deliveries.map(({ updatedAt }) => updatedAt)),
  retries: T.bools(deliveries.map((delivery) => laneOf(delivery) === "retry"))
})
