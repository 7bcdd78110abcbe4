/**
 * Content in the database: pieces of one size, and a shorter last one, under an upload's number. This module does not know
 * whether an upload is a part or the content of a digest.
 */
import { createHash } from "node:crypto"
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { BlobRef } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"

/** Pieces per statement of a read, 512 KiB: larger reads leave more garbage uncollected. */
const piecesPerRead = 2

/** The numbers that rows name. */
export const decodeUpload = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ upload: Schema.Int })))
const decodeSizes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ bytes: Schema.Int })))
const decodePieces = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ seq: Schema.Int, bytes: Schema.Uint8Array }))
)

/** Regroups bytes into pieces of full size and a shorter last one, in one reused buffer. */
class PieceBuffer {
  private readonly buffer = new Uint8Array(Limits.blobPieceBytes)
  private held = 0

  /** Copies bytes until the buffer is full, and returns the number copied. */
  take(bytes: Uint8Array): number {
    const taken = Math.min(this.buffer.length - this.held, bytes.length)
    this.buffer.set(bytes.subarray(0, taken), this.held)
    this.held += taken
    return taken
  }

  get isFull(): boolean {
    return this.held === this.buffer.length
  }

  /** What is held: good until the next is taken. */
  takeOut(): Uint8Array {
    const piece = this.buffer.subarray(0, this.held)
    this.held = 0
    return piece
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

export const make = (sql: PgClient.PgClient) => {
  /** A number that nothing lies under. */
  const begin = Effect.gen(function* () {
    const [row] = yield* decodeUpload(yield* sql`SELECT nextval('blob_uploads') AS upload`)
    return row === undefined ? yield* Effect.die(new Error("nextval answered no row")) : row.upload
  })

  /** What a digest shows stays. */
  const remove = (upload: number) => sql`
    DELETE FROM blob_pieces WHERE upload = ${T.int(upload)}
      AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.upload = ${T.int(upload)})`

  /** Nothing is written behind a piece that somebody has taken away: a sweep, or who went on with other content. */
  const write = Effect.fnUntraced(function* <E, R>(
    upload: number,
    content: Stream.Stream<Uint8Array, E, R>,
    options: { readonly keepsWhatCame: boolean }
  ) {
    const hash = createHash("sha256")
    const pieces = new PieceBuffer()
    let bytes = 0
    let seq = 0
    const store = Effect.fnUntraced(function* () {
      const piece = pieces.takeOut()
      if (piece.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const made = yield* sql`
        INSERT INTO blob_pieces (upload, seq, bytes, written_at)
        SELECT ${T.int(upload)}, ${T.int(seq)}, ${T.bytea(piece)}, ${T.int(now)}
        WHERE ${T.int(seq)} = 0
          OR EXISTS (SELECT 1 FROM blob_pieces WHERE upload = ${T.int(upload)} AND seq = ${T.int(seq++)} - 1)
        RETURNING 1`
      if (made.length === 0) return yield* lost("Blobs.write")
    }, failAs("Blobs.put"))
    const storeFull = Effect.fnUntraced(function* (chunk: Uint8Array) {
      for (let at = 0; at < chunk.length; ) {
        at += pieces.take(chunk.subarray(at))
        if (pieces.isFull) yield* store()
      }
    })
    yield* Stream.runForEach(content, (chunk) => {
      hash.update(chunk)
      bytes += chunk.length
      return storeFull(chunk)
    }).pipe(Effect.onError(() => (options.keepsWhatCame ? Effect.ignore(store()) : Effect.void)))
    yield* store()
    const ref: BlobRef = { sha256: hash.digest("hex"), bytes }
    return ref
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

  /** All of them, in order; none of an unknown upload. */
  const piecesFrom = (upload: number): Stream.Stream<Uint8Array, StorageError> =>
    Stream.paginate(0, (from) => read(upload, from))

  const sizesOf = (upload: number) =>
    Effect.flatMap(
      sql`SELECT octet_length(bytes) AS bytes FROM blob_pieces WHERE upload = ${T.int(upload)} ORDER BY seq`,
      decodeSizes
    ).pipe(Effect.map((rows) => rows.map(({ bytes }) => bytes)))

  /**
   * Makes the first `bytes` of a part pieces of `target`, behind its first `from`, and answers how many. Writes that were under
   * way find their part gone, and end.
   */
  const moveTo = Effect.fnUntraced(function* (target: number, from: number, part: number, bytes: number) {
    const count = piecesIn(yield* sizesOf(part), bytes)
    if (count === undefined) return yield* lost("Blobs.seal")
    yield* sql`
      UPDATE blob_pieces SET upload = ${T.int(target)}, seq = seq + ${T.int(from)}
      WHERE upload = ${T.int(part)} AND seq < ${T.int(count)}`
    yield* remove(part)
    return count
  })

  return { begin, remove, write, piecesFrom, sizesOf, moveTo } as const
}
