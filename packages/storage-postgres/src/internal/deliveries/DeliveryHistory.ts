/**
 * Keeps the history of deliveries in ranges of time, so that expired history is dropped by the table instead of row by row.
 * Every change of a table is a short transaction of its own that gives up rather than queue other sessions behind it.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as Tallies from "./DeliveryTallies.ts"
import { type Bounds, floorAt, type MissingRange, missingAt } from "./HistoryRanges.ts"

/** How long traffic may stand behind a change that itself waits for somebody. */
const lockTimeout = "100ms"
/** The same while the default table, which holds few rows if any, is looked through: 25 million in this time. */
const attachTimeout = "5s"
/** Rows of the default table deleted at once. */
const deleteBatch = 1_000

const tables = ["deliveries", "attempts"] as const
type Table = (typeof tables)[number]

interface Range extends Bounds {
  readonly name: string
}

const decodeRanges = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ name: Schema.String, from: Schema.String, to: Schema.String }))
)
const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeAnswer = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ answer: Schema.Boolean })]))

/** Errors that mean contention: another session holds the table, or just wrote a row into the range. */
const inTheWay = ["LockTimeoutError", "StatementTimeoutError", "DeadlockError", "ConstraintError"]

const isInTheWay = (error: unknown): boolean => isSqlError(error) && inTheWay.includes(error.reason._tag)

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small changes to tables, from the top; `change` makes each a transaction
export const make = (sql: PgClient.PgClient): Pick<DeliveryStore["Service"], "keepHistory"> => {
  const ask = (condition: Fragment) =>
    Effect.map(Effect.flatMap(sql`SELECT ${condition} AS answer`, decodeAnswer), ([{ answer }]) => answer)

  const run = (statement: string) => sql.unsafe(statement).unprepared

  /**
   * Runs in a transaction of its own, on one server at a time: another server may have made the change already. Tries
   * twice; false: skipped for now because of contention.
   */
  const change = <E>(self: Effect.Effect<unknown, E>) => {
    const attempt = Effect.gen(function* () {
      const isOurTurn = yield* ask(
        sql`pg_try_advisory_xact_lock(hashtextextended('limbeck.history.' || current_schema(), 0))`
      )
      if (!isOurTurn) return false
      yield* run(`SET LOCAL lock_timeout = '${lockTimeout}'`)
      yield* self
      return true
    }).pipe(
      sql.withTransaction,
      Effect.catchIf(isInTheWay, () => Effect.succeed(false))
    )
    return Effect.flatMap(attempt, (isDone) => (isDone ? Effect.succeed(true) : attempt))
  }

  /** One after the other, continuing after a skipped one. */
  const changeAll = <A, E, R>(items: ReadonlyArray<A>, of: (item: A) => Effect.Effect<boolean, E, R>) =>
    Effect.map(Effect.forEach(items, of), (done) => done.every((isDone) => isDone))

  /**
   * `pg_get_expr` is null for a table that another session has dropped since the snapshot. MATERIALIZED evaluates it once: a
   * second evaluation could be null where the first was not.
   */
  const rangesOf = (table: Table) =>
    Effect.flatMap(
      sql`
        WITH parts AS MATERIALIZED (
          SELECT part.relname::text AS name, pg_get_expr(part.relpartbound, part.oid) AS bounds
          FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
          WHERE inhparent = to_regclass(${T.text(table)})
        )
        SELECT name, coalesce((regexp_match(bounds, 'FROM [(]''([^'']+)'))[1], '') AS "from",
          (regexp_match(bounds, 'TO [(]''([^'']+)'))[1] AS "to"
        FROM parts WHERE bounds <> 'DEFAULT'`,
      decodeRanges
    )

  /**
   * Made apart and then attached: made in its place, it would lock out all who read any range. Writers wait a moment: who
   * has already been sent to the default table when the range is attached would be refused there.
   */
  const addRange = Effect.fnUntraced(function* (table: Table, { starts, suffix, to }: MissingRange) {
    yield* run(`LOCK TABLE ONLY ${table} IN SHARE ROW EXCLUSIVE MODE`)
    const key = sql(table === "deliveries" ? "id" : "delivery_id")
    const rowsOfDefault = sql(`${table}_default`)
    const [from] = yield* Effect.filter(starts, (start) =>
      ask(sql`NOT EXISTS (SELECT FROM ${rowsOfDefault} WHERE ${key} >= ${T.text(start)} AND ${key} < ${T.text(to)})`)
    )
    // If earlier rows block every start of the range, the default table keeps the rows of that time.
    if (from === undefined) return
    const name = `${table}_${suffix}`
    yield* run(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
    yield* run(`SET LOCAL statement_timeout = '${attachTimeout}'`)
    yield* run(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`)
  })

  const makeRanges = Effect.fnUntraced(function* (table: Table, now: Millis) {
    const missing = Effect.map(rangesOf(table), (ranges) => missingAt(now, ranges))
    return yield* changeAll(yield* missing, ({ suffix }) =>
      change(
        Effect.flatMap(missing, (wanted) =>
          Effect.forEach(
            wanted.filter((one) => one.suffix === suffix),
            (one) => addRange(table, one)
          )
        )
      )
    )
  })

  const nothingWaits = ({ from, to }: Bounds) =>
    ask(sql`NOT EXISTS (SELECT FROM deliveries_due WHERE id >= ${T.text(from)} AND id < ${T.text(to)})`)

  /** Detaches the range; `throwAway` later drops its many rows, when no session waits behind the table. */
  const takeOut = Effect.fnUntraced(function* (table: Table, range: Range) {
    const ranges = yield* rangesOf(table)
    if (!ranges.some(({ name }) => name === range.name)) return
    // A transaction that revives one of its dead letters holds a lock until its commit: after this lock, no more revivals
    // can appear.
    yield* run(`LOCK TABLE ONLY ${table}, ${range.name} IN ACCESS EXCLUSIVE MODE`)
    if (!(yield* nothingWaits(range))) return
    yield* run(`ALTER TABLE ${table} DETACH PARTITION ${range.name}`)
    yield* run(`ALTER TABLE ${range.name} RENAME TO dropped_${range.name}`)
  })

  const takeOutRanges = Effect.fnUntraced(function* (table: Table, before: string) {
    const old = (yield* rangesOf(table)).filter(({ to }) => to <= before)
    return yield* changeAll(yield* Effect.filter(old, nothingWaits), (range) => change(takeOut(table, range)))
  })

  /** Its dead letters are no longer counted. */
  const throwOut = Effect.fnUntraced(function* (name: string) {
    if (yield* ask(sql`to_regclass(${T.text(name)}) IS NULL`)) return
    const dead = Tallies.deadOf(`${name} WHERE status = 'dead_lettered'`, "gone")
    if (name.startsWith("dropped_deliveries")) yield* run(Tallies.add(dead))
    yield* run(`DROP TABLE ${name}`)
  })

  /** Also drops tables detached by a server that died before dropping them. */
  const throwAway = Effect.gen(function* () {
    const rows = yield* sql`SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ^@ 'dropped_'`
    return yield* changeAll(yield* decodeNames(rows), ({ name }) => change(throwOut(name)))
  })

  const deleteAll = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError>) =>
    Effect.repeat(rows, { while: ({ length }) => length > 0 })

  /** Deletes rows outside all ranges one by one: final deliveries, and attempts of removed deliveries. */
  const clearDefaults = Effect.fnUntraced(function* (before: string) {
    yield* deleteAll(sql`
      WITH gone AS (
        DELETE FROM deliveries_default WHERE due_at IS NULL AND id = ANY(ARRAY(
          SELECT id FROM deliveries_default WHERE due_at IS NULL AND id < ${T.text(before)}
          ORDER BY id LIMIT ${T.int(deleteBatch)}))
        RETURNING partition, endpoint_id, status
      ), told AS (${sql.literal(Tallies.add(Tallies.deadOf("gone WHERE status = 'dead_lettered'", "gone")))})
      SELECT 1 AS deleted FROM gone`)
    yield* deleteAll(sql`
      DELETE FROM attempts_default WHERE (partition, delivery_id) IN (
        SELECT partition, delivery_id FROM attempts_default orphan
        WHERE delivery_id < ${T.text(before)} AND NOT EXISTS (
          SELECT FROM deliveries d
          WHERE d.id = orphan.delivery_id AND d.id < ${T.text(before)} AND d.partition = orphan.partition)
        LIMIT ${T.int(deleteBatch)})
      RETURNING 1 AS deleted`)
  })

  return {
    keepHistory: Effect.fnUntraced(function* ({ now, since }) {
      const before = floorAt(since)
      yield* clearDefaults(before)
      yield* Effect.forEach(Tallies.removeOld(sql, now), (remove) => remove, { discard: true })
      const isOldOut = yield* changeAll(tables, (table) => takeOutRanges(table, before))
      const isThrownAway = yield* throwAway
      const isNewThere = yield* changeAll(tables, (table) => makeRanges(table, now))
      return isOldOut && isThrownAway && isNewThere
    }, failAs("DeliveryStore.keepHistory"))
  }
}
