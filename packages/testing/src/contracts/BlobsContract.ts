/** What every Blobs must do: the same bytes in the same order, or nothing at all. */
import { assert } from "@effect/vitest"
import { type BlobRef, Blobs } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import { Digest, layerWebCrypto, sha256 } from "effect/crypto/Digest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"

/** Bytes without a short period, different for every `seed`. */
const bytesOf = (length: number, seed: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[at] = state >>> 24
  }
  return bytes
}

const cut = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

const digestOf = (bytes: Uint8Array) =>
  Effect.flatMap(Digest, (digest) => digest.digestHex(sha256, bytes)).pipe(Effect.provide(layerWebCrypto))

const readAll = Effect.fnUntraced(function* (partition: Partition, digest: string) {
  const blobs = yield* Blobs
  return Buffer.concat(yield* Stream.runCollect(blobs.get(partition, digest)))
})

/** Compares without printing megabytes. */
const assertSame = (actual: Uint8Array, expected: Uint8Array) => {
  assert.strictEqual(actual.length, expected.length)
  assert.strictEqual(Buffer.compare(actual, expected), 0)
}

/** Of one partition: others may use the storage at the same time. */
const quietIn = Effect.fnUntraced(function* (partition: Partition, before: number) {
  const keys = yield* Stream.runCollect((yield* Blobs).quiet(before))
  return keys.filter((key) => key.partition.key === partition.key).map(({ sha256 }) => sha256)
})

/** A time that nothing was written at yet, and everything after. */
const nextMilli = Effect.gen(function* () {
  const last = yield* Clock.currentTimeMillis
  while ((yield* Clock.currentTimeMillis) <= last) yield* Effect.yieldNow
  return yield* Clock.currentTimeMillis
})

const megabytes = 3 * 1024 * 1024 + 12_345

