import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { schemaText } from "../src/migrations/Migrations.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

const Applied = Schema.Array(Schema.Struct({ name: Schema.String, created_at: Schema.Date }))

const applied = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* client(schema)
  return yield* Schema.decodeUnknownEffect(Applied)(
    yield* sql`SELECT name, created_at FROM migrations ORDER BY migration_id`
  )
})

it("schema.sql is what the migrations make", () => {
  assert.strictEqual(readFileSync(new URL("../schema.sql", import.meta.url), "utf8"), schemaText())
})

it.live("a schema that is new is left as it is by a second start", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    yield* Layer.build(StoragePostgres.layer({ url, schema }))
    const first = yield* applied(schema)
    yield* Layer.build(StoragePostgres.layer({ url, schema }))
    assert.deepStrictEqual(
      first.map(({ name }) => name),
      ["core", "webhooks", "distill", "webhook_lanes"]
    )
    assert.deepStrictEqual(yield* applied(schema), first)
  })
)

it.live("servers that start at once on an empty database all come up, and migrate it once", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const start = Layer.build(StoragePostgres.layer({ url, schema, maxConnections: 2 }))
    const started = yield* Effect.all(
      Array.from({ length: 6 }, () => start),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(started, (ports) => Context.get(ports, Storage).health)
    assert.strictEqual((yield* applied(schema)).length, 4)
  })
)

it.live("a database that is not there is a StorageError", () =>
  Effect.gen(function* () {
    const layer = StoragePostgres.layer({ host: "/nowhere", user: "postgres", database: "postgres" })
    const error = yield* Effect.flip(Layer.build(layer))
    assert.strictEqual(error._tag, "StorageError")
  })
)
