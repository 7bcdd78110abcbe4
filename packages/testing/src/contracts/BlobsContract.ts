/** What every Blobs must do: the same bytes in the same order, or nothing at all. */
import { assert } from "@effect/vitest"
import { type BlobRef, Blobs } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"
import { assertSame, bytesOf, cut, digestOf, megabytes, readAll } from "./blobs.ts"

export const suite = describePort("Blobs", (it) => {
  it.effect("content in chunks of whatever size comes back the same, under its digest (P85)", () =>
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

  it.effect("an unknown digest is empty, and content of another partition is unknown (P8)", () =>
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

  it.effect("content that fails leaves nothing, and its failure is the answer (P85)", () =>
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
      yield* resources.insert(partition, Notes.kind, Notes.note()).pipe(Effect.timeout("5 minutes"))
      const other = yield* blobs.put(partition, Stream.make(tail!)).pipe(Effect.timeout("5 minutes"))
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
