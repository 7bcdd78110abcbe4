/** RowStore on Postgres. Rows may be large, so statements and pages of a scan are bounded in bytes as well as in rows. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Split } from "@limbeck/distill/dataset/Row"
import { RowStore, type StoredRow } from "@limbeck/distill/dataset/RowStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { batchesOf, bytesPerStatement } from "./Batches.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const rowsPerScan = 1_000
const keysPerPage = 5_000

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, split: Split, body: Schema.String }))
)
const decodeStoredKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String, split: Split })))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))

const sizeOf = ({ body }: StoredRow): number => body.length

export const make = (sql: PgClient.PgClient): RowStore["Service"] => {
  // Written out, so that a plan that is kept may use the index of holdout rows.
  const isOf = (split: Split | null) => (split === null ? sql`true` : sql`split = ${sql.literal(`'${split}'`)}`)

  const insert = (partition: Partition, version: string, rows: ReadonlyArray<StoredRow>) => sql`
    INSERT INTO dataset_rows (partition, version, key, split, body)
    SELECT ${partition.key}, ${T.text(version)}, * FROM unnest(
      ${T.texts(rows.map(({ key }) => key))},
      ${T.texts(rows.map(({ split }) => split))},
      ${T.texts(rows.map(({ body }) => body))})
    ON CONFLICT DO NOTHING RETURNING key`

  const scanFrom = Effect.fnUntraced(function* (
    partition: Partition,
    version: string,
    split: Split | null,
    after: string
  ) {
    // Each row knows how many bytes lie before it; the sizes are read without reading the bodies.
    const rows = yield* sql`
      SELECT key, split, body FROM (
        SELECT key, split, body, sum(octet_length(body)) OVER (ORDER BY key) - octet_length(body) AS before
        FROM dataset_rows
        WHERE partition = ${partition.key} AND version = ${T.text(version)} AND key > ${T.text(after)}
          AND ${isOf(split)}
        ORDER BY key LIMIT ${T.int(rowsPerScan)}
      ) sized WHERE before < ${T.int(bytesPerStatement)} ORDER BY key`
    return yield* decodeRows(rows)
  }, failAs("RowStore.scan"))

  const fetchKeys = sql.unsafe(`FETCH ${keysPerPage} FROM version_keys`)

  return RowStore.of({
    append: Effect.fnUntraced(function* (partition, version, rows) {
      const appended = yield* Effect.forEach(batchesOf(rows, sizeOf), (batch) =>
        Effect.flatMap(insert(partition, version, batch), decodeKeys)
      )
      return appended.flat().map(({ key }) => key)
    }, failAs("RowStore.append")),

    page: Effect.fnUntraced(function* (partition, version, { after, limit, split }) {
      const rows = yield* sql`
        SELECT key, split, body FROM dataset_rows
        WHERE partition = ${partition.key} AND version = ${T.text(version)} AND key > ${T.text(after ?? "")}
          AND ${isOf(split)}
        ORDER BY key LIMIT ${T.int(limit + 1)}`
      return Page.fromRows(yield* decodeRows(rows), limit)
    }, failAs("RowStore.page")),

    scan: (partition, version, split) =>
      Stream.paginate(
        "",
        (after) =>
          Effect.map(scanFrom(partition, version, split, after), (rows) => [
            rows,
            Option.map(Option.fromUndefinedOr(rows.at(-1)), ({ key }) => key)
          ])
        // The next page is read while this one is used.
      ).pipe(Stream.bufferArray({ capacity: 1 })),

    walkKeys: Effect.fnUntraced(function* (partition, version, onPage) {
      const walk = Effect.gen(function* () {
        // By the index, each key would lead to another page of the table: ten times slower over a million rows than reading
        // the table's pages in their order and sorting the keys.
        yield* sql`SET LOCAL enable_indexscan = off`
        yield* sql`
          DECLARE version_keys NO SCROLL CURSOR FOR
          SELECT key, split FROM dataset_rows
          WHERE partition = ${partition.key} AND version = ${T.text(version)} ORDER BY key`
        for (let count = keysPerPage; count === keysPerPage; ) {
          const keys = yield* decodeStoredKeys(yield* fetchKeys)
          if (keys.length > 0) onPage(keys)
          count = keys.length
        }
      })
      yield* sql.withTransaction(walk)
    }, failAs("RowStore.walkKeys")),

    clear: Effect.fnUntraced(function* (partition, version) {
      yield* sql`DELETE FROM dataset_rows WHERE partition = ${partition.key} AND version = ${T.text(version)}`
    }, failAs("RowStore.clear"))
  })
}
