/** What the database has of captured calls. */

import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Call = Schema.Struct({
  id: Schema.String,
  request: Schema.String,
  response: Schema.NullOr(Schema.String),
  outcome: Schema.String
})
const decodeCalls = Schema.decodeUnknownEffect(Schema.Array(Call))

/** A schema of its own, dropped at the end, and the calls in it. */
export const open = async (atEnd: AtEnd) => {
  const { schema, sql } = await Database.openSchema(atEnd)
  return {
    schema,
    all: () => Effect.runPromise(Effect.flatMap(sql`SELECT id, request, response, outcome FROM calls`, decodeCalls)),
    /** The call of each shadow result. */
    shadowed: () =>
      Effect.runPromise(
        Effect.map(sql<{ call: string }>`SELECT call FROM call_shadows`, (rows) => rows.map(({ call }) => call))
      ),
    /** The name of each feedback. */
    feedback: () =>
      Effect.runPromise(
        Effect.map(sql<{ name: string }>`SELECT name FROM call_feedback`, (rows) => rows.map(({ name }) => name))
      ),
    /** Everything that the schema holds, as text. */
    everything: () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const tables = yield* sql<{ name: string }>`
            SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ${schema}`
          const texts = yield* Effect.forEach(tables, ({ name }) =>
            Effect.map(sql<{ text: string }>`SELECT t::text AS text FROM ${sql(name)} t`, (rows) =>
              rows.map(({ text }) => text).join("\n")
            )
          )
          return texts.join("\n")
        })
      )
  }
}
