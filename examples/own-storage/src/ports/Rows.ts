/** RowStore: the rows of versions by key. SQLite compares texts byte by byte, which is the order of code units in ASCII keys. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { Split } from "@limbeck/distill/dataset/Row"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Database } from "../sqlite/Database.ts"
import { limitsFilter } from "../sqlite/Pages.ts"
import { ifPresent, list, type Sql, sql } from "../sqlite/Sql.ts"

const Key = Schema.Struct({ key: Schema.String, split: Split })
const Row = Schema.Struct({ ...Key.fields, body: Schema.String })

/** Keys per step of a walk. */
const keysPerStep = 5_000

interface PageOptions {
  readonly split: Split | null
  readonly after: string | null
  readonly limit: number
}

const of = (partition: Partition, version: string): Sql => sql`partition = ${partition.key} AND version = ${version}`

export const make = (db: Database): RowStore["Service"] => {
  const page = (partition: Partition, version: string, { after, limit, split }: PageOptions) =>
    db.read("RowStore.page", (connection) => {
      const rows = connection.each(
        Row,
        sql`
        SELECT key, split, body FROM rows
        WHERE ${of(partition, version)} AND ${ifPresent(after, (key) => sql`key > ${key}`)}
          AND ${ifPresent(split, (wanted) => sql`split = ${wanted}`)}
        ORDER BY key LIMIT ${limit + 1}`
      )
      return limitsFilter(rows, { limit, bytesMax: DistillLimits.rowPageBytesMax, sizeOf: ({ body }) => body.length })
    })

  const keys = (partition: Partition, version: string, after: string | null) =>
    db.read("RowStore.walkKeys", (connection) =>
      connection.all(
        Key,
        sql`
        SELECT key, split FROM rows WHERE ${of(partition, version)} AND ${ifPresent(after, (key) => sql`key > ${key}`)}
        ORDER BY key LIMIT ${keysPerStep}`
      )
    )

  return RowStore.of({
    append: (partition, version, rows) =>
      db.write("RowStore.append", (connection) =>
        rows
          .filter(
            ({ body, key, split }) =>
              connection.run(sql`
                INSERT OR IGNORE INTO rows VALUES (${partition.key}, ${version}, ${key}, ${split}, ${body})`) === 1
          )
          .map(({ key }) => key)
      ),
    replace: (partition, version, rows) =>
      db.write("RowStore.replace", (connection) => {
        for (const { body, key } of rows) {
          connection.run(sql`UPDATE rows SET body = ${body} WHERE ${of(partition, version)} AND key = ${key}`)
        }
      }),
    findMany: (partition, version, keys) =>
      db.read("RowStore.findMany", (connection) =>
        connection.all(
          Row,
          sql`SELECT key, split, body FROM rows WHERE ${of(partition, version)} AND key IN ${list(keys)}`
        )
      ),
    page,
    scan: (partition, version, split) =>
      Stream.paginate(null as string | null, (after) =>
        Effect.map(page(partition, version, { split, after, limit: DistillLimits.rowBatch }), ({ hasMore, items }) => [
          items,
          hasMore ? Option.fromUndefinedOr(items.at(-1)?.key) : Option.none()
        ])
      ),
    walkKeys: Effect.fnUntraced(function* (partition, version, onPage) {
      let after: string | null = null
      for (;;) {
        const found: ReadonlyArray<typeof Key.Type> = yield* keys(partition, version, after)
        const last = found.at(-1)
        if (last === undefined) return
        onPage(found)
        after = last.key
      }
    }),
    clear: (partition, version) =>
      db.write("RowStore.clear", (connection) => {
        connection.run(sql`DELETE FROM rows WHERE ${of(partition, version)}`)
      })
  })
}
