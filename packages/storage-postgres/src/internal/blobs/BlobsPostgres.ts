/**
 * Blobs on Postgres: content in pieces under an upload number; one small statement at the end makes the content visible. No
 * transaction spans the content; a dead process's pieces stay invisible, and are swept after a day.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as BlobParts from "./BlobParts.ts"
import * as BlobPieces from "./BlobPieces.ts"
import * as BlobRemovals from "./BlobRemovals.ts"

export const make = (sql: PgClient.PgClient): Blobs["Service"] => {
  const pieces = BlobPieces.make(sql)
  const { begin, moveTo, piecesFrom, remove, write } = pieces

  const discard = (upload: number) => Effect.ignore(remove(upload))

  const uploadOf = Effect.fnUntraced(function* (partition: Partition, sha256: string) {
    const rows = yield* sql`
      SELECT upload FROM blobs WHERE partition = ${partition.key} AND sha256 = ${T.text(sha256)}`
    return Option.fromUndefinedOr((yield* BlobPieces.decodeUpload(rows))[0])
  })

  /** Putting existing content renews its put time. Waits for a concurrent removal, and then inserts the content again. */
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
    for (const { bytes, id } of parts) count += yield* moveTo(target, count, BlobParts.numberOf(partition, id), bytes)
    yield* publish(partition, target, ref)
  })

  return Blobs.of({
    ...BlobParts.make(pieces),
    ...BlobRemovals.make(sql, pieces),
    put,
    seal: (partition, parts, ref) => sql.withTransaction(seal(partition, parts, ref)).pipe(failAs("Blobs.seal")),
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
