/**
 * IdempotencyStore on Postgres. A transaction-level advisory lock holds a key, so the key is free as soon as the
 * transaction or its process ends. The look-up is a separate statement: a snapshot taken together with the lock could
 * predate the previous holder's commit. Both leave in one packet, and the holder's first look-up uses its result.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { IdempotencyKeyInFlight } from "@limbeck/core/errors/Errors"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Storage } from "@limbeck/core/storage/Storage"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import type { UnitOfWork } from "../connection/UnitOfWork.ts"
import { hold, together, unitOf } from "../connection/Writes.ts"

const decodeLocks = Schema.decodeUnknownEffect(compileOnUse(Schema.Tuple([Schema.Struct({ locked: Schema.Boolean })])))

const decodeRecords = Schema.decodeUnknownEffect(
  compileOnUse(
    Schema.Array(
      Schema.Struct({
        key: Schema.String,
        fingerprint: Schema.String,
        status: Schema.Int,
        body: Schema.String,
        sealed: Schema.Boolean,
        expiresAt: Millis
      })
    )
  )
)

export const make = (
  sql: PgClient.PgClient,
  storage: Storage["Service"],
  /** Advisory locks are shared by all schemas of a database. */
  schema: string
): IdempotencyStore["Service"] => {
  /** The look-up made with the lock, for the holder's first find. No other transaction can write under the key meanwhile. */
  const foundWithLock = new WeakMap<UnitOfWork, { readonly scope: string; readonly rows: ReadonlyArray<unknown> }>()

  const scopeOf = (partition: Partition, key: string) => JSON.stringify([schema, partition.key, key])

  const lookUp = (partition: Partition, key: string) => sql`
    SELECT key, fingerprint, status, body, sealed, expires_at AS "expiresAt" FROM idempotency_records
    WHERE partition = ${partition.key} AND key = ${T.text(key)}`

  const lock = Effect.fnUntraced(function* (partition: Partition, key: string) {
    const scope = scopeOf(partition, key)
    const locking = sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${T.text(scope)}, 0)) AS locked`
    const [locks, rows = []] = yield* together(sql, [locking, lookUp(partition, key)])
    const [{ locked }] = yield* decodeLocks(locks)
    if (!locked) return yield* new IdempotencyKeyInFlight({})
    const unit = yield* unitOf(sql)
    if (unit !== undefined) foundWithLock.set(unit, { scope, rows })
  }, failAs("IdempotencyStore.exclusively"))

  /** Only once: afterwards the holder may have written. */
  const takeFound = Effect.fnUntraced(function* (partition: Partition, key: string) {
    const unit = yield* unitOf(sql)
    const found = unit === undefined ? undefined : foundWithLock.get(unit)
    if (unit !== undefined) foundWithLock.delete(unit)
    return found?.scope === scopeOf(partition, key) ? found.rows : undefined
  })

  return IdempotencyStore.of({
    exclusively: (partition, key, use) => storage.transaction(Effect.andThen(lock(partition, key), use)),

    find: Effect.fnUntraced(function* (partition, key) {
      const rows = (yield* takeFound(partition, key)) ?? (yield* lookUp(partition, key))
      return Option.fromUndefinedOr((yield* decodeRecords(rows))[0])
    }, failAs("IdempotencyStore.find")),

    record: Effect.fnUntraced(function* (partition, record) {
      yield* takeFound(partition, record.key)
      yield* hold(
        sql,
        "IdempotencyStore.record"
      )(sql`
        INSERT INTO idempotency_records (partition, key, fingerprint, status, body, sealed, expires_at)
        VALUES (${partition.key}, ${T.text(record.key)}, ${T.text(record.fingerprint)}, ${T.int(record.status)},
          ${T.text(record.body)}, ${record.sealed}, ${T.int(record.expiresAt)})
        ON CONFLICT (partition, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
          body = excluded.body, sealed = excluded.sealed, expires_at = excluded.expires_at`)
    }, failAs("IdempotencyStore.record")),

    sweep: Effect.fnUntraced(function* (now, limit) {
      const removed = yield* sql`
        DELETE FROM idempotency_records WHERE expires_at < ${T.int(now)} AND ctid = ANY(ARRAY(
          SELECT ctid FROM idempotency_records WHERE expires_at < ${T.int(now)}
          ORDER BY expires_at LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED))
        RETURNING 1`
      return removed.length
    }, failAs("IdempotencyStore.sweep"))
  })
}
