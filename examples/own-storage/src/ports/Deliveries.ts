/** DeliveryStore: writes and reads of deliveries and attempts. Claims and dead letters have files of their own. */
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { Attempt, Delivery, isSuccess, laneOf } from "@limbeck/webhooks/delivery/Delivery"
import {
  type DeliveryStats,
  DeliveryStore,
  type InsertLease,
  type Settlement
} from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { newest } from "../sqlite/Pages.ts"
import { and, ifPresent, type Sql, sql } from "../sqlite/Sql.ts"
import * as DeadLetters from "./DeadLetters.ts"
import * as DueDeliveries from "./DueDeliveries.ts"
import * as Leases from "./Leases.ts"

const deliveries = new Body(Delivery)
const attempts = new Body(Attempt)

const Oldest = Schema.Struct({ at: Schema.NullOr(Millis) })
const Stats = Schema.Struct({
  endpoint: Schema.String,
  attempts: Schema.Int,
  succeeded: Schema.Int,
  pending: Schema.Int,
  deadLettered: Schema.Int
})

/** Deliveries that one step of `keepHistory` removes: other work of the process waits for a step. */
const removedPerStep = 500

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`

const insert = (connection: Connection, partition: Partition, delivery: Delivery, leaseUntil: Millis | null) => {
  const { createdAt, dueAt, endpointId, eventId, eventType, id, status, updatedAt } = delivery
  const lease = leaseUntil === null ? null : Leases.next(connection)
  connection.run(sql`
    INSERT INTO deliveries VALUES (
      ${partition.key}, ${id}, ${endpointId}, ${eventId}, ${eventType}, ${status}, ${laneOf(delivery)},
      ${leaseUntil ?? dueAt}, ${lease}, ${createdAt}, ${updatedAt}, ${deliveries.encode(delivery)}
    )`)
  return lease
}

/** Writes the mutable fields of a delivery, and frees its lease. Returns whether `condition` held. */
const replace = (connection: Connection, partition: Partition, delivery: Delivery, condition: Sql): boolean =>
  connection.run(sql`
    UPDATE deliveries
    SET status = ${delivery.status}, lane = ${laneOf(delivery)}, ready_at = ${delivery.dueAt}, lease = NULL,
      updated_at = ${delivery.updatedAt}, body = ${deliveries.encode(delivery)}
    WHERE ${of(partition)} AND id = ${delivery.id} AND ${condition}`) === 1

const insertAttempt = (connection: Connection, { attempt, delivery, partition }: Settlement) => {
  if (attempt === null) return
  connection.run(sql`
    INSERT INTO attempts VALUES (
      ${partition.key}, ${delivery.id}, ${attempt.number}, ${delivery.endpointId}, ${attempt.startedAt},
      ${isSuccess(attempt.result)}, ${attempts.encode(attempt)}
    )`)
}

/** Counted by indexes: any number of succeeded deliveries costs nothing. */
const statsOf = (
  connection: Connection,
  partition: Partition,
  endpoints: ReadonlyArray<string>,
  since: Millis
): ReadonlyMap<string, DeliveryStats> => {
  const ofEndpoint = sql`${of(partition)} AND endpoint = asked.value`
  const made = sql`FROM attempts WHERE ${ofEndpoint} AND started_at >= ${since}`
  const rows = connection.all(
    Stats,
    sql`
    SELECT asked.value AS endpoint,
      (SELECT count(*) ${made}) AS attempts,
      (SELECT count(*) ${made} AND succeeded) AS succeeded,
      (SELECT count(*) FROM deliveries WHERE ${ofEndpoint} AND status IN ('pending', 'failed')) AS pending,
      (SELECT count(*) FROM deliveries WHERE ${ofEndpoint} AND status = 'dead_lettered') AS deadLettered
    FROM json_each(${JSON.stringify(endpoints)}) AS asked`
  )
  const counted = rows.filter(({ attempts, deadLettered, pending }) => attempts + deadLettered + pending > 0)
  return new Map(counted.map(({ endpoint, ...stats }) => [endpoint, stats]))
}

const makeWrites = (db: Database) => ({
  insert: (partition: Partition, many: ReadonlyArray<Delivery>, held?: InsertLease) =>
    db.write("DeliveryStore.insert", (connection) => {
      const leases = new Map<string, number>()
      for (const delivery of many) {
        const leaseUntil = held?.ids.has(delivery.id) ? held.leaseUntil : null
        const lease = insert(connection, partition, delivery, leaseUntil)
        if (lease !== null) leases.set(delivery.id, lease)
      }
      return leases
    }),
  settle: (settlements: ReadonlyArray<Settlement>) =>
    db.write("DeliveryStore.settle", (connection) =>
      settlements
        .filter((settlement) => {
          const { delivery, lease, partition } = settlement
          const isHeld = replace(connection, partition, delivery, sql`lease = ${lease}`)
          if (isHeld) insertAttempt(connection, settlement)
          return !isHeld
        })
        .map(({ delivery }) => delivery.id)
    ),
  redeliver: (partition: Partition, many: ReadonlyArray<Delivery>) =>
    db.write("DeliveryStore.redeliver", (connection) =>
      many
        .filter((delivery) => {
          const isDead = sql`endpoint = ${delivery.endpointId} AND status = 'dead_lettered'`
          return !replace(connection, partition, delivery, isDead)
        })
        .map(({ id }) => id)
    ),
  keepHistory: Effect.fnUntraced(function* ({ since }: { readonly now: Millis; readonly since: Millis }) {
    const step = db.write("DeliveryStore.keepHistory", (connection) =>
      connection.run(sql`
        DELETE FROM deliveries WHERE rowid IN (
          SELECT rowid FROM deliveries WHERE created_at < ${since} AND ready_at IS NULL LIMIT ${removedPerStep}
        )`)
    )
    while ((yield* step) === removedPerStep) yield* Effect.yieldNow
    return true
  })
})

export const make = (db: Database): DeliveryStore["Service"] =>
  DeliveryStore.of({
    ...makeWrites(db),
    ...DueDeliveries.make(db, deliveries),
    ...DeadLetters.make(db, deliveries),
    oldest: db.read(
      "DeliveryStore.oldest",
      (connection) => connection.first(Oldest, sql`SELECT min(created_at) AS at FROM deliveries`)?.at ?? null
    ),
    page: (partition, filter, request) =>
      db.read("DeliveryStore.page", (connection) => {
        const wanted = and([
          sql`${of(partition)} AND endpoint = ${filter.endpointId}`,
          ifPresent(filter.status, (status) => sql`status = ${status}`),
          ifPresent(filter.eventType, (type) => sql`type = ${type}`)
        ])
        const rows = deliveries.all(connection, sql`SELECT body FROM deliveries WHERE ${newest(wanted, request)}`)
        return Page.fromRows(rows, request.limit)
      }),
    find: (partition, endpointId, id) =>
      db.read("DeliveryStore.find", (connection) => {
        const wanted = sql`${of(partition)} AND endpoint = ${endpointId} AND id = ${id}`
        return deliveries.first(connection, sql`SELECT body FROM deliveries WHERE ${wanted}`)
      }),
    attempts: (partition, id) =>
      db.read("DeliveryStore.attempts", (connection) =>
        attempts.all(
          connection,
          sql`SELECT body FROM attempts WHERE ${of(partition)} AND delivery = ${id} ORDER BY number`
        )
      ),
    stats: (partition, endpointIds, since) =>
      db.read("DeliveryStore.stats", (connection) => statsOf(connection, partition, endpointIds, since))
  })
