/** LedgerStore on Postgres: a poster locks the row of a partition's accounts, and one statement posts. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type Balances, Entry, empty, Usage } from "@limbeck/billing/ledger/Entry"
import { after, usageKey } from "@limbeck/billing/ledger/LedgerRules"
import { AlreadyPosted, LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as PageConditions from "../statements/PageConditions.ts"

const decodeAccounts = Schema.decodeUnknownEffect(
  compileOnUse(
    Schema.Array(Schema.Struct({ funding: Schema.Int, available: Schema.Int, held: Schema.Int, spent: Schema.Int }))
  )
)
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(Entry))
const decodeUsage = Schema.decodeUnknownEffect(Schema.Array(Usage))

/** Merges rows of the same day and kind: a statement can change a row only once. */
const sumByDay = (usage: ReadonlyArray<Usage>): ReadonlyArray<Usage> => {
  const rows = new Map<string, Usage>()
  for (const row of usage) {
    const { micros = 0, quantity = 0 } = rows.get(usageKey(row)) ?? {}
    rows.set(usageKey(row), { ...row, micros: micros + row.micros, quantity: quantity + row.quantity })
  }
  return [...rows.values()]
}

export const make = (sql: PgClient.PgClient): LedgerStore["Service"] => {
  const accounts = sql.literal("funding, available, held, spent")
  const entry = sql.literal(
    `id, kind, from_account AS "from", to_account AS "to", micros, reference, created_at AS "createdAt"`
  )

  const locked = Effect.fnUntraced(function* (partition: Partition) {
    const rows = yield* sql`SELECT ${accounts} FROM ledger_accounts WHERE partition = ${partition.key} FOR UPDATE`
    return (yield* decodeAccounts(rows))[0]
  })

  const append = (partition: Partition, entries: ReadonlyArray<Entry>, usage: ReadonlyArray<Usage>) => {
    const moved: Balances = after(empty, entries)
    const rows = sumByDay(usage)
    return sql`
      WITH given AS (
        SELECT * FROM unnest(
          ${T.texts(entries.map(({ id }) => id))}, ${T.texts(entries.map(({ kind }) => kind))},
          ${T.texts(entries.map(({ reference }) => reference))}, ${T.texts(entries.map(({ from }) => from))},
          ${T.texts(entries.map(({ to }) => to))}, ${T.ints(entries.map(({ micros }) => micros))},
          ${T.ints(entries.map(({ createdAt }) => createdAt))}
        ) AS given (id, kind, reference, from_account, to_account, micros, created_at)
      ), known AS (
        SELECT FROM given JOIN ledger_entries USING (reference, kind) WHERE partition = ${partition.key}
        UNION ALL SELECT FROM given GROUP BY reference, kind HAVING count(*) > 1
      ), added AS (
        INSERT INTO ledger_entries (partition, id, kind, reference, from_account, to_account, micros, created_at)
        SELECT ${partition.key}, * FROM given WHERE NOT EXISTS (SELECT FROM known)
      ), used AS (
        INSERT INTO ledger_usage AS stored (partition, date, kind, quantity, micros)
        SELECT ${partition.key}, * FROM unnest(
          ${T.texts(rows.map(({ date }) => date))}, ${T.texts(rows.map(({ kind }) => kind))},
          ${T.floats(rows.map(({ quantity }) => quantity))}, ${T.ints(rows.map(({ micros }) => micros))})
        WHERE NOT EXISTS (SELECT FROM known)
        ON CONFLICT (partition, date, kind) DO UPDATE
          SET quantity = stored.quantity + excluded.quantity, micros = stored.micros + excluded.micros
      )
      UPDATE ledger_accounts SET funding = funding + ${T.int(moved.funding)},
        available = available + ${T.int(moved.available)}, held = held + ${T.int(moved.held)},
        spent = spent + ${T.int(moved.spent)}
      WHERE partition = ${partition.key} AND NOT EXISTS (SELECT FROM known)
      RETURNING 1`
  }

  return LedgerStore.of({
    lock: Effect.fnUntraced(function* (partition) {
      const found = yield* locked(partition)
      if (found !== undefined) return found
      yield* sql`INSERT INTO ledger_accounts (partition) VALUES (${partition.key}) ON CONFLICT DO NOTHING`
      return (yield* locked(partition)) ?? empty
    }, failAs("LedgerStore.lock")),

    balances: Effect.fnUntraced(function* (partition) {
      const rows = yield* sql`SELECT ${accounts} FROM ledger_accounts WHERE partition = ${partition.key}`
      return (yield* decodeAccounts(rows))[0] ?? empty
    }, failAs("LedgerStore.balances")),

    find: Effect.fnUntraced(function* (partition, kind, reference) {
      const rows = yield* sql`
        SELECT ${entry} FROM ledger_entries
        WHERE partition = ${partition.key} AND reference = ${T.text(reference)} AND kind = ${T.text(kind)}`
      return Option.fromUndefinedOr((yield* decodeEntries(rows))[0])
    }, failAs("LedgerStore.find")),

    append: Effect.fnUntraced(function* (partition, entries, usage) {
      const posted = yield* append(partition, entries, usage)
      if (posted.length === 0) return yield* new AlreadyPosted({ kinds: entries.map(({ kind }) => kind) })
    }, failAs("LedgerStore.append")),

    page: Effect.fnUntraced(function* (partition, request) {
      const rows = yield* sql`
        SELECT ${entry} FROM ledger_entries
        WHERE ${sql.and([sql`partition = ${partition.key}`, ...PageConditions.of(sql, request)])}
        ORDER BY id DESC LIMIT ${T.few(sql, request.limit + 1)}`
      return Page.fromRows(yield* decodeEntries(rows), request.limit)
    }, failAs("LedgerStore.page")),

    usage: Effect.fnUntraced(function* (partition, { after, limit }) {
      const [date = "", kind = ""] = (after ?? `${T.lastText}/`).split("/")
      const rows = yield* sql`
        SELECT date, kind, quantity, micros FROM ledger_usage
        WHERE partition = ${partition.key} AND (date, kind) < (${T.text(date)}, ${T.text(kind)})
        ORDER BY date DESC, kind DESC LIMIT ${T.int(limit + 1)}`
      return Page.fromRows(yield* decodeUsage(rows), limit)
    }, failAs("LedgerStore.usage"))
  })
}
