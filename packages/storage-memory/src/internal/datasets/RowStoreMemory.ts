/** RowStore in memory. */
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Split } from "@limbeck/distill/dataset/Row"
import { RowStore, type StoredRow } from "@limbeck/distill/dataset/RowStore"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { fitting } from "../database/Fitting.ts"
import type { MemoryDatabase } from "../database/MemoryDatabase.ts"
import { keyOf, Table, takeWhere } from "../database/Table.ts"

interface PageOptions {
  readonly split: Split | null
  readonly after: string | null
  readonly limit: number
}

export const make = (db: MemoryDatabase): RowStore["Service"] => {
  const versions = new Table<Table<StoredRow>>()
  const none = new Table<StoredRow>()

  const page = (partition: Partition, version: string, { after, limit, split }: PageOptions) =>
    db.sync(() => {
      const rows = (versions.get(keyOf(partition.key, version)) ?? none).ascending(after)
      const wanted = (row: StoredRow) => split === null || row.split === split
      const found = takeWhere(rows, limit + 1, wanted)
      const items = fitting(found.slice(0, limit), DistillLimits.rowPageBytesMax, ({ body }) => body.length)
      return { items, hasMore: found.length > items.length }
    })

  const scan = (partition: Partition, version: string, split: Split | null) =>
    Stream.paginate(null as string | null, (after) =>
      Effect.map(page(partition, version, { split, after, limit: DistillLimits.rowBatch }), ({ hasMore, items }) => [
        items,
        hasMore ? Option.some(items.at(-1)!.key) : Option.none()
      ])
    )

  return RowStore.of({
    append: (partition, version, rows) =>
      db.sync((undoLog) => {
        const key = keyOf(partition.key, version)
        const table = versions.get(key) ?? new Table<StoredRow>()
        if (versions.get(key) === undefined) versions.set(undoLog, key, table)
        const appended: Array<string> = []
        for (const row of rows) {
          if (table.get(row.key) !== undefined) continue
          table.set(undoLog, row.key, row)
          appended.push(row.key)
        }
        return appended
      }),
    replace: (partition, version, rows) =>
      db.sync((undoLog) => {
        const table = versions.get(keyOf(partition.key, version)) ?? none
        for (const { body, key } of rows) {
          const row = table.get(key)
          if (row !== undefined) table.set(undoLog, key, { ...row, body })
        }
      }),
    page,
    findMany: (partition, version, keys) =>
      db.sync(() => {
        const rows = versions.get(keyOf(partition.key, version)) ?? none
        return [...new Set(keys)].flatMap((key) => rows.get(key) ?? [])
      }),
    scan,
    walkKeys: (partition, version, onPage) =>
      Stream.runForEachArray(scan(partition, version, null), (rows) =>
        Effect.sync(() => onPage(rows.map(({ key, split }) => ({ key, split }))))
      ),
    clear: (partition, version) => db.sync((undoLog) => versions.delete(undoLog, keyOf(partition.key, version)))
  })
}
