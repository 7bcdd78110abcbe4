/** Blobs in memory. Content is read to its end before the database is touched: a slow sender holds up nobody. */
import { type BlobRef, Blobs } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import { type Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { keyOf, Table } from "./Table.ts"

/** Copies each chunk, because its owner may use it again. */
const drain = <E, R>(content: Stream.Stream<Uint8Array, E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.suspend(() => {
    let bytes = new Uint8Array(Limits.blobPieceBytes)
    let length = 0
    const add = (chunk: Uint8Array) => {
      if (length + chunk.length > bytes.length) {
        const larger = new Uint8Array(Math.max(2 * bytes.length, length + chunk.length))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(chunk, length)
      length += chunk.length
    }
    return Effect.map(
      Stream.runForEach(content, (chunk) => Effect.sync(() => add(chunk))),
      () => bytes.slice(0, length)
    )
  })

/** Copies, so that no reader can change what is stored. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += Limits.blobPieceBytes) yield bytes.slice(at, at + Limits.blobPieceBytes)
}

export const make = (db: MemoryDatabase, digest: Digest["Service"]): Blobs["Service"] => {
  const contents = new Table<Uint8Array>()
  const find = (partition: Partition, sha256: string) => db.sync(() => contents.get(keyOf(partition.key, sha256)))

  return Blobs.of({
    put: Effect.fnUntraced(function* <E, R>(partition: Partition, content: Stream.Stream<Uint8Array, E, R>) {
      const bytes = yield* drain(content)
      const ref: BlobRef = { sha256: yield* digest.digestHex(sha256, bytes), bytes: bytes.length }
      yield* db.sync((journal) => contents.set(journal, keyOf(partition.key, ref.sha256), bytes))
      return ref
    }),
    get: (partition, sha256) =>
      Stream.unwrap(
        Effect.map(find(partition, sha256), (bytes) =>
          bytes === undefined ? Stream.empty : Stream.fromIterable(pieces(bytes), { chunkSize: 1 })
        )
      ),
    exists: (partition, sha256) => Effect.map(find(partition, sha256), (bytes) => bytes !== undefined)
  })
}
