/** A folder of blobs beyond the contract: restarts, concurrent processes, leftovers and forged names. */
import * as fs from "node:fs/promises"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import * as BlobsInstead from "@limbeck/node/blobs/BlobsInstead"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { filesIn, freshFolder } from "@limbeck/testing/Folders"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FolderBlobs from "../../src/blobs/internal/FolderBlobs.ts"
import { sweep } from "../../src/blobs/internal/Sweep.ts"

const dayMillis = 86_400_000

const content = (size: number, fill = 1) => new Uint8Array(size).fill(fill)
const readAll = (blobs: Blobs["Service"], partition: ReturnType<typeof Fresh.partition>, sha256: string) =>
  Effect.map(Stream.runCollect(blobs.get(partition, sha256)), (chunks) => Buffer.concat(chunks))

/** A write that has brought `bytes` and waits to go on. */
const writing = Effect.fnUntraced(function* (
  begin: (content: Stream.Stream<Uint8Array>) => Effect.Effect<unknown, unknown>,
  bytes: number
) {
  const [written, more] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Stream.drain(
    Stream.fromEffect(Deferred.succeed(written, undefined).pipe(Effect.andThen(Deferred.await(more))))
  )
  const ended = yield* Effect.forkChild(
    Effect.exit(begin(Stream.make(content(bytes)).pipe(Stream.concat(wait), Stream.concat(Stream.make(content(5))))))
  )
  yield* Deferred.await(written)
  return { ended, goOn: Deferred.succeed(more, undefined) }
})

/** Backdates the last write of everything below. */
const age = async (folder: string, millis: number, now: number) => {
  const seconds = (now - millis) / 1000
  for (const name of await fs.readdir(folder, { recursive: true })) {
    await fs.utimes(path.join(folder, name), seconds, seconds)
  }
}

