/** Lease numbers. Each exceeds all earlier numbers, even those of removed items. */
import * as Schema from "effect/Schema"
import type { Connection } from "../sqlite/Connection.ts"
import { sql } from "../sqlite/Sql.ts"

const Row = Schema.Struct({ last: Schema.Int })

export const next = (connection: Connection): number => {
  const taken = connection.first(Row, sql`UPDATE leases SET last = last + 1 RETURNING last`)
  if (taken === undefined) throw new Error("The table of leases is empty")
  return taken.last
}
