/** RateStore: buckets of core's TokenBucket, in a file without shared transactions. */
import { RateStore } from "@limbeck/core/rate/RateStore"
import { full, tell } from "@limbeck/core/rate/TokenBucket"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Database } from "../sqlite/Database.ts"
import { sql } from "../sqlite/Sql.ts"

const Bucket = Schema.Struct({ tokens: Schema.Finite, at: Millis })

export const make = (rates: Database): RateStore["Service"] =>
  RateStore.of({
    tell: (limit, uses) =>
      rates.write("RateStore.tell", (connection) =>
        uses.map((told) => {
          const before = connection.first(Bucket, sql`SELECT tokens, at FROM buckets WHERE key = ${told.key}`)
          const bucket = tell(limit, before ?? full(limit, told.from), told)
          connection.run(sql`INSERT OR REPLACE INTO buckets VALUES (${told.key}, ${bucket.tokens}, ${bucket.at})`)
          return bucket
        })
      ),
    sweep: (before, limit) =>
      rates.write("RateStore.sweep", (connection) =>
        connection.run(sql`
          DELETE FROM buckets WHERE key IN (SELECT key FROM buckets WHERE at < ${before} ORDER BY at LIMIT ${limit})`)
      )
  })
