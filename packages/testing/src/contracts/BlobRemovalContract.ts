/** Blobs' promises about removal: content put again meanwhile survives. */
import { assert } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { assertSame, bytesOf, cut, nextMilli, quietIn, readAll } from "./blobs.ts"

export const suite = describePort("Blobs, removal", (it) => {
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

  it.effect("content that is put while others remove it is there in the end (P87)", () =>
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

  it.effect("content whose seal is not committed yet is not removed under it (P87)", () =>
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
})
