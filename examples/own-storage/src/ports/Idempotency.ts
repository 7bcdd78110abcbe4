/**
 * IdempotencyStore. The holder of a key holds the only write transaction. Another caller in this process fails at once; one
 * in another process waits for the commit, and then finds the record.
 */
import { IdempotencyKeyInFlight } from "@limbeck/core/errors/Errors"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Database } from "../sqlite/Database.ts"
import { sql } from "../sqlite/Sql.ts"

const records = new Body(
  Schema.Struct({
    key: Schema.String,
    fingerprint: Schema.String,
    status: Schema.Int,
    body: Schema.String,
    sealed: Schema.Boolean,
    expiresAt: Millis
  })
)

export const make = (db: Database): IdempotencyStore["Service"] => {
  const held = new Set<string>()

  return IdempotencyStore.of({
    exclusively: Effect.fnUntraced(function* (partition, key, use) {
      const lock = `${partition.key} ${key}`
      // Inside a transaction, the key is free at the end of the transaction.
      const free = db.atEnd(() => held.delete(lock))
      return yield* Effect.acquireUseRelease(
        Effect.suspend(() =>
          held.has(lock) ? Effect.fail(new IdempotencyKeyInFlight({})) : Effect.succeed(held.add(lock))
        ),
        () => db.transaction(use),
        () => free
      )
    }),
    find: (partition, key) =>
      db.read("IdempotencyStore.find", (connection) =>
        records.first(connection, sql`SELECT body FROM answers WHERE partition = ${partition.key} AND key = ${key}`)
      ),
    record: (partition, record) =>
      db.write("IdempotencyStore.record", (connection) => {
        connection.run(sql`
          INSERT OR REPLACE INTO answers
          VALUES (${partition.key}, ${record.key}, ${record.expiresAt}, ${records.encode(record)})`)
      }),
    sweep: (now, limit) =>
      db.write("IdempotencyStore.sweep", (connection) =>
        connection.run(sql`
          DELETE FROM answers WHERE (partition, key) IN (
            SELECT partition, key FROM answers WHERE expires_at < ${now} ORDER BY expires_at LIMIT ${limit}
          )`)
      )
  })
}
