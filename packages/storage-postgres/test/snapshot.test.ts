import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Reactivity from "effect/reactivity/Reactivity"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import { WriteRefusals } from "../src/internal/connection/WriteRefusals.ts"
import * as IdempotencyStorePostgres from "../src/internal/idempotency/IdempotencyStorePostgres.ts"
import * as TransactionsPostgres from "../src/internal/transactions/TransactionsPostgres.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

const record = (key: string) => ({ key, fingerprint: "f", status: 201, body: "{}", sealed: false, expiresAt: 1 })

/** Sessions that find our functions before Postgres's own. */
const shadowing = Effect.fnUntraced(function* (schema: string) {
  const { settings, ...config } = clientConfig({ url }, schema)
  const startupParameters = { ...settings, search_path: `${schema}, pg_catalog` }
  return yield* PgClient.make({ ...config, startupParameters }).pipe(
    Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make)
  )
})

/** A transaction that asks for a lock waits here, between the snapshot of the statement and its lock: else that is a moment. */
const gate = 20_261_120

const gatedLock = (schema: string) => `
  CREATE FUNCTION ${schema}.pg_try_advisory_xact_lock(key bigint) RETURNS boolean LANGUAGE sql VOLATILE
  AS 'SELECT pg_catalog.pg_advisory_xact_lock_shared(${gate}); SELECT pg_catalog.pg_try_advisory_xact_lock(key)'`

it.live("what the holder before committed is seen also when it committed while the lock was being asked for", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const holder = Context.get(yield* Layer.build(StoragePostgres.layer({ url, schema })), IdempotencyStore)
    const keeper = yield* client(schema)
    yield* keeper.unsafe(gatedLock(schema))
    const sql = yield* shadowing(schema)
    const late = IdempotencyStorePostgres.make(
      sql,
      TransactionsPostgres.make(Object.assign(sql, { refusals: new WriteRefusals(() => 0) }), schema),
      schema
    )
    const partition = Fresh.partition()

    yield* keeper.unsafe(`SELECT pg_advisory_lock(${gate})`)
    const asking = yield* Effect.forkChild(late.exclusively(partition, "key", late.find(partition, "key")))
    const waiting = keeper.unsafe(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gate} AND NOT granted`
    )
    yield* Effect.repeat(waiting, { until: ({ length }) => length === 1 })
    yield* holder.exclusively(partition, "key", holder.record(partition, record("key")))
    yield* keeper.unsafe(`SELECT pg_advisory_unlock(${gate})`)
    assert.deepStrictEqual(yield* Fiber.join(asking), Option.some(record("key")))
  })
)
