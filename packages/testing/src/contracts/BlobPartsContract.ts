/** Blobs' promises about parts: received bytes are kept, and parts become one content or stay unchanged. */
import { assert } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { assertSame, bytesOf, cut, digestOf, megabytes, readAll } from "./blobs.ts"

export const suite = describePort("Blobs, parts", (it) => {
  it.effect("parts are one content once they are sealed, and none before", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(megabytes, 11)
      const ends = [300_000, 300_001, Limits.blobPieceBytes * 9, megabytes]
      const parts = yield* Effect.forEach(ends, (to, index) =>
        Effect.gen(function* () {
          const id = yield* blobs.begin(partition)
          const piece = bytes.subarray(ends[index - 1] ?? 0, to)
          const ref = yield* blobs.write(partition, id, Stream.fromIterable(cut(piece, 70_001)))
          assert.deepStrictEqual(ref, { sha256: yield* digestOf(piece), bytes: piece.length })
          assert.strictEqual(yield* blobs.storedBytes(partition, id), piece.length)
          return { id, bytes: piece.length }
        })
      )
      const ref = yield* blobs.digest(partition, parts)
      assert.deepStrictEqual(ref, { sha256: yield* digestOf(bytes), bytes: megabytes })
      assert.isFalse(yield* blobs.exists(partition, ref.sha256))
      yield* blobs.seal(partition, parts, ref)
      yield* blobs.discard(
        partition,
        parts.map(({ id }) => id)
      )
      assertSame(yield* readAll(partition, ref.sha256), bytes)
      for (const { id } of parts) assert.strictEqual(yield* blobs.storedBytes(partition, id), 0)
    })
  )

  it.effect("a part keeps what came of content that fails or is interrupted", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(600_000, 12)
      const first = yield* blobs.begin(partition)
      const failing = Stream.concat(Stream.make(bytes.subarray(0, 300_007)), Stream.fail("cut off" as const))
      assert.strictEqual(yield* Effect.flip(blobs.write(partition, first, failing)), "cut off")
      assert.strictEqual(yield* blobs.storedBytes(partition, first), 300_007)
      assert.strictEqual(yield* blobs.storedBytes(partition, first, 300_007), 300_007)
      assert.isAtMost(yield* blobs.storedBytes(partition, first, 300_006), 300_006)
      const second = yield* blobs.begin(partition)
      const sent = yield* Deferred.make<void>()
      const stuck = Stream.fromEffect(Effect.andThen(Deferred.succeed(sent, undefined), Effect.never))
      const rest = Stream.concat(Stream.make(bytes.subarray(300_007)), stuck)
      const writing = yield* Effect.forkChild(blobs.write(partition, second, rest))
      yield* Deferred.await(sent)
      yield* Fiber.interrupt(writing)
      const parts = [
        { id: first, bytes: 300_007 },
        { id: second, bytes: yield* blobs.storedBytes(partition, second) }
      ]
      const ref = yield* blobs.digest(partition, parts)
      yield* blobs.seal(partition, parts, ref)
      assertSame(yield* readAll(partition, yield* digestOf(bytes)), bytes)
    })
  )

  it.effect("a part may grow while its first bytes are sealed: they are what is read", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      // Whole pieces, for stores that keep content in pieces: a shorter piece is kept at its end.
      const bytes = bytesOf(4 * Limits.blobPieceBytes, 13)
      const id = yield* blobs.begin(partition)
      const [sent, more] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const wait = Stream.drain(
        Stream.fromEffect(Effect.andThen(Deferred.succeed(sent, undefined), Deferred.await(more)))
      )
      const growing = Stream.concat(Stream.concat(Stream.make(bytes), wait), Stream.make(bytesOf(900_000, 14)))
      const writing = yield* Effect.forkChild(Effect.exit(blobs.write(partition, id, growing)))
      yield* Deferred.await(sent)
      const parts = [{ id, bytes: bytes.length }]
      const ref = yield* blobs.digest(partition, parts)
      yield* blobs.seal(partition, parts, ref)
      yield* blobs.discard(partition, [id])
      yield* Deferred.succeed(more, undefined)
      assert.strictEqual((yield* Fiber.join(writing))._tag, "Failure")
      assertSame(yield* readAll(partition, yield* digestOf(bytes)), bytes)
      assert.strictEqual(yield* blobs.storedBytes(partition, id), 0)
    })
  )

  it.effect("parts of another partition, and parts that are gone, hold nothing and cannot be sealed", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { mine, others } = Fresh.neighbours()
      const id = yield* blobs.begin(mine)
      const ref = yield* blobs.write(mine, id, Stream.make(bytesOf(1_000, 15)))
      const parts = [{ id, bytes: 1_000 }]
      for (const other of others) {
        assert.strictEqual(yield* blobs.storedBytes(other, id), 0)
        assert.strictEqual((yield* blobs.digest(other, parts)).bytes, 0)
        yield* blobs.discard(other, [id])
        assert.strictEqual((yield* Effect.flip(blobs.seal(other, parts, ref)))._tag, "StorageError")
        assert.isFalse(yield* blobs.exists(other, ref.sha256))
      }
      assert.strictEqual(yield* blobs.storedBytes(mine, id), 1_000)
      yield* blobs.discard(mine, [id])
      assert.strictEqual((yield* Effect.flip(blobs.seal(mine, parts, ref)))._tag, "StorageError")
      assert.isFalse(yield* blobs.exists(mine, ref.sha256))
    })
  )

  it.effect("a seal that does not commit leaves the parts as they were, to be sealed again (P23, P85)", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const storage = yield* Storage
      const id = yield* blobs.begin(partition)
      const bytes = bytesOf(1_000, 16)
      const ref = yield* blobs.write(partition, id, Stream.make(bytes))
      const parts = [{ id, bytes: 1_000 }]
      const doomed = Effect.andThen(blobs.seal(partition, parts, ref), Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(storage.transaction(doomed)), "no")
      assert.strictEqual(yield* blobs.storedBytes(partition, id), 1_000)
      assert.deepStrictEqual(yield* blobs.digest(partition, parts), ref)
      yield* storage.transaction(blobs.seal(partition, parts, ref))
      yield* blobs.discard(partition, [id])
      assertSame(yield* readAll(partition, ref.sha256), bytes)
    })
  )

  it.effect("what is sealed can be read in the same transaction", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const storage = yield* Storage
      const id = yield* blobs.begin(partition)
      const bytes = bytesOf(1_000, 17)
      const ref = yield* blobs.write(partition, id, Stream.make(bytes))
      const sealed = Effect.andThen(blobs.seal(partition, [{ id, bytes: 1_000 }], ref), readAll(partition, ref.sha256))
      assertSame(yield* storage.transaction(sealed), bytes)
    })
  )
})
