/** LedgerStore in memory: one transaction runs at a time, which locks the accounts. */
import { type Balances, type Entry, empty } from "@limbeck/billing/ledger/Entry"
import { after } from "@limbeck/billing/ledger/LedgerRules"
import { AlreadyPosted, LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import * as Page from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { Family, isWithin, keyOf, Table, takeWhere } from "../database/Table.ts"
import type { UsageTables } from "./UsageTables.ts"

class Accounts {
  readonly entries = new Table<Entry>()
  readonly byCause = new Table<Entry>()
  private readonly current = new Table<Balances>()

  get balances(): Balances {
    return this.current.get("") ?? empty
  }

  append(undoLog: UndoLog, entries: ReadonlyArray<Entry>): void {
    for (const entry of entries) {
      this.entries.set(undoLog, entry.id, entry)
      this.byCause.set(undoLog, keyOf(entry.kind, entry.reference), entry)
    }
    this.current.set(undoLog, "", after(this.balances, entries))
  }
}

export const make = (db: MemoryDatabase, used: UsageTables): LedgerStore["Service"] => {
  const partitions = new Family(() => new Accounts())
  const balances: LedgerStore["Service"]["balances"] = (partition) =>
    db.sync(() => partitions.of(partition.key).balances)

  return LedgerStore.of({
    lock: balances,
    balances,
    find: (partition, kind, reference) =>
      db.sync(() => Option.fromUndefinedOr(partitions.of(partition.key).byCause.get(keyOf(kind, reference)))),
    append: (partition, entries, usage) =>
      Effect.flatten(
        db.sync((undoLog) => {
          const accounts = partitions.of(partition.key)
          const causes = entries.map(({ kind, reference }) => keyOf(kind, reference))
          const known = entries.filter(({ kind, reference }) => accounts.byCause.get(keyOf(kind, reference)))
          if (known.length > 0 || new Set(causes).size < causes.length) {
            return Effect.fail(new AlreadyPosted({ kinds: entries.map(({ kind }) => kind) }))
          }
          accounts.append(undoLog, entries)
          for (const row of usage) used.add(undoLog, partition.key, row)
          return Effect.void
        })
      ),
    page: (partition, request) =>
      db.sync(() => {
        const newest = partitions.of(partition.key).entries.descending(request.after)
        const found = takeWhere(newest, request.limit + 1, ({ createdAt }) => isWithin(createdAt, request))
        return Page.fromRows(found, request.limit)
      }),
    usage: (partition, { after, limit }) =>
      db.sync(() => {
        const newest = used.of(partition.key).descending(after)
        return Page.fromRows(
          takeWhere(newest, limit + 1, () => true),
          limit
        )
      })
  })
}
