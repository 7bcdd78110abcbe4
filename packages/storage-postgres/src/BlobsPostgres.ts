/**
 * Blobs on Postgres: content in pieces under an upload of its own, which one small statement makes visible at the end. No
 * transaction spans the content; pieces of a process that died stay invisible, and are swept after a day.
 */
import { createHash } from "node:crypto"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type BlobKey, type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as BlobPieces from "./BlobPieces.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

/** Contents that one statement lists. */
const keysPerPage = 500

const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ partition: Schema.String, sha256: Schema.String }))
)

/** A part is named by its partition and its number, so that no other partition reaches it. */
const nameOf = (partition: Partition, upload: number): string => `${partition.key}/${upload}`
const numberOf = (partition: Partition, part: string): number => {
  const prefix = `${partition.key}/`
  const upload = part.startsWith(prefix) ? Number(part.slice(prefix.length)) : -1
  return Number.isSafeInteger(upload) ? upload : -1
}

export const make = (sql: PgClient.PgClient): Blobs["Service"] => {
  const { begin, moveTo, piecesFrom, remove, sizesOf, write } = BlobPieces.make(sql)

  const discard = (upload: number) => Effect.ignore(remove(upload))

  const uploadOf = Effect.fnUntraced(function* (partition: Partition, sha256: string) {
    const rows = yield* sql`
      SELECT upload FROM blobs WHERE partition = ${partition.key} AND sha256 = ${T.text(sha256)}`
    return Option.fromUndefinedOr((yield* BlobPieces.decodeUpload(rows))[0])
  })

  /** Content that is there already counts as put now. A removal under way is waited for: what it took is made anew. */
  const publish = Effect.fnUntraced(function* (partition: Partition, upload: number, { bytes, sha256 }: BlobRef) {
    const now = T.int(yield* Clock.currentTimeMillis)
    // The first piece is missing when the put slept for a day and was swept: then there is nothing to make visible.
    const rows = yield* sql`
      INSERT INTO blobs AS kept (partition, sha256, bytes, upload, put_at)
      SELECT ${partition.key}, ${sha256}, ${T.int(bytes)}, ${T.int(upload)}, ${now}
      WHERE ${T.int(bytes)} = 0 OR EXISTS (SELECT 1 FROM blob_pieces WHERE upload = ${T.int(upload)} AND seq = 0)
      ON CONFLICT (partition, sha256) DO UPDATE SET put_at = greatest(kept.put_at, excluded.put_at)
      RETURNING upload`
    const [made] = yield* BlobPieces.decodeUpload(rows)
    if (made?.upload === upload) return
    yield* discard(upload)
    if (made !== undefined) return
    const kept = yield* sql`
      UPDATE blobs SET put_at = greatest(put_at, ${now})
      WHERE partition = ${partition.key} AND sha256 = ${sha256} RETURNING 1`
    if (kept.length === 0) {
      return yield* new StorageError({ operation: "Blobs.put", cause: new Error("The content came too slowly") })
    }
  }, failAs("Blobs.put"))

  const put = Effect.fnUntraced(function* <E, R>(partition: Partition, content: Stream.Stream<Uint8Array, E, R>) {
    const upload = yield* failAs("Blobs.put")(begin)
    return yield* write(upload, content, { keepsWhatCame: false }).pipe(
      Effect.tap((ref) => publish(partition, upload, ref)),
      Effect.onError(() => discard(upload))
    )
  })

  const seal = Effect.fnUntraced(function* (partition: Partition, parts: ReadonlyArray<Part>, ref: BlobRef) {
    const target = yield* begin
    let count = 0
    for (const { bytes, id } of parts) count += yield* moveTo(target, count, numberOf(partition, id), bytes)
    yield* publish(partition, target, ref)
  })

  const digest = Effect.fnUntraced(function* (partition: Partition, parts: ReadonlyArray<Part>) {
    const hash = createHash("sha256")
    let total = 0
    for (const { bytes, id } of parts) {
      let left = bytes
      yield* Stream.runForEachWhile(piecesFrom(numberOf(partition, id)), (piece) =>
        Effect.sync(() => {
          const counted = piece.subarray(0, left)
          hash.update(counted)
          total += counted.length
          left -= counted.length
          return left > 0
        })
      )
    }
    const ref: BlobRef = { sha256: hash.digest("hex"), bytes: total }
    return ref
  })

  const quiet = Effect.fnUntraced(function* (before: Millis, after: BlobKey | null) {
    const rows = yield* sql`
      SELECT partition, sha256 FROM blobs
      WHERE put_at < ${T.int(before)}
        AND (partition, sha256) > (${T.text(after?.partition.key ?? "")}, ${T.text(after?.sha256 ?? "")})
      ORDER BY partition, sha256 LIMIT ${T.int(keysPerPage)}`
    const keys = (yield* decodeKeys(rows)).map(({ partition, sha256 }) => ({ partition: fromKey(partition), sha256 }))
    const last = keys.length < keysPerPage ? undefined : keys.at(-1)
    return [keys, Option.fromUndefinedOr(last)] as const
  }, failAs("Blobs.quiet"))

  /** Of one that is being put, the row is locked: its commit is waited for, and read. */
  const removeIfQuiet = Effect.fnUntraced(function* (partition: Partition, sha256: string, before: Millis) {
    const rows = yield* sql`
      DELETE FROM blobs
      WHERE partition = ${partition.key} AND sha256 = ${T.text(sha256)} AND put_at < ${T.int(before)}
      RETURNING upload`
    const [removed] = yield* BlobPieces.decodeUpload(rows)
    // Pieces that a crash leaves behind here are swept like those of any put that never ended.
    if (removed !== undefined) yield* remove(removed.upload)
    return removed !== undefined
  }, failAs("Blobs.removeIfQuiet"))

  return Blobs.of({
    put,
    quiet: (before) => Stream.paginate<BlobKey | null, BlobKey, StorageError>(null, (after) => quiet(before, after)),
    removeIfQuiet,
    begin: (partition) =>
      begin.pipe(
        Effect.map((upload) => nameOf(partition, upload)),
        failAs("Blobs.begin")
      ),
    write: (partition, part, content) => write(numberOf(partition, part), content, { keepsWhatCame: true }),
    kept: (partition, part, most = Number.POSITIVE_INFINITY) =>
      sizesOf(numberOf(partition, part)).pipe(
        Effect.map((sizes) => sizes.reduce((sum, size) => (sum + size > most ? sum : sum + size), 0)),
        failAs("Blobs.kept")
      ),
    digest,
    seal: (partition, parts, ref) => sql.withTransaction(seal(partition, parts, ref)).pipe(failAs("Blobs.seal")),
    discard: (partition, parts) =>
      Effect.forEach(parts, (part) => remove(numberOf(partition, part)), { discard: true }).pipe(
        failAs("Blobs.discard")
      ),
    get: (partition, sha256): Stream.Stream<Uint8Array, StorageError> =>
      uploadOf(partition, sha256).pipe(
        failAs("Blobs.get"),
        Effect.map(
          Option.match({
            onNone: () => Stream.empty,
            onSome: ({ upload }) => piecesFrom(upload)
          })
        ),
        Stream.unwrap
      ),
    exists: Effect.fnUntraced(function* (partition, sha256) {
      return Option.isSome(yield* uploadOf(partition, sha256))
    }, failAs("Blobs.exists"))
  })
}
