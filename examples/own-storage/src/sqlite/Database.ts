/**
 * A database file with one writing and one reading connection. SQLite allows one writer at a time, so this process's
 * transactions take turns here, and wait for other processes' at BEGIN. Readers see the last commit without waiting.
 *
 *     write, transaction ──► turn ──► writer: BEGIN IMMEDIATE … COMMIT
 *     read, inside one   ───────────► writer: sees what it has written
 *     read, outside      ───────────► reader: sees the last commit
 *
 * An operation is synchronous: no other operation runs between its statements.
 */
import { StorageError } from "@limbeck/core/errors/Errors"
import { Patience } from "@limbeck/core/storage/Patience"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Connection } from "./Connection.ts"
import { attempt, isBusy, isWriteRefusal } from "./Failures.ts"

/** Milliseconds between two looks at whether another process has ended its transaction. */
const busyPause = 5

class Transaction {
  state: "open" | "committed" | "rolled back" = "open"
  readonly afterCommit: Array<Effect.Effect<void>> = []
  readonly atEnd: Array<() => void> = []
}

/** The transactions that enclose the running fiber, by database. */
const Surrounding = Context.Reference<ReadonlyMap<Database, Transaction>>("own-storage/Surrounding", {
  defaultValue: () => new Map()
})

export class Database {
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #turn = Semaphore.makeUnsafe(1)
  /** When SQLite last refused a write because of the file or its disk, in milliseconds since 1970. */
  refusedAt = Number.NEGATIVE_INFINITY

  private constructor(writer: Connection, reader: Connection) {
    this.#writer = writer
    this.#reader = reader
  }