describe("a folder of blobs", () => {
  it.live("a process that opens it later, or another one, has all contents and parts (P85)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const partition = Fresh.partition()
      const [one, other] = [FolderBlobs.make(folder), FolderBlobs.make(folder)]
      const { sha256 } = yield* one.put(partition, Stream.make(content(700_000)))
      const part = yield* one.begin(partition)
      yield* one.write(partition, part, Stream.make(content(1_000, 2)))
      assert.strictEqual((yield* readAll(other, partition, sha256)).length, 700_000)
      assert.strictEqual(yield* other.storedBytes(partition, part), 1_000)
      const parts = [{ id: part, bytes: 1_000 }]
      const ref = yield* other.digest(partition, parts)
      yield* other.seal(partition, parts, ref)
      yield* other.discard(partition, [part])
      assert.deepStrictEqual(new Uint8Array(yield* readAll(one, partition, ref.sha256)), content(1_000, 2))
    })
  )

  it.live("names that are made up reach no file (P85)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const blobs = FolderBlobs.make(path.join(folder, "blobs"))
      const partition = Fresh.partition()
      yield* blobs.begin(partition)
      yield* Effect.promise(() => fs.writeFile(path.join(folder, "secret"), "kept"))
      const up = `../../../secret`
      for (const name of [up, "..", ".", "", `/${folder}/secret`, `${"a".repeat(64)}/../${up}`, "a\0b"]) {
        assert.isFalse(yield* blobs.exists(partition, name), name)
        assert.strictEqual((yield* readAll(blobs, partition, name)).length, 0)
        assert.strictEqual(yield* blobs.storedBytes(partition, name), 0)
        assert.isFalse(yield* blobs.removeIfQuiet(partition, name, Number.MAX_SAFE_INTEGER))
        yield* blobs.discard(partition, [name])
        assert.strictEqual((yield* Effect.flip(blobs.write(partition, name, Stream.empty)))._tag, "StorageError")
      }
      assert.strictEqual(yield* Effect.promise(() => fs.readFile(path.join(folder, "secret"), "utf8")), "kept")
    })
  )

  it.live("nothing of a put that failed stays behind", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const blobs = FolderBlobs.make(folder)
      const broken = Stream.concat(Stream.make(content(300_000)), Stream.fail("cut off" as const))
      yield* Effect.flip(blobs.put(Fresh.partition(), broken))
      assert.deepStrictEqual(yield* Effect.promise(() => filesIn(folder)), [])
    })
  )

  it.live("parts that no upload resumes, and puts that never ended, go after a day; what was stored stays", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const blobs = FolderBlobs.make(folder)
      const partition = Fresh.partition()
      const now = yield* Clock.currentTimeMillis
      const { sha256 } = yield* blobs.put(partition, Stream.make(content(1_000)))
      const part = yield* blobs.begin(partition)
      yield* blobs.write(partition, part, Stream.make(content(1_000, 2)))
      const slow = yield* writing((bytes) => blobs.put(partition, bytes), 1_000)
      yield* Effect.promise(() => age(folder, dayMillis - 60_000, now))
      assert.strictEqual(yield* Effect.promise(() => sweep(folder, now)), 0)
      yield* Effect.promise(() => age(folder, dayMillis + 60_000, now))
      assert.strictEqual(yield* Effect.promise(() => sweep(folder, now)), 2)
      assert.strictEqual(yield* blobs.storedBytes(partition, part), 0)
      yield* slow.goOn
      assert.strictEqual((yield* Fiber.join(slow.ended))._tag, "Failure")
      assert.strictEqual((yield* readAll(blobs, partition, sha256)).length, 1_000)
      assert.lengthOf(yield* Effect.promise(() => filesIn(folder)), 1)
    })
  )

  it.live("a part that is still written is not swept, however long it takes", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const blobs = FolderBlobs.make(folder)
      const partition = Fresh.partition()
      const part = yield* blobs.begin(partition)
      const slow = yield* writing((bytes) => blobs.write(partition, part, bytes), 1_000)
      assert.strictEqual(yield* Effect.promise(() => sweep(folder, Date.parse("2000-01-01"))), 0)
      yield* slow.goOn
      assert.strictEqual((yield* Fiber.join(slow.ended))._tag, "Success")
    })
  )

  it.live("what a process that died was taking away is removed, or kept for the put that came meanwhile", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const blobs = FolderBlobs.make(folder)
      const partition = Fresh.partition()
      const before = (yield* Clock.currentTimeMillis) - 1_000
      for (const isFresh of [true, false]) {
        const { sha256 } = yield* blobs.put(partition, Stream.make(content(1_000)))
        const place = path.join(folder, partition.key, "content", sha256.slice(0, 2), sha256)
        if (!isFresh) yield* Effect.promise(() => fs.utimes(place, 1, 1))
        yield* Effect.promise(() => fs.rename(place, `${place}.going`))
        // On its way, it is still there.
        assert.strictEqual((yield* readAll(blobs, partition, sha256)).length, 1_000)
        assert.strictEqual(yield* blobs.removeIfQuiet(partition, sha256, before), !isFresh)
        assert.strictEqual(yield* blobs.exists(partition, sha256), isFresh)
      }
      assert.deepStrictEqual(yield* Effect.promise(() => filesIn(folder)), [])
    })
  )
})

describe("a storage whose blobs are in a folder from now on", () => {
  it.live("reads what it has already where it is, and keeps and forgets in both (P86)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const partition = Fresh.partition()
      const ports = yield* Layer.build(StorageMemory.layer)
      const older = Context.get(ports, Blobs)
      const { sha256: old } = yield* older.put(partition, Stream.make(content(1_000)))
      const after = yield* Layer.build(BlobsInstead.inFolder(Layer.succeedContext(ports), folder))
      const blobs = Context.get(after, Blobs)
      assert.isTrue(yield* blobs.exists(partition, old))
      assert.strictEqual((yield* readAll(blobs, partition, old)).length, 1_000)
      const { sha256: fresh } = yield* blobs.put(partition, Stream.make(content(2_000)))
      assert.isFalse(yield* older.exists(partition, fresh))
      const later = (yield* Clock.currentTimeMillis) + 1_000
      const quiet = yield* Stream.runCollect(blobs.quiet(later))
      assert.deepStrictEqual(quiet.map(({ sha256 }) => sha256).sort(), [old, fresh].sort())
      for (const digest of [old, fresh]) {
        assert.isTrue(yield* blobs.removeIfQuiet(partition, digest, later))
        assert.isFalse(yield* blobs.exists(partition, digest))
      }
      assert.isFalse(yield* older.exists(partition, old))
    })
  )
})
