/** DeliveryStore's reads of single deliveries and endpoints; lists are in DeliveryPages. */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { Attempt } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryStats, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { decodeOnce } from "../connection/DecodeOnce.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { lookUp } from "../connection/Writes.ts"
import * as Backlogs from "./Backlogs.ts"
import { decodeDeliveries } from "./DeliveryRows.ts"
import * as Tallies from "./DeliveryTallies.ts"

const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))

/** Up to this backlog, the short read counts an endpoint's waiting deliveries. */
const fewPending = 100

const Attempted = Schema.Struct({ endpointId: Schema.String, attempts: Schema.Int, succeeded: Schema.Int })
const decodeAttempted = Schema.decodeUnknownEffect(Schema.Array(Attempted))

/** `atEdge`: attempts in the tally row that straddles the window's start; `attempts` excludes them. */
const decodeTold = decodeOnce(
  Schema.decodeUnknownEffect(
    Schema.Array(
      Schema.Struct({ ...Attempted.fields, pending: Schema.Int, deadLettered: Schema.Int, atEdge: Schema.Int })
    )
  )
)

type Methods = Pick<DeliveryStore["Service"], "find" | "attempts" | "stats">

const isAny = ({ attempts, deadLettered, pending }: DeliveryStats) => attempts + deadLettered + pending > 0

/** `columns` are the columns of a delivery, read from `deliveries d`. */
export const make = Effect.fnUntraced(function* (sql: BoundedClient, columns: Fragment) {
  const read = lookUp(sql)
  const countPending = yield* Backlogs.make(sql)

  /** One endpoint's statistics at the cost of a look-up: a range of its tallies, and its waiting deliveries. */
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

  const methods: Methods = {
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
      const split = told.filter(({ atEdge }) => atEdge > 0).map(({ endpointId }) => endpointId)
      const firsts = split.length === 0 ? [] : yield* countAttempts(partition, split, since, window.from)
      const atEdge = new Map(firsts.map((one) => [one.endpointId, one]))
      const backlogs = told.filter(({ pending }) => pending > fewPending).map(({ endpointId }) => endpointId)
      // One after the other: they leave the connections to others.
      const waiting = new Map(
        yield* Effect.forEach(backlogs, (id) =>
          Effect.map(countPending(partition, id), (pending) => [id, pending] as const)
        )
      )
      const stats = told.map(({ attempts, deadLettered, endpointId, pending, succeeded }): [string, DeliveryStats] => {
        const first = atEdge.get(endpointId)
        return [
          endpointId,
          {
            attempts: attempts + (first?.attempts ?? 0),
            succeeded: succeeded + (first?.succeeded ?? 0),
            pending: waiting.get(endpointId) ?? pending,
            deadLettered
          }
        ]
      })
      return new Map(stats.filter(([, counted]) => isAny(counted)))
    }, failAs("DeliveryStore.stats"))
  }
  return methods
})
