/** What DeliveryStore tells of single deliveries and of endpoints; lists are in DeliveryPages. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Attempt } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryStats, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { decodeDeliveries } from "./DeliveryRows.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))

const decodeStats = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      endpointId: Schema.String,
      attempts: Schema.Int,
      succeeded: Schema.Int,
      pending: Schema.Int,
      deadLettered: Schema.Int
    })
  )
)

type Methods = Pick<DeliveryStore["Service"], "find" | "attempts" | "stats">

/** `columns` are those of a delivery, read from `deliveries d`. */
export const make = (sql: PgClient.PgClient, columns: Fragment): Methods => {
  return {
    find: Effect.fnUntraced(function* (partition, endpointId, id) {
      const rows = yield* sql`
        SELECT ${columns} FROM deliveries d
        WHERE id = ${T.text(id)} AND partition = ${partition.key} AND endpoint_id = ${T.text(endpointId)}`
      return Option.fromUndefinedOr((yield* decodeDeliveries(rows))[0])
    }, failAs("DeliveryStore.find")),

    attempts: Effect.fnUntraced(function* (partition, deliveryId) {
      const rows = yield* sql`
        SELECT id, delivery_id AS "deliveryId", number, trigger, result, started_at AS "startedAt" FROM attempts
        WHERE partition = ${partition.key} AND delivery_id = ${T.text(deliveryId)} ORDER BY number`
      return yield* decodeAttempts(rows)
    }, failAs("DeliveryStore.attempts")),

    stats: Effect.fnUntraced(function* (partition, endpointIds, since) {
      const ids = T.texts(endpointIds)
      const rows = yield* sql`
        SELECT endpoint_id AS "endpointId", sum(attempts)::bigint AS attempts, sum(succeeded)::bigint AS succeeded,
          sum(pending)::bigint AS pending, sum(dead_lettered)::bigint AS "deadLettered"
        FROM (
          SELECT endpoint_id, count(*) AS attempts, count(*) FILTER (WHERE succeeded) AS succeeded,
            0 AS pending, 0 AS dead_lettered
          FROM attempts
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) AND succeeded = ANY(${T.bools([true, false])})
            AND started_at >= ${T.int(since)}
          GROUP BY endpoint_id
          UNION ALL
          SELECT endpoint_id, 0, 0, count(*), 0 FROM deliveries_due
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) GROUP BY endpoint_id
          UNION ALL
          SELECT endpoint_id, 0, 0, 0, count(*) FROM deliveries
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) AND status = 'dead_lettered'
          GROUP BY endpoint_id
        ) counted GROUP BY endpoint_id`
      const counted = yield* decodeStats(rows)
      return new Map(counted.map(({ endpointId, ...stats }): [string, DeliveryStats] => [endpointId, stats]))
    }, failAs("DeliveryStore.stats"))
  }
}