export const suite = describePort("Blobs", (it) => {
  it.effect("content in chunks of whatever size comes back the same, under its digest", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(megabytes, 1)
      const expected: BlobRef = { sha256: yield* digestOf(bytes), bytes: megabytes }
      for (const size of [997, 65_537, Limits.blobPieceBytes, 1_000_003, megabytes]) {
        const chunks = cut(bytes, size).flatMap((chunk) => [chunk, new Uint8Array(0)])
        assert.deepStrictEqual(yield* blobs.put(partition, Stream.fromIterable(chunks)), expected)
      }
      assertSame(yield* readAll(partition, expected.sha256), bytes)
      assert.isTrue(yield* blobs.exists(partition, expected.sha256))
    })
  )

  it.effect("empty and tiny content is content", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      for (const length of [0, 1, 2]) {
        const bytes = bytesOf(length, 2)
        const ref = yield* blobs.put(partition, Stream.fromIterable(cut(bytes, 1)))
        assert.deepStrictEqual(ref, { sha256: yield* digestOf(bytes), bytes: length })
        assert.isTrue(yield* blobs.exists(partition, ref.sha256))
        assertSame(yield* readAll(partition, ref.sha256), bytes)
      }
    })
  )

  it.effect("a sender may use its buffer again", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(700_000, 3)
      const buffer = new Uint8Array(10_000)
      const chunks = Stream.map(Stream.fromIterable(cut(bytes, 10_000), { chunkSize: 1 }), (chunk) => {
        buffer.set(chunk)
        return buffer
      })
      const { sha256 } = yield* blobs.put(partition, chunks)
      assert.strictEqual(sha256, yield* digestOf(bytes))
      assertSame(yield* readAll(partition, sha256), bytes)
    })
  )

  it.effect("an unknown digest is empty, and content of another partition is unknown", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { mine, others } = Fresh.neighbours()
      const ref = yield* blobs.put(mine, Stream.make(bytesOf(1_000, 4)))
      for (const [partition, digest] of [
        [mine, "0".repeat(64)],
        [mine, "no digest"],
        [others[0], ref.sha256],
        [others[1], ref.sha256]
      ] as const) {
        assert.isFalse(yield* blobs.exists(partition, digest))
        assert.strictEqual((yield* readAll(partition, digest)).length, 0)
      }
    })
  )

  it.effect("partitions that keep the same content keep it each for itself", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { mine, others } = Fresh.neighbours()
      const bytes = bytesOf(300_000, 5)
      const refs = yield* Effect.forEach([mine, ...others], (partition) => blobs.put(partition, Stream.make(bytes)))
      assert.strictEqual(new Set(refs.map(({ sha256 }) => sha256)).size, 1)
      for (const partition of [mine, ...others]) assertSame(yield* readAll(partition, refs[0]!.sha256), bytes)
    })
  )

  it.effect("content that fails leaves nothing, and its failure is the answer", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(megabytes, 6)
      const content = Stream.concat(Stream.fromIterable(cut(bytes, 100_003)), Stream.fail("cut off" as const))
      assert.strictEqual(yield* Effect.flip(blobs.put(partition, content)), "cut off")
      const partial = [bytes.length, Limits.blobPieceBytes, 2 * Limits.blobPieceBytes, 0].map((length) =>
        digestOf(bytes.subarray(0, length))
      )
      for (const digest of yield* Effect.all(partial)) {
        assert.isFalse(yield* blobs.exists(partition, digest))
        assert.strictEqual((yield* readAll(partition, digest)).length, 0)
      }
      // And the way is free for the whole content.
      const ref = yield* blobs.put(partition, Stream.make(bytes))
      assertSame(yield* readAll(partition, ref.sha256), bytes)
    })
  )

  it.effect("a put that is interrupted leaves nothing", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(1_000_000, 7)
      const sent = yield* Deferred.make<void>()
      const stuck = Stream.fromEffect(Effect.andThen(Deferred.succeed(sent, undefined), Effect.never))
      const putting = yield* Effect.forkChild(
        blobs.put(partition, Stream.concat(Stream.fromIterable(cut(bytes, 100_000)), stuck))
      )
      yield* Deferred.await(sent)
      const digest = yield* digestOf(bytes)
      assert.isFalse(yield* blobs.exists(partition, digest))
      yield* Fiber.interrupt(putting)
      assert.isFalse(yield* blobs.exists(partition, digest))
      assert.strictEqual((yield* readAll(partition, digest)).length, 0)
    })
  )

  it.effect("a slow sender holds up nobody", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const resources = yield* ResourceStore
      const partition = Fresh.partition()
      const release = yield* Deferred.make<void>()
      const sent = yield* Deferred.make<void>()
      const wait = Stream.drain(
        Stream.fromEffect(Effect.andThen(Deferred.succeed(sent, undefined), Deferred.await(release)))
      )
      const [head, tail] = cut(bytesOf(600_000, 8), 300_000)
      const content = Stream.concat(Stream.concat(Stream.make(head!), wait), Stream.make(tail!))
      const putting = yield* Effect.forkChild(blobs.put(partition, content))
      yield* Deferred.await(sent)
      yield* resources.insert(partition, Notes.kind, Notes.note()).pipe(Effect.timeout("60 seconds"))
      const other = yield* blobs.put(partition, Stream.make(tail!)).pipe(Effect.timeout("60 seconds"))
      assertSame(yield* readAll(partition, other.sha256), tail!)
      yield* Deferred.succeed(release, undefined)
      const ref = yield* Fiber.join(putting)
      assertSame(yield* readAll(partition, ref.sha256), bytesOf(600_000, 8))
    })
  )

  it.effect("the same content put by many at once is kept once whole", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(800_000, 9)
      const put = (size: number) => blobs.put(partition, Stream.fromIterable(cut(bytes, size)))
      const refs = yield* Effect.forEach([9_973, 50_000, 99_991, 262_144, 800_000], put, { concurrency: "unbounded" })
      assert.strictEqual(new Set(refs.map(({ sha256 }) => sha256)).size, 1)
      assertSame(yield* readAll(partition, refs[0]!.sha256), bytes)
    })
  )

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
          assert.strictEqual(yield* blobs.kept(partition, id), piece.length)
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
      for (const { id } of parts) assert.strictEqual(yield* blobs.kept(partition, id), 0)
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
      assert.strictEqual(yield* blobs.kept(partition, first), 300_007)
      assert.strictEqual(yield* blobs.kept(partition, first, 300_007), 300_007)
      assert.isAtMost(yield* blobs.kept(partition, first, 300_006), 300_006)
      const second = yield* blobs.begin(partition)
      const sent = yield* Deferred.make<void>()
      const stuck = Stream.fromEffect(Effect.andThen(Deferred.succeed(sent, undefined), Effect.never))
      const rest = Stream.concat(Stream.make(bytes.subarray(300_007)), stuck)
      const writing = yield* Effect.forkChild(blobs.write(partition, second, rest))
      yield* Deferred.await(sent)
      yield* Fiber.interrupt(writing)
      const parts = [
        { id: first, bytes: 300_007 },
        { id: second, bytes: yield* blobs.kept(partition, second) }
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
      // Whole pieces, where content is kept in pieces: what is less than one is kept at its end.
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
      assert.strictEqual(yield* blobs.kept(partition, id), 0)
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
        assert.strictEqual(yield* blobs.kept(other, id), 0)
        assert.strictEqual((yield* blobs.digest(other, parts)).bytes, 0)
        yield* blobs.discard(other, [id])
        assert.strictEqual((yield* Effect.flip(blobs.seal(other, parts, ref)))._tag, "StorageError")
        assert.isFalse(yield* blobs.exists(other, ref.sha256))
      }
      assert.strictEqual(yield* blobs.kept(mine, id), 1_000)
      yield* blobs.discard(mine, [id])
      assert.strictEqual((yield* Effect.flip(blobs.seal(mine, parts, ref)))._tag, "StorageError")
      assert.isFalse(yield* blobs.exists(mine, ref.sha256))
    })
  )

  it.effect("a seal that does not commit leaves the parts as they were, to be sealed again", () =>
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
      assert.strictEqual(yield* blobs.kept(partition, id), 1_000)
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

  it.effect("content is quiet until it is put or sealed again, in its own partition alone", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { mine, others } = Fresh.neighbours()
      const bytes = bytesOf(1_000, 18)
      for (const partition of [mine, ...others]) yield* blobs.put(partition, Stream.make(bytes))
      const { sha256 } = yield* blobs.put(mine, Stream.make(bytesOf(1_000, 19)))
      const tomorrow = (yield* Clock.currentTimeMillis) + 86_400_000
      assert.deepStrictEqual((yield* quietIn(mine, tomorrow)).length, 2)
      assert.include(yield* quietIn(mine, tomorrow), sha256)
      for (const other of others) assert.strictEqual((yield* quietIn(other, tomorrow)).length, 1)
      const before = yield* nextMilli
      assert.include(yield* quietIn(mine, before), sha256)
      const id = yield* blobs.begin(mine)
      const ref = yield* blobs.write(mine, id, Stream.make(bytes))
      yield* blobs.seal(mine, [{ id, bytes: 1_000 }], ref)
      assert.deepStrictEqual(yield* quietIn(mine, before), [sha256])
      yield* blobs.put(mine, Stream.make(bytesOf(1_000, 19)))
      assert.deepStrictEqual(yield* quietIn(mine, before), [])
    })
  )

  it.effect("only quiet content is removed, and what is put again is there again", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const { mine, others } = Fresh.neighbours()
      const bytes = bytesOf(700_000, 20)
      const started = yield* Clock.currentTimeMillis
      const put = (partition: Partition) => blobs.put(partition, Stream.fromIterable(cut(bytes, 100_000)))
      const { sha256 } = yield* put(mine)
      for (const other of others) yield* put(other)
      assert.isFalse(yield* blobs.removeIfQuiet(mine, sha256, started))
      assertSame(yield* readAll(mine, sha256), bytes)
      const later = yield* nextMilli
      assert.isTrue(yield* blobs.removeIfQuiet(mine, sha256, later))
      assert.isFalse(yield* blobs.removeIfQuiet(mine, sha256, later))
      assert.isFalse(yield* blobs.removeIfQuiet(mine, "no digest", later))
      assert.isFalse(yield* blobs.exists(mine, sha256))
      assert.strictEqual((yield* readAll(mine, sha256)).length, 0)
      for (const other of others) assertSame(yield* readAll(other, sha256), bytes)
      yield* put(mine)
      assert.isFalse(yield* blobs.removeIfQuiet(mine, sha256, later))
      assertSame(yield* readAll(mine, sha256), bytes)
    })
  )

  it.effect("content that is put while others remove it is there in the end", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(300_000, 21)
      const { sha256 } = yield* blobs.put(partition, Stream.make(bytes))
      let removals = 0
      for (let round = 0; round < 30; round++) {
        const before = yield* nextMilli
        const removal = Effect.map(blobs.removeIfQuiet(partition, sha256, before), (removed) => {
          if (removed) removals++
        })
        const put = blobs.put(partition, Stream.fromIterable(cut(bytes, 50_000 + round * 5_000)))
        const both = round % 2 === 0 ? [removal, put, removal] : [put, removal, removal, put]
        yield* Effect.all(both, { concurrency: "unbounded" })
        assertSame(yield* readAll(partition, sha256), bytes)
      }
      assert.isAtLeast(removals, 1)
    })
  )

  it.effect("content whose seal is not committed yet is not removed under it", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const storage = yield* Storage
      const partition = Fresh.partition()
      const bytes = bytesOf(1_000, 22)
      yield* blobs.put(partition, Stream.make(bytes))
      const before = yield* nextMilli
      const id = yield* blobs.begin(partition)
      const ref = yield* blobs.write(partition, id, Stream.make(bytes))
      const [sealed, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const sealing = blobs
        .seal(partition, [{ id, bytes: 1_000 }], ref)
        .pipe(Effect.andThen(Deferred.succeed(sealed, undefined)), Effect.andThen(Deferred.await(commit)))
      const transaction = yield* Effect.forkChild(storage.transaction(sealing))
      yield* Deferred.await(sealed)
      const removing = yield* Effect.forkChild(blobs.removeIfQuiet(partition, ref.sha256, before))
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(transaction)
      assert.isFalse(yield* Fiber.join(removing))
      assertSame(yield* readAll(partition, ref.sha256), bytes)
    })
  )

  it.effect("a reader may stop after the first bytes", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const partition = Fresh.partition()
      const bytes = bytesOf(megabytes, 10)
      const { sha256 } = yield* blobs.put(partition, Stream.make(bytes))
      const [first] = yield* Stream.runCollect(Stream.take(blobs.get(partition, sha256), 1))
      assertSame(first!, bytes.subarray(0, first!.length))
      assertSame(yield* readAll(partition, sha256), bytes)
    })
  )
})
