/**
 * A host's transaction on storage in memory, by the statements of node-postgres: the code of a host that begins, publishes and commits
 * on its own `pg` client runs without a database, too.
 */
import type { HostClient as Client } from "@limbeck/core/storage/HostTransaction"
import * as Effect from "effect/Effect"
import * as HostTransactions from "./internal/database/HostTransactions.ts"

/** Executes the host's own statements, such as `INSERT INTO orders`. The host undoes its own writes. */
export type HostStatements = (
  statement: string,
  values: ReadonlyArray<unknown>
) => { readonly rows: ReadonlyArray<unknown> } | Promise<{ readonly rows: ReadonlyArray<unknown> }>

const refused: HostStatements = (statement) => {
  throw new Error(
    `Storage in memory has no tables of its host's; it takes BEGIN, COMMIT and ROLLBACK, not ${statement}`
  )
}

const begins = /^\s*(?:begin|start\s+transaction)\b/i
const commits = /^\s*(?:commit|end)\b/i
const rollsBack = /^\s*(?:rollback|abort)\b/i

/**
 * Replaces a node-postgres client in `publish(event, { transaction: client })`. The `COMMIT` stores events published since
 * `BEGIN`; a `ROLLBACK` discards them.
 *
 * @example
 * const client = pool === undefined ? new HostClient() : await pool.connect()
 * await client.query("BEGIN")
 * await webhooks.events.publish({ type: "order.paid", object: order }, { transaction: client })
 * await client.query("COMMIT")
 * client.release()
 */
export class HostClient implements Client {
  readonly #statements: HostStatements

  constructor(statements: HostStatements = refused) {
    this.#statements = statements
  }

  /** Also for statements of this library, which sends none to a client of this kind. */
  async query(
    statement: string | { readonly text: string },
    values: ReadonlyArray<unknown> = []
  ): Promise<{ readonly rows: ReadonlyArray<unknown> }> {
    const text = typeof statement === "string" ? statement : statement.text
    if (begins.test(text)) HostTransactions.begin(this)
    else if (commits.test(text)) await Effect.runPromise(HostTransactions.commit(this))
    else if (rollsBack.test(text)) HostTransactions.rollBack(this)
    else return this.#statements(text, values)
    return { rows: [] }
  }

  /** Like a pooled client's `release`. Rolls an open transaction back. */
  release(): void {
    HostTransactions.rollBack(this)
  }
}
