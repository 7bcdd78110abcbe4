/**
 * Blobs on Postgres: content in pieces under an upload of its own, which one small statement makes visible at the end. No
 * transaction spans the content; pieces of a process that died stay invisible, and are swept after a day.
 */
import { createHash } from "node:crypto"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
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
const decodeSizes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ bytes: Schema.Int })))
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

const lost = (operation: string) =>
  Effect.fail(new StorageError({ operation, cause: new Error("Pieces of the content are gone") }))

/** How many pieces the first `bytes` of a part are; undefined where no piece ends there. */
const piecesIn = (sizes: ReadonlyArray<number>, bytes: number): number | undefined => {
  let sum = 0
  let count = 0
  while (sum < bytes && count < sizes.length) sum += sizes[count++]!
  return sum === bytes ? count : undefined
}

/** A part is named by its partition and its number, so that no other partition reaches it. */
const nameOf = (partition: Partition, upload: number): string => `${partition.key}/${upload}`
const numberOf = (partition: Partition, part: string): number => {
  const prefix = `${partition.key}/`
  const upload = part.startsWith(prefix) ? Number(part.slice(prefix.length)) : -1
  return Number.isSafeInteger(upload) ? upload : -1
}

export const make = (sql: PgClient.PgClient): Blobs["Service"] => {
  const begin = Effect.gen(function* () {
    const [row] = yield* decodeUpload(yield* sql`SELECT nextval('blob_uploads') AS upload`)
    return row === undefined ? yield* Effect.die(new Error("nextval answered no row")) : row.upload
  })

  const remove = (upload: number) => sql`
    DELETE FROM blob_pieces WHERE upload = ${T.int(upload)}
      AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.upload = ${T.int(upload)})`
  const discard = (upload: number) => Effect.ignore(remove(upload))

  /** Nothing is written behind a piece that somebody has taken away: a sweep, or who went on with other content. */
  const write = Effect.fnUntraced(function* <E, R>(
    upload: number,
    content: Stream.Stream<Uint8Array, E, R>,
    options: { readonly keepsWhatCame: boolean }
  ) {
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
              SELECT ${T.int(upload)}, ${T.int(seq)}, ${T.bytea(piece)}, ${T.int(now)}
              WHERE ${T.int(seq)} = 0
                OR EXISTS (SELECT 1 FROM blob_pieces WHERE upload = ${T.int(upload)} AND seq = ${T.int(seq++)} - 1)
              RETURNING 1`
          ).pipe(Effect.flatMap((made) => (made.length === 0 ? lost("Blobs.write") : Effect.void))),
        { discard: true }
      ).pipe(failAs("Blobs.put"))
    yield* Stream.runForEach(content, (chunk) => {
      hash.update(chunk)
      bytes += chunk.length
      return store(pieces.push(chunk))
    }).pipe(Effect.onError(() => (options.keepsWhatCame ? Effect.ignore(store(pieces.rest())) : Effect.void)))
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
    return yield* write(upload, content, { keepsWhatCame: false }).pipe(
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

  const piecesFrom = (upload: number): Stream.Stream<Uint8Array, StorageError> =>
    Stream.paginate(0, (from) => read(upload, from))

  const sizesOf = (upload: number) =>
    Effect.flatMap(
      sql`SELECT octet_length(bytes) AS bytes FROM blob_pieces WHERE upload = ${T.int(upload)} ORDER BY seq`,
      decodeSizes
    ).pipe(Effect.map((rows) => rows.map(({ bytes }) => bytes)))

  /** Writes that were under way find their part gone, and end. */
  const moveTo = Effect.fnUntraced(function* (target: number, from: number, part: number, bytes: number) {
    const count = piecesIn(yield* sizesOf(part), bytes)
    if (count === undefined) return yield* lost("Blobs.seal")
    yield* sql`
      UPDATE blob_pieces SET upload = ${T.int(target)}, seq = seq + ${T.int(from)}
      WHERE upload = ${T.int(part)} AND seq < ${T.int(count)}`
    yield* remove(part)
    return count
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

  return Blobs.of({
    put,
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
