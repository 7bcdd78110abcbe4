/** Part of CallStore: tallies of stored calls. With one writer, "read, add, write" is exact. */
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import { CallTally, type TallyRange, type TallyWidth } from "@limbeck/capture/metrics/CallTally"
import * as TallyRules from "@limbeck/capture/metrics/TallyRules"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { sql } from "../sqlite/Sql.ts"

const tallies = new Body(CallTally)

/** Counts a call that was just added. */
export const add = (connection: Connection, partition: Partition, call: CapturedCall): void => {
  for (const [width, tally] of TallyRules.talliesOf(call)) {
    const key = TallyRules.keyOf(tally)
    const counted = tallies.first(
      connection,
      sql`
      SELECT body FROM tallies
      WHERE partition = ${partition.key} AND width = ${width} AND starts_at = ${tally.startsAt} AND key = ${key}`
    )
    const body = tallies.encode(Option.isNone(counted) ? tally : TallyRules.add(counted.value, tally))
    connection.run(sql`
      INSERT INTO tallies VALUES (${partition.key}, ${width}, ${tally.startsAt}, ${key}, ${body})
      ON CONFLICT DO UPDATE SET body = excluded.body`)
  }
}

export const make = (db: Database) => ({
  tallies: (partition: Partition, { from, until, width }: TallyRange) =>
    Stream.fromIterableEffect(
      db.read("CallStore.tallies", (connection) =>
        tallies.all(
          connection,
          sql`
          SELECT body FROM tallies
          WHERE partition = ${partition.key} AND width = ${width} AND starts_at >= ${from} AND starts_at < ${until}`
        )
      )
    ),
  pruneTallies: (width: TallyWidth, startsBefore: number, limit: number) =>
    db.write("CallStore.pruneTallies", (connection) =>
      connection.run(sql`
        DELETE FROM tallies WHERE (partition, width, starts_at, key) IN (
          SELECT partition, width, starts_at, key FROM tallies
          WHERE width = ${width} AND starts_at < ${startsBefore} ORDER BY starts_at LIMIT ${limit}
        )`)
    )
})
