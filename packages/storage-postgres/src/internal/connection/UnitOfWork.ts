/**
 * The connection of one of our transactions. A statement that needs its result is sent at once; a write without a result is
 * held, and leaves in one packet with the next statement:
 *
 *     said by the stores      sent                            round trips
 *     SELECT                  BEGIN, SELECT                   1
 *     INSERT, held            –
 *     INSERT, held            –
 *     UPDATE … RETURNING      INSERT, INSERT, UPDATE          2
 *     INSERT, held            –
 *     the end                 INSERT, COMMIT                  3
 *
 * Invariants; the first is checked at each held write and after each COMMIT:
 *  1. Statements leave in the order of their calls, all of them before COMMIT; ROLLBACK drops held writes.
 *  2. Only SELECT may share a packet with BEGIN. If BEGIN were refused, the rest of its packet would still run, each
 *     statement as its own transaction.
 *  3. The failure of a held write names that write. After such a failure only ROLLBACK is sent.
 *  4. A packet ends when every statement in it has a response, even without a waiting caller. After a late packet nothing
 *     is sent.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as Invariant from "@limbeck/core/errors/Invariant"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { boundPatience, failure, type LateFiber } from "./Bounded.ts"
import { ofHeldWrite } from "./PostgresError.ts"

/** A statement with its parameters. */
export type SqlStatement = readonly [sql: string, values: ReadonlyArray<unknown>]

interface QueuedStatement {
  readonly ask: Effect.Effect<unknown, SqlError>
  /** Of a held write: whose it is. */
  readonly operation?: string
}

type StatementFiber = Fiber.Fiber<unknown, SqlError>

/** A transaction with more held writes sends some early, which bounds the memory of held writes. */
const heldMax = 64

/** What changes nothing where BEGIN was refused: locks and snapshots end with the statement. */
const isSelect = ([sql]: SqlStatement): boolean => /^\s*SELECT\b/.test(sql)

const isRefused = (sent: StatementFiber): boolean => {
  const exit = sent.pollUnsafe()
  return exit !== undefined && Exit.isFailure(exit)
}

export class UnitOfWork implements Connection {
  /** Reserved until the transaction ends. Statements issued in one turn of the event loop leave in one packet. */
  readonly wire: PgConnection
  readonly #hear: (error: unknown) => Effect.Effect<void>
  #held: Array<QueuedStatement> = []
  #begin: StatementFiber | undefined
  #isBegun = false
  #failure: SqlError | undefined
  /** Undefined: the transaction has ended. */
  #following: Array<Effect.Effect<void>> | undefined = []
  late: LateFiber | undefined

  /** `hear` receives each packet's failure. */
  constructor(wire: PgConnection, hear: (error: unknown) => Effect.Effect<void>) {
    this.wire = wire
    this.#hear = hear
  }

