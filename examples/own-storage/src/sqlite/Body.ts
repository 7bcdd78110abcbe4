/** Values kept as JSON in a `body` column, which holds every JavaScript string. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Connection } from "./Connection.ts"
import type { Sql } from "./Sql.ts"

export class Body<A> {
  /** What the column holds, as JSON. */
  readonly json: Schema.Codec<A, string>
  readonly encode: (value: A) => string
  readonly #row: Schema.Codec<{ readonly body: A }, unknown>

  constructor(schema: Schema.Codec<A, unknown>) {
    this.json = Schema.fromJsonString(schema)
    this.encode = Schema.encodeSync(this.json)
    this.#row = Schema.Struct({ body: this.json })
  }

  all(connection: Connection, query: Sql): ReadonlyArray<A> {
    return connection.all(this.#row, query).map(({ body }) => body)
  }

  first(connection: Connection, query: Sql): Option.Option<A> {
    return Option.map(Option.fromUndefinedOr(connection.first(this.#row, query)), ({ body }) => body)
  }
}
