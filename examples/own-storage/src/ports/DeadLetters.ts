/** Of DeliveryStore: what was given up, and whether an endpoint has failed all the time. */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import type { DeadLetters } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Schema from "effect/Schema"
import type { Body } from "../sqlite/Body.ts"
import type { Database } from "../sqlite/Database.ts"
import { ifPresent, type Sql, sql } from "../sqlite/Sql.ts"

const Count = Schema.Struct({ count: Schema.Int })
const Outcome = Schema.Struct({ succeeded: Schema.BooleanFromBit })

const dead = (partition: Partition, { endpointId, since, until }: DeadLetters): Sql => sql`
  partition = ${partition.key} AND endpoint = ${endpointId} AND status = 'dead_lettered'
    AND created_at >= ${since} AND updated_at <= ${until}`

export const make = (db: Database, deliveries: Body<Delivery>) => ({
  countDeadLetters: (partition: Partition, letters: DeadLetters) =>
    db.read(
      "DeliveryStore.countDeadLetters",
      (connection) =>
        connection.first(Count, sql`SELECT count(*) AS count FROM deliveries WHERE ${dead(partition, letters)}`)
          ?.count ?? 0
    ),
  deadLetters: (
    partition: Partition,
    letters: DeadLetters,
    { after, limit }: { readonly after: string | null; readonly limit: number }
  ) =>
    db.read("DeliveryStore.deadLetters", (connection) =>
      deliveries.all(
        connection,
        sql`
        SELECT body FROM deliveries
        WHERE ${dead(partition, letters)} AND ${ifPresent(after, (id) => sql`id > ${id}`)}
        ORDER BY id LIMIT ${limit}`
      )
    ),
  /** Among earlier attempts, and successes of any time, the last one decides. */
  hasFailedSince: (partition: Partition, endpointId: string, since: Millis) =>
    db.read("DeliveryStore.hasFailedSince", (connection) => {
      const last = connection.first(
        Outcome,
        sql`
        SELECT succeeded FROM attempts
        WHERE partition = ${partition.key} AND endpoint = ${endpointId} AND (succeeded OR started_at < ${since})
        ORDER BY started_at DESC, succeeded DESC LIMIT 1`
      )
      return last !== undefined && !last.succeeded
    })
})