  /** Opens or creates the file. `synchronous`: FULL keeps every commit through a power cut. */
  static open(options: {
    readonly file: string
    readonly tables: string
    readonly synchronous: "FULL" | "OFF"
  }): Effect.Effect<Database, StorageError, Scope.Scope> {
    const connect = Effect.acquireRelease(
      attempt("Storage.open", () => new Connection(options.file)),
      (connection) => Effect.sync(() => connection.close())
    )
    return Effect.gen(function* () {
      const [writer, reader] = [yield* connect, yield* connect]
      yield* attempt("Storage.open", () => {
        writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous}; ${options.tables}`)
        // Others are waited for by this process's fibers, and not by its only thread.
        writer.exec("PRAGMA busy_timeout = 0")
        reader.exec("PRAGMA query_only = TRUE")
      })
      return new Database(writer, reader)
    })
  }

  /** Reads one state of the database: inside a transaction its own, else that of the last commit. */
  read<A>(operation: string, work: (connection: Connection) => A): Effect.Effect<A, StorageError> {
    return Effect.flatMap(this.#surrounding, (open) =>
      attempt(operation, () =>
        open === undefined
          ? enclosed(this.#reader, { begin: "BEGIN", end: "COMMIT", undo: "ROLLBACK" }, work)
          : work(this.#writer)
      )
    )
  }

  /**
   * Writes atomically: inside the surrounding transaction, which may continue after a failure, or in a transaction of its
   * own.
   */
  write<A>(operation: string, work: (connection: Connection) => A): Effect.Effect<A, StorageError> {
    const written = Effect.flatMap(this.#surrounding, (open) =>
      open === undefined
        ? this.#turn.withPermit(
            patiently(
              attempt(operation, () =>
                enclosed(this.#writer, { begin: "BEGIN IMMEDIATE", end: "COMMIT", undo: "ROLLBACK" }, work)
              )
            )
          )
        : this.#inside(operation, work)
    )
    return Effect.tapError(written, this.#noteRefusal)
  }

  /** Joins the surrounding transaction, or begins one. */
  transaction<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> {
    return Effect.flatMap(Surrounding, (all) => (this.#openIn(all) === undefined ? this.#begin(self, all) : self))
  }

  /** Runs `effect` after the surrounding commit, never after a rollback; at once outside of a transaction. */
  afterCommit(effect: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.flatMap(this.#surrounding, (open) =>
      open === undefined ? effect : Effect.sync(() => void open.afterCommit.push(effect))
    )
  }

  /** Runs `finalizer` when the surrounding transaction ends, either way; at once outside of a transaction. */
  atEnd(finalizer: () => void): Effect.Effect<void> {
    return Effect.map(this.#surrounding, (open) => (open === undefined ? finalizer() : void open.atEnd.push(finalizer)))
  }

  /** A fiber that outlives its transaction is outside it. */
  #openIn(all: ReadonlyMap<Database, Transaction>): Transaction | undefined {
    const transaction = all.get(this)
    return transaction?.state === "open" ? transaction : undefined
  }

  readonly #surrounding = Effect.map(Surrounding, (all) => this.#openIn(all))

  readonly #noteRefusal = (error: StorageError) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (isWriteRefusal(error)) this.refusedAt = now
    })

  #inside<A>(operation: string, work: (connection: Connection) => A): Effect.Effect<A, StorageError> {
    return Effect.suspend(() =>
      this.#writer.isInTransaction
        ? attempt(operation, () =>
            enclosed(
              this.#writer,
              {
                begin: "SAVEPOINT operation",
                end: "RELEASE operation",
                undo: "ROLLBACK TO operation; RELEASE operation"
              },
              work
            )
          )
        : Effect.fail(new StorageError({ operation, cause: new Error("SQLite has rolled the transaction back") }))
    )
  }

  #begin<A, E, R>(self: Effect.Effect<A, E, R>, all: ReadonlyMap<Database, Transaction>) {
    return Effect.suspend(() => {
      const transaction = new Transaction()
      const inside = Effect.provideService(self, Surrounding, new Map(all).set(this, transaction))
      const begin = patiently(attempt("Storage.transaction", () => this.#writer.exec("BEGIN IMMEDIATE")))
      const whole = Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.andThen(begin, Effect.exit(restore(inside))), (exit) =>
          Effect.andThen(this.#end(transaction, Exit.isSuccess(exit)), exit)
        )
      )
      // Outside of the turn, because it may use the database; and also when the caller was interrupted after the commit.
      const follow = Effect.suspend(() =>
        transaction.state === "committed" ? runAll(transaction.afterCommit) : Effect.void
      )
      return Effect.ensuring(this.#turn.withPermit(whole), follow)
    })
  }

  #end(transaction: Transaction, commits: boolean): Effect.Effect<void, StorageError> {
    return attempt("Storage.transaction", () => {
      transaction.state = "rolled back"
      try {
        if (!commits) return
        this.#writer.exec("COMMIT")
        transaction.state = "committed"
      } finally {
        if (this.#writer.isInTransaction) this.#writer.exec("ROLLBACK")
        for (const finalizer of transaction.atEnd) finalizer()
      }
    })
  }
}

/** One step of this process: nothing runs between `begin` and `end`. */
const enclosed = <A>(
  connection: Connection,
  { begin, end, undo }: { readonly begin: string; readonly end: string; readonly undo: string },
  work: (connection: Connection) => A
): A => {
  connection.exec(begin)
  try {
    const result = work(connection)
    connection.exec(end)
    return result
  } catch (cause) {
    if (connection.isInTransaction) connection.exec(undo)
    throw cause
  }
}

/** Waits for other processes' transactions within the caller's patience. */
const patiently = <A>(begin: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
  Effect.flatMap(Patience, (millis) =>
    Effect.retry(begin, { while: isBusy, times: Math.ceil(millis / busyPause), schedule: Schedule.spaced(busyPause) })
  )

/** An after-commit effect cannot undo the commit: a defect is logged, and the others still run. */
const runAll = (effects: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.forEach(
    effects,
    (effect) => Effect.catchCause(effect, (cause) => Effect.logError("after_commit_failed", cause)),
    { discard: true }
  )
