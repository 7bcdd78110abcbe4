/** A connection: statements prepared once, and rows decoded on reading. */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import * as Schema from "effect/Schema"
import type { Sql } from "./Sql.ts"

/** How long SQLite waits, in milliseconds, for a lock that another process holds. Nothing else happens in this process meanwhile. */
const lockMillis = 5_000

const Changes = Schema.Struct({ changes: Schema.Int })

export class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: lockMillis })
  }

  /** Whether a transaction is open: SQLite ends one by itself when, for instance, the disk is full. */
  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  exec(text: string): void {
    this.#database.exec(text)
  }

  all<A>(row: Schema.Codec<A, unknown>, query: Sql): ReadonlyArray<A> {
    const decode = Schema.decodeUnknownSync(row)
    return this.#prepare(query)
      .all(...query.values)
      .map((found) => decode(found))
  }

  first<A>(row: Schema.Codec<A, unknown>, query: Sql): A | undefined {
    const found = this.#prepare(query).get(...query.values)
    return found === undefined ? undefined : Schema.decodeUnknownSync(row)(found)
  }

  /** One by one: whoever stops reading has not read the rest. */
  *each<A>(row: Schema.Codec<A, unknown>, query: Sql): Generator<A> {
    const decode = Schema.decodeUnknownSync(row)
    for (const found of this.#prepare(query).iterate(...query.values)) yield decode(found)
  }

  /** Returns the number of written or removed rows, without those removed by a foreign key. */
  run(statement: Sql): number {
    return Schema.decodeUnknownSync(Changes)(this.#prepare(statement).run(...statement.values)).changes
  }

  close(): void {
    this.#database.close()
  }

  #prepare({ text }: Sql): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const prepared = this.#database.prepare(text)
    this.#statements.set(text, prepared)
    return prepared
  }
}
