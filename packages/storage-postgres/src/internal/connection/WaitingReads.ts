/**
 * Reads requested but not yet sent. Identical reads are merged, and every caller gets the rows: a merged read is sent after
 * its last caller has joined.
 */
import { isParameter } from "@effect/sql-pg/PgTypes"
import type * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import type { SqlStatement } from "./UnitOfWork.ts"

export type Rows = ReadonlyArray<unknown>

/** A caller that waits for a read's rows. */
export interface Asker {
  readonly answer: (rows: Exit.Exit<Rows, SqlError>) => void
  /** It waits no more. */
  isOver: boolean
}

export interface SharedRead {
  readonly said: SqlStatement
  readonly askers: Array<Asker>
  /** Gives up the packet that carries the read. */
  giveUp: () => void
}

export const answer = ({ askers }: SharedRead, rows: Exit.Exit<Rows, SqlError>): void => {
  for (const asker of askers) asker.answer(rows)
}

const isAwaited = ({ askers }: SharedRead): boolean => askers.some(({ isOver }) => !isOver)

/** JSON has no bigint. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)

/** The same for reads that ask the same, and for no others: a parameter's type tells a number from its text. */
const keyOf = ([sql, values]: SqlStatement): string =>
  JSON.stringify([sql, ...values.map((value) => (isParameter(value) ? [value.oid, plain(value.value)] : plain(value)))])

export class WaitingReads {
  /** In the order of their first request. */
  readonly #reads = new Map<string, SharedRead>()

  get isEmpty(): boolean {
    return this.#reads.size === 0
  }

  add(said: SqlStatement, asker: Asker): SharedRead {
    const key = keyOf(said)
    const read = this.#reads.get(key) ?? { said, askers: [], giveUp: () => {} }
    read.askers.push(asker)
    this.#reads.set(key, read)
    return read
  }

  /** Removes up to `max` reads, which accept no further callers. Skips reads without a waiting caller. */
  take(max: number): ReadonlyArray<SharedRead> {
    const taken: Array<SharedRead> = []
    for (const [key, read] of this.#reads) {
      if (taken.length === max) break
      this.#reads.delete(key)
      if (isAwaited(read)) taken.push(read)
    }
    return taken
  }
}
