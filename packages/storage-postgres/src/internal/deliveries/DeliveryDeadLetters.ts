/** The dead-letter methods of DeliveryStore. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import type { DeadLetters, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { arraysOf, decodeDeliveries } from "./DeliveryRows.ts"
import * as Tallies from "./DeliveryTallies.ts"

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const decodeFailed = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ failed: Schema.Boolean })]))

type Methods = Pick<DeliveryStore["Service"], "redeliver" | "countDeadLetters" | "deadLetters" | "hasFailedSince">

/** `columns` are the columns of a delivery, read from `deliveries d`. */
export const make = (sql: PgClient.PgClient, columns: Fragment): Methods => {
  const wanted = (partition: Partition, { endpointId, since, until }: DeadLetters) => sql`
    d.partition = ${partition.key} AND d.endpoint_id = ${T.text(endpointId)} AND d.status = 'dead_lettered'
    AND d.created_at >= ${T.int(since)} AND d.updated_at <= ${T.int(until)}`

  /** Locked in the order of their ids, so that two who revive the same ones take turns, and the later finds none. */
  const revive = (partition: Partition, deliveries: ReadonlyArray<Delivery>) => {
    const ids = deliveries.map(({ id }) => id)
    const [first, last] = T.bounds(ids)
    const written = arraysOf(deliveries)
    return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(
        ${written.ids}, ${written.endpointIds}, ${written.statuses}, ${written.attemptCounts}, ${written.cycleStarts},
        ${written.cycleAttempts}, ${written.triggers}, ${written.lastResults}, ${written.dueTimes},
        ${written.updateTimes}, ${written.retries})
      AS g (id, endpoint_id, status, attempt_count, cycle_started_at, cycle_attempts, trigger, last_result, due_at,
        updated_at, retry)
    ), dead AS MATERIALIZED (
      SELECT id, endpoint_id FROM deliveries
      WHERE id = ANY(${written.ids}) AND id BETWEEN ${first} AND ${last}
        AND (partition = ${partition.key} AND status = 'dead_lettered') IS TRUE
      ORDER BY id FOR UPDATE
    ), revived AS (
      UPDATE deliveries d SET status = g.status, attempt_count = g.attempt_count, cycle_started_at = g.cycle_started_at,
        cycle_attempts = g.cycle_attempts, trigger = g.trigger, last_result = g.last_result, due_at = g.due_at,
        updated_at = g.updated_at
      FROM dead JOIN given g USING (id, endpoint_id)
      WHERE d.id = dead.id AND d.id BETWEEN ${first} AND ${last} AND (d.partition = ${partition.key}) IS TRUE
      RETURNING d.id, d.partition, d.endpoint_id, d.status, d.due_at, g.retry
    ), told AS (${sql.literal(Tallies.add(Tallies.deadOf("revived WHERE status <> 'dead_lettered'", "gone")))}), waiting AS (
      INSERT INTO deliveries_due (id, partition, endpoint_id, due_at, ready_at, retry)
      SELECT id, partition, endpoint_id, due_at, due_at, retry FROM revived WHERE due_at IS NOT NULL
    )
    SELECT id FROM revived`
  }

  return {
    redeliver: Effect.fnUntraced(function* (partition, deliveries) {
      if (deliveries.length === 0) return []
      const revived = new Set((yield* decodeIds(yield* revive(partition, deliveries))).map(({ id }) => id))
      return deliveries.flatMap(({ id }) => (revived.has(id) ? [] : [id]))
    }, failAs("DeliveryStore.redeliver")),

    countDeadLetters: Effect.fnUntraced(function* (partition, letters) {
      const rows = yield* sql`SELECT count(*) AS count FROM deliveries d WHERE ${wanted(partition, letters)}`
      const [{ count }] = yield* decodeCount(rows)
      return count
    }, failAs("DeliveryStore.countDeadLetters")),

    deadLetters: Effect.fnUntraced(function* (partition, letters, { after, limit }) {
      const rows = yield* sql`
        SELECT ${columns} FROM deliveries d
        WHERE ${wanted(partition, letters)} AND d.id > ${T.text(after ?? "")} ORDER BY d.id LIMIT ${T.few(sql, limit)}`
      return yield* decodeDeliveries(rows)
    }, failAs("DeliveryStore.deadLetters")),

    hasFailedSince: Effect.fnUntraced(function* (partition, endpointId, since) {
      const ofEndpoint = sql`partition = ${partition.key} AND endpoint_id = ${T.text(endpointId)}`
      const lastBefore = (outcome: Fragment) => sql`(
        SELECT max(started_at) FROM attempts WHERE ${ofEndpoint} AND ${outcome} AND started_at < ${T.int(since)})`
      const rows = yield* sql`
        SELECT coalesce(${lastBefore(sql`NOT succeeded`)}, ${T.int(T.firstInt)})
            > coalesce(${lastBefore(sql`succeeded`)}, ${T.int(T.firstInt)})
          AND NOT EXISTS (SELECT FROM attempts
            WHERE ${ofEndpoint} AND succeeded AND started_at >= ${T.int(since)}) AS failed`
      const [{ failed }] = yield* decodeFailed(rows)
      return failed
    }, failAs("DeliveryStore.hasFailedSince"))
  }
}
