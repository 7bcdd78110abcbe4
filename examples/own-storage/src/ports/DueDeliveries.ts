/** Part of DeliveryStore: due deliveries and claims. Takes each endpoint's oldest first, so that no backlog hides another. */
import { fromKey } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import type { ClaimedDelivery, ClaimOptions, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Schema from "effect/Schema"
import type { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { sql } from "../sqlite/Sql.ts"
import * as Leases from "./Leases.ts"

const Endpoint = Schema.Struct({ endpoint: Schema.String })
const Due = Schema.Struct({ row: Schema.Int, id: Schema.String, partition: Schema.String, readyAt: Millis })
const Next = Schema.Struct({ at: Schema.NullOr(Millis) })

type PullForward = Parameters<DeliveryStore["Service"]["pullForward"]>[0]

/** The endpoints with waiting deliveries in a lane: one index step each, for any backlog. */
const endpointsOf = (connection: Connection, { except = [], lane }: ClaimOptions): ReadonlyArray<string> => {
  const inLane = sql`lane = ${lane} AND ready_at IS NOT NULL`
  const rows = connection.all(
    Endpoint,
    sql`
    WITH RECURSIVE waiting (endpoint) AS (
      SELECT min(endpoint) FROM deliveries WHERE ${inLane}
      UNION ALL
      SELECT (SELECT min(endpoint) FROM deliveries WHERE ${inLane} AND endpoint > waiting.endpoint)
      FROM waiting WHERE waiting.endpoint IS NOT NULL
    )
    SELECT endpoint FROM waiting WHERE endpoint IS NOT NULL`
  )
  const passedOver = new Set(except)
  return rows.map(({ endpoint }) => endpoint).filter((endpoint) => !passedOver.has(endpoint))
}

/** How many deliveries of an endpoint may be claimed. */
const maximaOf = ({ limit, many, perEndpointMax = limit, single = [] }: ClaimOptions) => {
  const maxima = new Map(many?.endpoints.map((id) => [id, many.max]))
  for (const id of single) maxima.set(id, 1)
  return (endpoint: string) => maxima.get(endpoint) ?? perEndpointMax
}

/** Whether the workspace of a delivery has room for it, asked in the order of the claim. */
const roomFor = ({ limit, rooms = { of: new Map(), others: limit } }: ClaimOptions) => {
  const left = new Map(rooms.of)
  return ({ partition }: typeof Due.Type): boolean => {
    const { workspace } = fromKey(partition)
    const room = left.get(workspace) ?? rooms.others
    left.set(workspace, room - 1)
    return room > 0
  }
}

const oldestDue = (connection: Connection, options: ClaimOptions): ReadonlyArray<typeof Due.Type> => {
  const maxOf = maximaOf(options)
  const due = endpointsOf(connection, options).flatMap((endpoint) =>
    connection.all(
      Due,
      sql`
      SELECT rowid AS row, id, partition, ready_at AS readyAt FROM deliveries
      WHERE lane = ${options.lane} AND endpoint = ${endpoint} AND ready_at <= ${options.now}
      ORDER BY ready_at, id LIMIT ${maxOf(endpoint)}`
    )
  )
  const oldestFirst = due.toSorted((a, b) => a.readyAt - b.readyAt || (a.id < b.id ? -1 : 1))
  return oldestFirst.filter(roomFor(options)).slice(0, options.limit)
}

export const make = (db: Database, deliveries: Body<Delivery>) => {
  const Claimed = Schema.Struct({ partition: Schema.String, delivery: deliveries.json, body: Schema.String })

  const take = (connection: Connection, row: number, leaseUntil: Millis): ReadonlyArray<ClaimedDelivery> => {
    const lease = Leases.next(connection)
    connection.run(sql`UPDATE deliveries SET lease = ${lease}, ready_at = ${leaseUntil} WHERE rowid = ${row}`)
    const claimed = connection.all(
      Claimed,
      sql`
      SELECT deliveries.partition, deliveries.body AS delivery, events.body FROM deliveries
      JOIN events ON events.partition = deliveries.partition AND events.id = deliveries.event
      WHERE deliveries.rowid = ${row}`
    )
    return claimed.map(({ body, delivery, partition }) => ({ partition: fromKey(partition), delivery, lease, body }))
  }

  return {
    claimDue: (options: ClaimOptions) =>
      db.write("DeliveryStore.claimDue", (connection) =>
        oldestDue(connection, options).flatMap(({ row }) => take(connection, row, options.leaseUntil))
      ),
    /** For an unclaimed delivery, also updates `dueAt` in its JSON. */
    pullForward: ({ latest, leaseUntil, now }: PullForward) =>
      db.write("DeliveryStore.pullForward", (connection) =>
        connection.run(sql`
          UPDATE deliveries
          SET ready_at = iif(lease IS NULL, ${now}, ${leaseUntil}),
            body = json_set(body, '$.dueAt', min(body ->> '$.dueAt', ${now}))
          WHERE ready_at > ${latest} AND (lease IS NOT NULL OR updated_at > ${latest})`)
      ),
    nextDueAt: db.read(
      "DeliveryStore.nextDueAt",
      (connection) => connection.first(Next, sql`SELECT min(ready_at) AS at FROM deliveries`)?.at ?? null
    )
  }
}
