/**
 * Blobs on Postgres: content in pieces under an upload of its own, which one small statement makes visible at the end. No
 * transaction spans the content; pieces of a process that died stay invisible, and are swept after a day.
 */
import { createHash } from "node:crypto"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type BlobRef, Blobs } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

/** Pieces that are read by one statement: 1 MiB. */
const piecesPerRead = 4

const decodeUpload = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ upload: Schema.Int })))
const decodePieces = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ seq: Schema.Int, bytes: Schema.Uint8Array }))
)

/** Regroups bytes: pieces of full size, and a last one with the rest. */
const intoPieces = (size: number) => {
  const buffer = new Uint8Array(size)
  let held = 0
  return {
    /** The full pieces that `bytes` completes. A piece is a copy: the buffer is used again. */
    push: (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
      const pieces: Array<Uint8Array> = []
      for (let at = 0; at < bytes.length; ) {
        const taken = Math.min(size - held, bytes.length - at)
        buffer.set(bytes.subarray(at, at + taken), held)
        held += taken
        at += taken
        if (held === size) {
          pieces.push(buffer.slice())
          held = 0
        }
      }
      return pieces
    },
    rest: (): ReadonlyArray<Uint8Array> => (held === 0 ? [] : [buffer.slice(0, held)])
  }
}

export const make = (sql: PgClient.PgClient): Blobs["Service"] => {
  const begin = Effect.gen(function* () {
    const [row] = yield* decodeUpload(yield* sql`SELECT nextval('blob_uploads') AS upload`)
    return row === undefined ? yield* Effect.die(new Error("nextval answered no row")) : row.upload
  })

  const discard = (upload: number) => Effect.ignore(sql`DELETE FROM blob_pieces WHERE upload = ${T.int(upload)}`)

  const write = Effect.fnUntraced(function* <E, R>(upload: number, content: Stream.Stream<Uint8Array, E, R>) {
    const hash = createHash("sha256")
    const pieces = intoPieces(Limits.blobPieceBytes)
    let bytes = 0
    let seq = 0
    const store = (full: ReadonlyArray<Uint8Array>) =>
      Effect.forEach(
        full,
        (piece) =>
          Effect.flatMap(
            Clock.currentTimeMillis,
            (now) => sql`
              INSERT INTO blob_pieces (upload, seq, bytes, written_at)
              VALUES (${T.int(upload)}, ${T.int(seq++)}, ${T.bytea(piece)}, ${T.int(now)})`
          ),
        { discard: true }
      ).pipe(failAs("Blobs.put"))
    yield* Stream.runForEach(content, (chunk) => {
      hash.update(chunk)
      bytes += chunk.length
      return store(pieces.push(chunk))
    })
    yield* store(pieces.rest())
    const ref: BlobRef = { sha256: hash.digest("hex"), bytes }
    return ref
  })

  const uploadOf = Effect.fnUntraced(function* (partition: Partition, sha256: string) {
    const rows = yield* sql`
      SELECT upload FROM blobs WHERE partition = ${partition.key} AND sha256 = ${T.text(sha256)}`
    return Option.fromUndefinedOr((yield* decodeUpload(rows))[0])
  })

  const publish = Effect.fnUntraced(function* (partition: Partition, upload: number, { bytes, sha256 }: BlobRef) {
    // The first piece is missing when the put slept for a day and was swept: then there is nothing to make visible.
    const made = yield* sql`
      INSERT INTO blobs (partition, sha256, bytes, upload)
      SELECT ${partition.key}, ${sha256}, ${T.int(bytes)}, ${T.int(upload)}
      WHERE ${T.int(bytes)} = 0 OR EXISTS (SELECT 1 FROM blob_pieces WHERE upload = ${T.int(upload)} AND seq = 0)
      ON CONFLICT DO NOTHING RETURNING 1`
    if (made.length > 0) return
    yield* discard(upload)
    if (Option.isNone(yield* uploadOf(partition, sha256))) {
      return yield* new StorageError({ operation: "Blobs.put", cause: new Error("The content came too slowly") })
    }
  }, failAs("Blobs.put"))

  const put = Effect.fnUntraced(function* <E, R>(partition: Partition, content: Stream.Stream<Uint8Array, E, R>) {
    const upload = yield* failAs("Blobs.put")(begin)
    return yield* write(upload, content).pipe(
      Effect.tap((ref) => publish(partition, upload, ref)),
      Effect.onError(() => discard(upload))
    )
  })

  const read = Effect.fnUntraced(function* (upload: number, from: number) {
    const rows = yield* decodePieces(
      yield* sql`
        SELECT seq, bytes FROM blob_pieces WHERE upload = ${T.int(upload)} AND seq >= ${T.int(from)}
        ORDER BY seq LIMIT ${T.int(piecesPerRead)}`
    )
    const next = rows.length < piecesPerRead ? Option.none<number>() : Option.some(from + piecesPerRead)
    return [rows.map(({ bytes }) => bytes), next] as const
  }, failAs("Blobs.get"))

  return Blobs.of({
    put,
    get: (partition, sha256): Stream.Stream<Uint8Array, StorageError> =>
      uploadOf(partition, sha256).pipe(
        failAs("Blobs.get"),
        Effect.map(
          Option.match({
            onNone: () => Stream.empty,
            onSome: ({ upload }) => Stream.paginate(0, (from) => read(upload, from))
          })
        ),
        Stream.unwrap
      ),
    exists: Effect.fnUntraced(function* (partition, sha256) {
      return Option.isSome(yield* uploadOf(partition, sha256))
    }, failAs("Blobs.exists"))
  })
}
