/** What was used by day and kind: the ledger adds to it, and so do captured calls. */
import type { Usage } from "@limbeck/billing/ledger/Entry"
import { usageKey } from "@limbeck/billing/ledger/LedgerRules"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Connection } from "../sqlite/Connection.ts"
import { sql } from "../sqlite/Sql.ts"

export const add = (connection: Connection, partition: Partition, usage: Usage): void => {
  const { date, kind, micros, quantity } = usage
  connection.run(sql`
    INSERT INTO usage VALUES (${partition.key}, ${usageKey(usage)}, ${date}, ${kind}, ${quantity}, ${micros})
    ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, micros = micros + excluded.micros`)
}
