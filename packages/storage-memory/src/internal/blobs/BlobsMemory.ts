/** Blobs in memory. Content is read to its end before the database is touched: a slow sender holds up nobody. */
import { type BlobKey, type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import { type Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { MemoryDatabase } from "../database/MemoryDatabase.ts"
import { keyOf, Table } from "../database/Table.ts"

/** Bytes that grow at their end. */
class GrowableBytes {
  #bytes = new Uint8Array(Limits.blobPieceBytes)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies the chunk, because its owner may use it again. */
  add(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + chunk.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.#length)
    this.#length += chunk.length
  }

  slice(length: number): Uint8Array {
    return this.#bytes.slice(0, Math.min(length, this.#length))
  }
}

const drainInto = <E, R>(content: Stream.Stream<Uint8Array, E, R>, bytes: GrowableBytes): Effect.Effect<void, E, R> =>
  Stream.runForEach(content, (chunk) => Effect.sync(() => bytes.add(chunk)))

interface Content extends BlobKey {
  readonly bytes: Uint8Array
  readonly putAt: Millis
}

/** A part of content on its way. */
interface WrittenPart {
  readonly partition: Partition
  readonly bytes: GrowableBytes
  writtenAt: number
}

const broken = (operation: string, message: string) => new StorageError({ operation, cause: new Error(message) })

/** Yields copies, so that no reader can change stored bytes. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += Limits.blobPieceBytes) yield bytes.slice(at, at + Limits.blobPieceBytes)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of a port, each short
export const make = (db: MemoryDatabase, digest: Digest["Service"]): Blobs["Service"] => {
  const contents = new Table<Content>()
  const parts = new Map<string, WrittenPart>()
  let begun = 0
  const find = (partition: Partition, sha256: string) => db.sync(() => contents.get(keyOf(partition.key, sha256)))
  const refOf = (bytes: Uint8Array): Effect.Effect<BlobRef> =>
    Effect.map(digest.digestHex(sha256, bytes), (hex) => ({ sha256: hex, bytes: bytes.length }))
  const store = (partition: Partition, { sha256 }: BlobRef, bytes: Uint8Array) =>
    Effect.flatMap(Clock.currentTimeMillis, (putAt) =>
      db.sync((undoLog) => contents.set(undoLog, keyOf(partition.key, sha256), { partition, sha256, bytes, putAt }))
    )
  const partOf = (partition: Partition, id: string): WrittenPart | undefined => {
    const part = parts.get(id)
    return part?.partition.key === partition.key ? part : undefined
  }
  const join = (partition: Partition, wanted: ReadonlyArray<Part>) =>
    Effect.sync(() =>
      joinPieces(wanted.map(({ bytes, id }) => partOf(partition, id)?.bytes.slice(bytes) ?? new Uint8Array(0)))
    )

  return Blobs.of({
    put: Effect.fnUntraced(function* <E, R>(partition: Partition, content: Stream.Stream<Uint8Array, E, R>) {
      const growing = new GrowableBytes()
      yield* drainInto(content, growing)
      const bytes = growing.slice(growing.length)
      const ref = yield* refOf(bytes)
      yield* store(partition, ref, bytes)
      return ref
    }),
    get: (partition, sha256) =>
      Stream.unwrap(
        Effect.map(find(partition, sha256), (content) =>
          content === undefined ? Stream.empty : Stream.fromIterable(pieces(content.bytes), { chunkSize: 1 })
        )
      ),
    exists: (partition, sha256) => Effect.map(find(partition, sha256), (content) => content !== undefined),
    begin: (partition) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [id, { writtenAt }] of parts) if (writtenAt + Limits.partQuietMillis < now) parts.delete(id)
        const id = String(++begun)
        parts.set(id, { partition, bytes: new GrowableBytes(), writtenAt: now })
        return id
      }),
    write: Effect.fnUntraced(function* <E, R>(
      partition: Partition,
      id: string,
      content: Stream.Stream<Uint8Array, E, R>
    ) {
      const part = partOf(partition, id)
      if (part === undefined) return yield* broken("Blobs.write", "The part is gone")
      const watched = Stream.tap(content, () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          part.writtenAt = now
        })
      )
      yield* drainInto(watched, part.bytes)
      return partOf(partition, id) === part
        ? yield* refOf(part.bytes.slice(part.bytes.length))
        : yield* broken("Blobs.write", "The part is gone")
    }),
    storedBytes: (partition, id, most = Number.POSITIVE_INFINITY) =>
      Effect.sync(() => Math.min(most, partOf(partition, id)?.bytes.length ?? 0)),
    digest: (partition, wanted) => Effect.flatMap(join(partition, wanted), refOf),
    seal: Effect.fnUntraced(function* (partition, wanted, ref) {
      const bytes = yield* join(partition, wanted)
      if (bytes.length !== ref.bytes) return yield* broken("Blobs.seal", "A part is gone")
      yield* store(partition, ref, bytes)
    }),
    discard: (partition, ids) =>
      Effect.sync(() => {
        for (const id of ids) if (partOf(partition, id) !== undefined) parts.delete(id)
      }),
    quiet: (before) =>
      Stream.fromIterableEffect(
        db.sync(() =>
          [...contents.ascending(null)].flatMap(({ partition, putAt, sha256 }) =>
            putAt < before ? [{ partition, sha256 }] : []
          )
        )
      ),
    removeIfQuiet: (partition, sha256, before) =>
      db.sync((undoLog) => {
        const key = keyOf(partition.key, sha256)
        const content = contents.get(key)
        if (content === undefined || content.putAt >= before) return false
        contents.delete(undoLog, key)
        return true
      })
  })
}
