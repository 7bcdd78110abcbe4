/** RowStore on Postgres. Rows may be large, so statements and scan pages are bounded in bytes and in rows. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Core from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Patience from "@limbeck/core/storage/Patience"
import { Split } from "@limbeck/distill/dataset/Row"
import { RowStore, type StoredRow } from "@limbeck/distill/dataset/RowStore"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { batchesOf, bytesPerStatement } from "../statements/Batches.ts"

const rowsPerScan = 1_000
const keysPerPage = 5_000

const rowFields = { key: Schema.String, split: Split, body: Schema.String }
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(rowFields)))
const decodeSized = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ...rowFields, fits: Schema.Boolean })))
const decodeStoredKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String, split: Split })))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))

const sizeOf = ({ body }: Pick<StoredRow, "body">): number => body.length

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of a port, and the statements that they share
export const make = (sql: PgClient.PgClient): RowStore["Service"] => {
  // A literal, so that a cached plan may use the index of holdout rows.
  const isOf = (split: Split | null) => (split === null ? sql`true` : sql`split = ${sql.literal(`'${split}'`)}`)

  const insert = (partition: Partition, version: string, rows: ReadonlyArray<StoredRow>) => sql`
    INSERT INTO dataset_rows (partition, version, key, split, body)
    SELECT ${partition.key}, ${T.text(version)}, * FROM unnest(
      ${T.texts(rows.map(({ key }) => key))},
      ${T.texts(rows.map(({ split }) => split))},
      ${T.texts(rows.map(({ body }) => body))})
    ON CONFLICT DO NOTHING RETURNING key`

  /** Rows after a key, each with how many bytes lie before it; the sizes are read without reading the bodies. */
  const sized = (partition: Partition, version: string, split: Split | null, after: string, limit: number) => sql`(
    SELECT key, split, body, sum(octet_length(body)) OVER (ORDER BY key) - octet_length(body) AS before
    FROM (
      SELECT key, split, body FROM dataset_rows
      WHERE partition = ${partition.key} AND version = ${T.text(version)} AND key > ${T.text(after)} AND ${isOf(split)}
      ORDER BY key LIMIT ${T.int(limit)}
    ) page) sized`
  const fits = sql.literal(`before < ${DistillLimits.rowPageBytesMax}`)

  const scanFrom = Effect.fnUntraced(function* (
    partition: Partition,
    version: string,
    split: Split | null,
    after: string
  ) {
    const rows = yield* sql`
      SELECT key, split, body FROM ${sized(partition, version, split, after, rowsPerScan)}
      WHERE before < ${T.int(bytesPerStatement)} ORDER BY key`
    return yield* decodeRows(rows)
  }, failAs("RowStore.scan"))

  const bulk = sql`SET LOCAL statement_timeout = ${sql.literal(String(Core.Limits.bulkPatienceMillis))}`

  const fetchKeys = sql.unsafe(`FETCH ${keysPerPage} FROM version_keys`)

  return RowStore.of({
    append: Effect.fnUntraced(function* (partition, version, rows) {
      const appended = yield* Effect.forEach(batchesOf(rows, sizeOf), (batch) =>
        Effect.flatMap(insert(partition, version, batch), decodeKeys)
      )
      return appended.flat().map(({ key }) => key)
    }, failAs("RowStore.append")),

    replace: Effect.fnUntraced(function* (partition, version, rows) {
      yield* Effect.forEach(
        batchesOf(rows, sizeOf),
        (batch) => sql`
          UPDATE dataset_rows SET body = changed.body FROM unnest(
            ${T.texts(batch.map(({ key }) => key))}, ${T.texts(batch.map(({ body }) => body))}) AS changed (key, body)
          WHERE partition = ${partition.key} AND version = ${T.text(version)} AND dataset_rows.key = changed.key`,
        { discard: true }
      )
    }, failAs("RowStore.replace")),

    page: Effect.fnUntraced(function* (partition, version, { after, limit, split }) {
      // Reads only the key of the row that no longer fits.
      const rows = yield* decodeSized(
        yield* sql`
          SELECT key, split, CASE WHEN ${fits} THEN body ELSE '' END AS body, ${fits} AS fits
          FROM ${sized(partition, version, split, after ?? "", limit + 1)} ORDER BY key`
      )
      const items = rows.slice(0, limit).flatMap(({ fits, ...row }) => (fits ? [row] : []))
      return { items, hasMore: rows.length > items.length }
    }, failAs("RowStore.page")),

    findMany: Effect.fnUntraced(function* (partition, version, keys) {
      const rows = yield* sql`
        SELECT key, split, body FROM dataset_rows
        WHERE partition = ${partition.key} AND version = ${T.text(version)} AND key = ANY(${T.texts(keys)})`
      return yield* decodeRows(rows)
    }, failAs("RowStore.findMany")),

    scan: (partition, version, split) =>
      Stream.paginate(
        "",
        (after) =>
          Effect.map(scanFrom(partition, version, split, after), (rows) => [
            rows,
            Option.map(Option.fromUndefinedOr(rows.at(-1)), ({ key }) => key)
          ])
        // Reads the next page while the caller uses this one.
      ).pipe(Stream.bufferArray({ capacity: 1 })),

    walkKeys: Effect.fnUntraced(
      function* (partition, version, onPage) {
        const walk = Effect.gen(function* () {
          // By the index, each key would lead to another page of the table: ten times slower over a million rows than reading
          // the table's pages in their order and sorting the keys.
          yield* sql`SET LOCAL enable_indexscan = off`
          yield* bulk
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
      },
      Patience.ofBulk,
      failAs("RowStore.walkKeys")
    ),

    clear: Effect.fnUntraced(
      function* (partition, version) {
        const gone = sql`DELETE FROM dataset_rows WHERE partition = ${partition.key} AND version = ${T.text(version)}`
        yield* sql.withTransaction(Effect.andThen(bulk, gone))
      },
      Patience.ofBulk,
      failAs("RowStore.clear")
    )
  })
}
