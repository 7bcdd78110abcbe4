/** Postgres's report of its own state, and the writes that reveal it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as BoundedClient from "../src/internal/connection/BoundedClient.ts"
import { clientConfig } from "../src/internal/connection/Connection.ts"
import * as HealthPostgres from "../src/internal/transactions/HealthPostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

/** Postgres's error for a file that cannot grow; the sessions under test find this function before the built-in one. */
const fullDisk = (schema: string) => `
  CREATE FUNCTION ${schema}.repeat(text, integer) RETURNS text LANGUAGE plpgsql VOLATILE
  AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$`

const refusedWrite = "DO $$ BEGIN RAISE EXCEPTION 'read-only' USING ERRCODE = 'read_only_sql_transaction'; END $$"

/** Health on a schema, by a clock that the test moves. */
const open = Effect.gen(function* () {
  const schema = yield* freshSchema
  const config = clientConfig({ url }, schema)
  const settings = { ...config.settings, search_path: `${schema}, pg_catalog` }
  const clock = { millis: 0 }
  const sql = yield* BoundedClient.make({ ...config, settings }, () => clock.millis).pipe(
    Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make)
  )
  const keeper = yield* client(schema)
  yield* keeper.unsafe(`CREATE SCHEMA ${schema}`)
  return { clock, health: HealthPostgres.make(sql), keeper, schema, sql }
})

it.live("a disk on which nobody writes is seen to be full, and to have room again (P225)", () =>
  Effect.gen(function* () {
    const { clock, health, keeper, schema } = yield* open
    assert.strictEqual(yield* health, "ok")
    yield* keeper.unsafe(fullDisk(schema))
    assert.strictEqual(yield* health, "ok", "it is not asked each time")
    clock.millis += 30_000
    assert.strictEqual(yield* health, "read_only")
    clock.millis += 60_000
    assert.strictEqual(yield* health, "read_only", "it is still full, however long nobody asked")
    yield* keeper.unsafe(`DROP FUNCTION ${schema}.repeat(text, integer)`)
    clock.millis += 1_000
    assert.strictEqual(yield* health, "ok")
  })
)

it.live("a refused write counts until it would be taken, a second later where it is (P225)", () =>
  Effect.gen(function* () {
    const { clock, health, sql } = yield* open
    assert.strictEqual(yield* health, "ok")
    yield* Effect.flip(sql.unsafe(refusedWrite))
    assert.strictEqual(yield* health, "read_only")
    clock.millis += 1_000
    assert.strictEqual(yield* health, "ok")
  })
)

it.live("the disk is asked by a sort that does not fit into its memory", () =>
  Effect.gen(function* () {
    const { sql } = yield* open
    const explained = sql.withTransaction(
      Effect.andThen(
        sql`SELECT set_config('work_mem', '64kB', true)`,
        sql.unsafe(`EXPLAIN (ANALYZE, COSTS OFF) ${HealthPostgres.sortOnDisk}`).unprepared
      )
    )
    const plan = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.String })))(
      yield* explained
    )
    assert.match(plan.map((line) => line["QUERY PLAN"]).join("\n"), /external merge\s+Disk/)
  })
)
