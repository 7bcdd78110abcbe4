/** Two storages on one schema, each with connections and doorbells of its own: what two processes are to the database. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

export const twoPools = Effect.gen(function* () {
  const schema = yield* freshSchema
  // A layer made twice is two layers, so nothing is shared.
  const one = yield* Layer.build(StoragePostgres.layer({ url, schema }))
  const two = yield* Layer.build(StoragePostgres.layer({ url, schema }))
  return { one, two, schema, sql: yield* client(schema) }
})
