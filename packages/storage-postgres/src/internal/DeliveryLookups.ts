/** What DeliveryStore tells of single deliveries and of endpoints; lists are in DeliveryPages. */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { Attempt } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryStats, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import type { BoundedClient } from "./BoundedClient.ts"
import { decodedOnce } from "./DecodedOnce.ts"
import { decodeDeliveries } from "./DeliveryRows.ts"
import * as Tallies from "./DeliveryTallies.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"
import { lookUp } from "./Writes.ts"

const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))

/** What waits of an endpoint is counted in the short read as long as it is not more. */
const fewPending = 1_000

const Attempted = Schema.Struct({ endpointId: Schema.String, attempts: Schema.Int, succeeded: Schema.Int })
const Waiting = Schema.Struct({ endpointId: Schema.String, pending: Schema.Int })
const decodeAttempted = Schema.decodeUnknownEffect(Schema.Array(Attempted))
const decodeWaiting = Schema.decodeUnknownEffect(Schema.Array(Waiting))

/** `atEdge`: attempts that are counted together with such before the window, and are not among `attempts`. */
const decodeTold = decodedOnce(
  Schema.decodeUnknownEffect(
    Schema.Array(
      Schema.Struct({ ...Attempted.fields, ...Waiting.fields, deadLettered: Schema.Int, atEdge: Schema.Int })
    )
  )
)

type Methods = Pick<DeliveryStore["Service"], "find" | "attempts" | "stats">

const isAny = ({ attempts, deadLettered, pending }: DeliveryStats) => attempts + deadLettered + pending > 0

/** `columns` are those of a delivery, read from `deliveries d`. */
export const make = (sql: BoundedClient, columns: Fragment): Methods => {
  const read = lookUp(sql)

  /** What is told of one endpoint at the cost of a look-up: a range of its tallies, and what waits of it. */
  const countedOf = (partition: Partition, endpointId: Fragment, { edge, from }: Tallies.Window) => sql`
    SELECT coalesce(sum(attempts::int) FILTER (WHERE starts_at >= ${T.int(from)}), 0) AS attempts,
      coalesce(sum(succeeded::int) FILTER (WHERE starts_at >= ${T.int(from)}), 0) AS succeeded,
      coalesce(sum(attempts::int) FILTER (WHERE starts_at < ${T.int(from)}), 0) AS "atEdge",
      coalesce(sum(dead_lettered::int), 0) AS "deadLettered",
      (SELECT count(*) FROM (
        SELECT FROM deliveries_due due WHERE due.endpoint_id = ${endpointId} AND due.partition = ${partition.key}
        LIMIT ${T.int(fewPending + 1)}) few) AS pending
    FROM delivery_tallies
    WHERE partition = ${partition.key} AND endpoint_id = ${endpointId} AND starts_at >= ${T.int(edge)}`

  /** A statement about a set is planned anew each time, which takes longer than to count for one. */
  const tell = (partition: Partition, endpointIds: ReadonlyArray<string>, window: Tallies.Window) => {
    const [only = "", ...others] = endpointIds
    const told =
      others.length === 0
        ? sql`SELECT ${T.text(only)} AS "endpointId", counted.*
            FROM (${countedOf(partition, sql`${T.text(only)}`, window)}) counted`
        : sql`SELECT endpoint.id AS "endpointId", counted.* FROM unnest(${T.texts(endpointIds)}) AS endpoint (id)
            CROSS JOIN LATERAL (${countedOf(partition, sql`endpoint.id`, window)}) counted`
    return Effect.flatMap(read(told), decodeTold)
  }

  /**
   * One by one: those that began at `since` or later, and before `from`. The plan is made for these times: one for any times would
   * take them to leave a few rows whatever the endpoint, and look through those of all endpoints.
   */
  const countAttempts = (partition: Partition, endpointIds: ReadonlyArray<string>, since: Millis, from: Millis) =>
    Effect.flatMap(
      sql`
        SELECT endpoint_id AS "endpointId", count(*) AS attempts, count(*) FILTER (WHERE succeeded) AS succeeded
        FROM attempts
        WHERE partition = ${partition.key} AND endpoint_id = ANY(${T.texts(endpointIds)})
          AND succeeded = ANY(${T.bools([true, false])})
          AND started_at >= ${T.int(since)} AND started_at < ${T.int(from)}
        GROUP BY endpoint_id`.unprepared,
      decodeAttempted
    )

  const countPending = (partition: Partition, endpointIds: ReadonlyArray<string>) =>
    Effect.flatMap(
      sql`
        SELECT endpoint_id AS "endpointId", count(*) AS pending FROM deliveries_due
        WHERE partition = ${partition.key} AND endpoint_id = ANY(${T.texts(endpointIds)}) GROUP BY endpoint_id`,
      decodeWaiting
    )

  /** For the endpoints of which the short read has not told all. */
  const forSome = <A extends { readonly endpointId: string }, E>(
    endpoints: ReadonlyArray<{ readonly endpointId: string }>,
    count: (endpointIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
  ): Effect.Effect<ReadonlyMap<string, A>, E> =>
    endpoints.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          count(endpoints.map(({ endpointId }) => endpointId)),
          (counted) => new Map(counted.map((one) => [one.endpointId, one]))
        )

  return {
    find: Effect.fnUntraced(function* (partition, endpointId, id) {
      const rows = yield* read(sql`
        SELECT ${columns} FROM deliveries d
        WHERE id = ${T.text(id)} AND partition = ${partition.key} AND endpoint_id = ${T.text(endpointId)}`)
      return Option.fromUndefinedOr((yield* decodeDeliveries(rows))[0])
    }, failAs("DeliveryStore.find")),

    attempts: Effect.fnUntraced(function* (partition, deliveryId) {
      const rows = yield* read(sql`
        SELECT id, delivery_id AS "deliveryId", number, trigger, result, started_at AS "startedAt" FROM attempts
        WHERE partition = ${partition.key} AND delivery_id = ${T.text(deliveryId)} ORDER BY number`)
      return yield* decodeAttempts(rows)
    }, failAs("DeliveryStore.attempts")),

    stats: Effect.fnUntraced(function* (partition, endpointIds, since) {
      const window = Tallies.windowOf(since)
      const told = yield* tell(partition, endpointIds, window)
      const atEdge = yield* forSome(
        told.filter(({ atEdge }) => atEdge > 0),
        (ids) => countAttempts(partition, ids, since, window.from)
      )
      const waiting = yield* forSome(
        told.filter(({ pending }) => pending > fewPending),
        (ids) => countPending(partition, ids)
      )
      const stats = told.map(({ attempts, deadLettered, endpointId, pending, succeeded }): [string, DeliveryStats] => {
        const first = atEdge.get(endpointId)
        return [
          endpointId,
          {
            attempts: attempts + (first?.attempts ?? 0),
            succeeded: succeeded + (first?.succeeded ?? 0),
            pending: waiting.get(endpointId)?.pending ?? pending,
            deadLettered
          }
        ]
      })
      return new Map(stats.filter(([, counted]) => isAny(counted)))
    }, failAs("DeliveryStore.stats"))
  }
}
