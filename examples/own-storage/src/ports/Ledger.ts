/** LedgerStore: entries, their balances, and usage by day. A transaction locks all accounts. */
import { Account, type Balances, Entry, empty, Usage } from "@limbeck/billing/ledger/Entry"
import { after } from "@limbeck/billing/ledger/LedgerRules"
import { AlreadyPosted, LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { newest } from "../sqlite/Pages.ts"
import { ifPresent, type Sql, sql } from "../sqlite/Sql.ts"
import { encodeText as text } from "../sqlite/Texts.ts"
import * as UsageRows from "./UsageRows.ts"

const accounts = new Body<Balances>(Schema.Record(Account, Schema.Int))
const entries = new Body(Entry)

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`

const balancesOf = (connection: Connection, partition: Partition): Balances =>
  Option.getOrElse(accounts.first(connection, sql`SELECT body FROM accounts WHERE ${of(partition)}`), () => empty)

const find = (connection: Connection, partition: Partition, { kind, reference }: Pick<Entry, "kind" | "reference">) =>
  entries.first(
    connection,
    sql`SELECT body FROM entries WHERE ${of(partition)} AND kind = ${kind} AND reference = ${text(reference)}`
  )

/** Kinds of entries with a known or repeated cause. */
const postedBefore = (
  connection: Connection,
  partition: Partition,
  many: ReadonlyArray<Entry>
): ReadonlyArray<string> => {
  const isTwice = (one: Entry, index: number) =>
    many.slice(0, index).some(({ kind, reference }) => kind === one.kind && reference === one.reference)
  return many
    .filter((one, index) => isTwice(one, index) || Option.isSome(find(connection, partition, one)))
    .map(({ kind }) => kind)
}

const post = (connection: Connection, partition: Partition, many: ReadonlyArray<Entry>) => {
  for (const entry of many) {
    const { createdAt, id, kind, reference } = entry
    connection.run(sql`
      INSERT INTO entries
      VALUES (${partition.key}, ${id}, ${kind}, ${text(reference)}, ${createdAt}, ${entries.encode(entry)})`)
  }
  const balances = accounts.encode(after(balancesOf(connection, partition), many))
  connection.run(sql`INSERT OR REPLACE INTO accounts VALUES (${partition.key}, ${balances})`)
}

export const make = (db: Database): LedgerStore["Service"] =>
  LedgerStore.of({
    lock: (partition) => db.read("LedgerStore.lock", (connection) => balancesOf(connection, partition)),
    balances: (partition) => db.read("LedgerStore.balances", (connection) => balancesOf(connection, partition)),
    find: (partition, kind, reference) =>
      db.read("LedgerStore.find", (connection) => find(connection, partition, { kind, reference })),
    append: Effect.fnUntraced(function* (partition, many, usage) {
      const kinds = yield* db.write("LedgerStore.append", (connection) => {
        const posted = postedBefore(connection, partition, many)
        if (posted.length > 0) return posted
        post(connection, partition, many)
        for (const one of usage) UsageRows.add(connection, partition, one)
        return []
      })
      if (kinds.length > 0) return yield* new AlreadyPosted({ kinds })
    }),
    page: (partition, request) =>
      db.read("LedgerStore.page", (connection) => {
        const rows = entries.all(connection, sql`SELECT body FROM entries WHERE ${newest(of(partition), request)}`)
        return Page.fromRows(rows, request.limit)
      }),
    usage: (partition, { after: last, limit }) =>
      db.read("LedgerStore.usage", (connection) => {
        const rows = connection.all(
          Usage,
          sql`
          SELECT date, kind, quantity, micros FROM usage
          WHERE ${of(partition)} AND ${ifPresent(last, (key) => sql`key < ${key}`)}
          ORDER BY key DESC LIMIT ${limit + 1}`
        )
        return Page.fromRows(rows, limit)
      })
  })
