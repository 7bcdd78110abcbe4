/** Storage behind a real pgbouncer: whole in session mode, and refused by name where connections are shared. */
import { assert, describe, it } from "@effect/vitest"
import { Patience } from "@limbeck/core/storage/Patience"
import * as IdempotencyStoreContract from "@limbeck/testing/contracts/IdempotencyStoreContract"
import * as QueueContract from "@limbeck/testing/contracts/QueueContract"
import * as QueueTurnsContract from "@limbeck/testing/contracts/QueueTurnsContract"
import * as StorageContract from "@limbeck/testing/contracts/StorageContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as DatabaseProbe from "../src/DatabaseProbe.ts"
import * as BoundedClient from "../src/internal/connection/BoundedClient.ts"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import { migrate } from "../src/migrations/internal/Migrations.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"
import * as Pgbouncer from "./Pgbouncer.ts"

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

/** How many tables of ours a schema has. */
const tablesIn = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* client("public")
  const rows =
    yield* sql`SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = ${schema} AND tablename = 'resources'`
  const [{ count }] = yield* decodeCount(rows)
  return count
})

const session = Pgbouncer.open({ pool_mode: "session" })

const pooled = Layer.unwrap(
  Effect.gen(function* () {
    return StoragePostgres.layer({ url: yield* session, schema: yield* freshSchema })
  })
)

describe.skipIf(!Pgbouncer.hasPgbouncer())("a pooler", () => {
  for (const { suite } of [StorageContract, IdempotencyStoreContract, QueueContract, QueueTurnsContract]) {
    suite("Postgres behind pgbouncer in session mode", pooled)
  }

  it.live("in session mode leads to the tables that a direct connection has, and none are in public (P803)", () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      // Also with a pooler that drops unknown settings.
      const ignore_startup_parameters = "search_path,statement_timeout,jit"
      for (const settings of [{}, { ignore_startup_parameters }]) {
        const pooler = yield* Pgbouncer.open({ pool_mode: "session", ...settings })
        yield* Layer.build(StoragePostgres.layer({ url: pooler, schema }))
        assert.strictEqual(yield* tablesIn(schema), 1)
      }
      assert.strictEqual(yield* tablesIn("public"), 0)
    })
  )

  it.live("in session mode has the process of a late statement ended, and of no other (P803)", () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      const sql = yield* BoundedClient.make(clientConfig({ url: yield* session }, schema), () => performance.now())
      const other = yield* client(schema)
      const late = sql.withTransaction(sql`SELECT pg_sleep(600), ${schema}::text`)
      yield* Effect.flip(Effect.provideService(late, Patience, 200))
      const running = other`SELECT FROM pg_stat_activity WHERE query LIKE ${`%pg_sleep(600)%`} AND pid <> pg_backend_pid()`
      yield* Effect.repeat(running, { until: ({ length }) => length === 0 })
      assert.lengthOf(yield* sql`SELECT 1`, 1)
    }).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))
  )

  it.live("that shares connections between transactions is refused by name, and nothing is written (P803)", () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      for (const settings of [
        { pool_mode: "transaction" },
        { pool_mode: "transaction", server_round_robin: "1" },
        { pool_mode: "transaction", default_pool_size: "1" },
        { pool_mode: "statement" }
      ]) {
        const pooler = yield* Pgbouncer.open(settings)
        const connected = yield* Effect.flip(Layer.build(StoragePostgres.layer({ url: pooler, schema })))
        const seen = yield* Effect.flip(DatabaseProbe.look({ url: pooler, schema }))
        for (const { message } of [connected, seen]) assert.include(message, "pool_mode=session")
      }
      assert.strictEqual(yield* tablesIn(schema), 0)
      assert.strictEqual(yield* tablesIn("public"), 0)
    })
  )
})

it.live("a session without our schema in front makes no tables, in public or elsewhere (P803)", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const config = clientConfig({ url }, schema)
    const lost = { ...config, settings: { ...config.settings, search_path: "public" } }
    const error = yield* Effect.flip(migrate(lost, schema))
    assert.include(error.message, schema)
    assert.strictEqual(yield* tablesIn("public"), 0)
  })
)
