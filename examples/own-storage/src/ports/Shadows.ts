/** Part of CallStore: shadow results and verifications. A result may precede its call, but never follow its removal. */
import type { InPartition } from "@limbeck/capture/call/CallStore"
import { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { sql } from "../sqlite/Sql.ts"

const shadows = new Body(ShadowResult)
const Untaken = Schema.Struct({ row: Schema.Int, partition: Schema.String, body: shadows.json })

const append = (connection: Connection, { partition, value }: InPartition<ShadowResult>) => {
  const { call, createdAt, deployment, verifies } = value
  connection.run(sql`
    INSERT OR IGNORE INTO shadows
    SELECT ${partition.key}, ${call}, ${deployment}, ${createdAt}, ${verifies}, ${shadows.encode(value)}
    WHERE NOT EXISTS (SELECT 1 FROM calls WHERE partition = ${partition.key} AND id = ${call} AND facts IS NULL)`)
}

export const make = (db: Database) => ({
  appendShadows: (results: ReadonlyArray<InPartition<ShadowResult>>) =>
    db.write("CallStore.appendShadows", (connection) => {
      for (const result of results) append(connection, result)
    }),
  shadowsOf: (partition: Partition, call: string) =>
    db.read("CallStore.shadowsOf", (connection) =>
      shadows.all(
        connection,
        sql`
        SELECT body FROM shadows WHERE partition = ${partition.key} AND call = ${call}
        ORDER BY created_at, deployment`
      )
    ),
  takeVerifications: (limit: number) =>
    db.write("CallStore.takeVerifications", (connection) => {
      const taken = connection.all(
        Untaken,
        sql`
        SELECT rowid AS row, partition, body FROM shadows WHERE awaits_taker ORDER BY created_at, rowid LIMIT ${limit}`
      )
      for (const { row } of taken) connection.run(sql`UPDATE shadows SET awaits_taker = FALSE WHERE rowid = ${row}`)
      return taken.map(({ body, partition }) => ({ partition: fromKey(partition), value: body }))
    })
})