  /**
   * Never prepared: the driver resends a prepared statement that the server has lost, and the rest of the packet would have
   * run without it.
   */
  #beginOnce(): StatementFiber {
    this.#begin ??= Effect.runFork(this.wire.query("BEGIN", [], false))
    return this.#begin
  }

  /** An unencodable value fails at once; nothing may be sent after it. */
  #send(statements: ReadonlyArray<QueuedStatement>): ReadonlyArray<StatementFiber> {
    const sent: Array<StatementFiber> = []
    for (const { ask } of statements) {
      sent.push(Effect.runFork(ask))
      if (sent.some(isRefused)) break
    }
    return sent
  }

  /** The first failure of a packet: those after it are only its consequences. */
  #firstFailure(statements: ReadonlyArray<QueuedStatement>, exits: ReadonlyArray<Exit.Exit<unknown, SqlError>>) {
    const place = exits.findIndex(Exit.isFailure)
    const operation = statements[place]?.operation
    const exit = exits[place]
    if (exit === undefined || operation === undefined) return exit
    return Effect.mapError(exit, (error) => {
      this.#failure = ofHeldWrite(operation, error)
      return this.#failure
    })
  }

  /** Sends what is held, and then these. Returns the answers to these. */
  #packet(
    asked: ReadonlyArray<QueuedStatement>,
    mayFollowBegin: boolean
  ): Effect.Effect<ReadonlyArray<unknown>, SqlError> {
    return Effect.suspend(() => {
      if (this.#failure !== undefined) return Effect.fail(this.#failure)
      const begin = this.#beginOnce()
      const isReady = this.#isBegun || (mayFollowBegin && this.#held.length === 0)
      const statements = isReady ? [...this.#held.splice(0), ...asked] : []
      const answered = Effect.gen({ self: this }, function* () {
        const [begun, ...exits] = yield* Fiber.awaitAll([begin, ...this.#send(statements)])
        yield* begun ?? Effect.void
        this.#isBegun = true
        yield* this.#firstFailure(statements, exits) ?? Effect.void
        return exits.slice(-asked.length).map((exit) => (Exit.isSuccess(exit) ? exit.value : undefined))
      })
      return isReady ? answered : Effect.andThen(answered, this.#packet(asked, true))
    })
  }

  #run(asked: ReadonlyArray<QueuedStatement>, mayFollowBegin: boolean) {
    return Effect.suspend(() =>
      this.late === undefined
        ? boundPatience(
            Effect.tapError(Effect.uninterruptible(this.#packet(asked, mayFollowBegin)), this.#hear),
            (running) => {
              this.late = running
            }
          )
        : Effect.fail(failure("An earlier statement of this transaction got no answer"))
    )
  }

  /** A write whose result nobody needs, issued by `operation`. */
  hold([sql, values]: SqlStatement, operation: string): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      if (this.#following === undefined) {
        return Invariant.check("UnitOfWork", "1: a write came after the end of its transaction", { operation })
      }
      const write = { ask: this.wire.query(sql, values), operation }
      if (this.#held.length >= heldMax) return Effect.asVoid(this.#run([write], false))
      this.#beginOnce()
      this.#held.push(write)
      return Effect.void
    })
  }

  /** The rows of several reads after one round trip; each read sees all commits before its turn. */
  together(reads: ReadonlyArray<SqlStatement>): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError> {
    const asked = reads.map(([sql, values]) => ({ ask: Effect.map(this.wire.query(sql, values), ({ rows }) => rows) }))
    // Each was asked for its rows.
    return this.#run(asked, reads.every(isSelect)) as Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>
  }

  #one<A>(said: SqlStatement, ask: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> {
    // The answer to what was asked.
    return Effect.map(this.#run([{ ask }], isSelect(said)), ([answer]) => answer as A)
  }

  #rows(sql: string, values: ReadonlyArray<unknown>, prepare = true): Effect.Effect<ReadonlyArray<unknown>, SqlError> {
    return this.#one(
      [sql, values],
      Effect.map(this.wire.query(sql, values, prepare), ({ rows }) => rows)
    )
  }

  execute(sql: string, values: ReadonlyArray<unknown>) {
    return this.#rows(sql, values)
  }

  executeUnprepared(sql: string, values: ReadonlyArray<unknown>) {
    return this.#rows(sql, values, false)
  }

  executeRaw(sql: string, values: ReadonlyArray<unknown>) {
    return this.#one([sql, values], this.wire.query(sql, values))
  }

  executeValues(sql: string, values: ReadonlyArray<unknown>) {
    return this.#one([sql, values], this.wire.queryValues(sql, values))
  }

  executeValuesUnprepared(sql: string, values: ReadonlyArray<unknown>) {
    return this.#one([sql, values], this.wire.queryValues(sql, values, false))
  }

  executeStream(sql: string, values: ReadonlyArray<unknown>) {
    return Stream.fromIterableEffect(this.#rows(sql, values))
  }

  get #mistake(): string | null {
    return this.#held.length === 0 ? null : "1: a held write did not leave before COMMIT"
  }

  /** Sends the held writes followed by COMMIT; ends the transaction even on failure. */
  get commit(): Effect.Effect<void, SqlError> {
    const committed = Effect.flatMap(this.#one(["COMMIT", []], this.wire.query("COMMIT")), ({ command }) =>
      // Postgres answers a commit of a failed transaction with a rollback, and no error.
      command === "ROLLBACK"
        ? Effect.fail(failure("COMMIT rolled back a transaction that had failed"))
        : Invariant.check("UnitOfWork", this.#mistake, { held: this.#held.map(({ operation }) => operation) })
    )
    // A transaction without statements never began.
    return Effect.suspend(() =>
      this.#begin === undefined ? Effect.void : Effect.tapError(committed, () => this.rollback)
    )
  }

  /** A connection that is lost cannot roll back, and need not: the server does. */
  get rollback(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#held = []
      this.#following = undefined
      this.#failure = undefined
      return this.#begin === undefined ? Effect.void : Effect.ignore(this.#rows("ROLLBACK", []))
    })
  }

  /** To be run once the transaction has committed. */
  afterCommit(effect: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#following === undefined) return Effect.die(new Error("The transaction has ended already"))
      this.#following.push(effect)
      return Effect.void
    })
  }

  /** Returns what is to follow the commit. */
  end(): ReadonlyArray<Effect.Effect<void>> {
    const following = this.#following ?? []
    this.#following = undefined
    return following
  }
}
