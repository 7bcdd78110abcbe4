/** The journal in a folder: what it took is there again, whatever became of the process or of the end of a file. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Journal, type Shelf } from "@limbeck/gateway/capture/Journal"
import * as RecordCodec from "@limbeck/gateway/capture/RecordCodec"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as FileJournal from "../../src/gateway/FileJournal.ts"
import { frameOf } from "../../src/gateway/journal/Frames.ts"
import * as Owner from "../../src/gateway/journal/Owner.ts"
import { Segment } from "../../src/gateway/journal/Segment.ts"
import { idsOf, record } from "./Records.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "limbeck-journal-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

type Bounds = Omit<FileJournal.FileJournalOptions, "directory">

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** A journal that is open until the scope closes. */
const open = (directory: string, bounds: Bounds = {}) =>
  Effect.flatMap(Layer.build(Layer.provide(FileJournal.layer({ directory, ...bounds }), quiet)), (context) =>
    Effect.provideContext(
      Effect.map(Journal, (shelf) => shelf as Shelf), // The layer provides one.
      context
    )
  )

const filesIn = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".log"))
    .map((name) => path.join(directory, name))

/** What a kill leaves: the files as they are now, in the folder of a process that is gone. */
const killed = (from: string, to: string) => {
  const dead = path.join(to, "dead")
  fs.mkdirSync(dead, { recursive: true })
  for (const [index, file] of filesIn(from).entries()) fs.copyFileSync(file, path.join(dead, `${index}.log`))
}

const putAll = (shelf: Shelf, indices: ReadonlyArray<number>) =>
  Effect.forEach(indices, (index) => shelf.put(record(index)), { concurrency: "unbounded", discard: true })

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const batch = { records: 7, bytes: 1024 ** 2 }

/** Ships everything; answers the ids in the order of shipping. */
const drain = Effect.fnUntraced(function* (shelf: Shelf, expected: number) {
  yield* shelf.awaitWaiting(expected)
  const ids: Array<unknown> = []
  for (;;) {
    const records = yield* shelf.next(batch)
    if (records.length === 0) return ids
    ids.push(...idsOf(records))
    yield* shelf.shipped
  }
})

const expectedIds = (from: number, to: number) => idsOf(range(from, to).map((index) => record(index)))

describe("a journal", () => {
  it("a record comes back from its bytes as it was", () => {
    const given = record(1, { response: [new Uint8Array([1, 2]), new Uint8Array([3])] })
    const read = Option.getOrThrow(RecordCodec.decode(Buffer.concat(RecordCodec.encode(given))))
    assert.deepStrictEqual(
      { ...read, request: [...(read.kind === "call" ? read.request : [])] },
      { ...given, request: [...given.request], response: [new Uint8Array([1, 2, 3])] }
    )
  })

  it.live("what was put is there again after a kill, in order", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* folder, yield* folder]
      const shelf = yield* open(first)
      yield* putAll(shelf, range(0, 100))
      killed(first, second)
      assert.deepStrictEqual(yield* drain(yield* open(second), 100), expectedIds(0, 100))
    })
  )

  it.live("records that are too many for the memory are read from the disk, as they were", () =>
    Effect.gen(function* () {
      const bounds = { heldBytesMax: 2_000, segmentBytes: 4_000 }
      const directory = yield* folder
      const shelf = yield* open(directory, bounds)
      for (const index of range(0, 60)) yield* shelf.put(record(index))
      assert.isAbove(filesIn(directory).length, 2)
      const [head] = yield* shelf.next({ records: 1, bytes: 1 })
      assert.deepStrictEqual(head, record(0))
      assert.deepStrictEqual(yield* drain(shelf, 60), expectedIds(0, 60))
      yield* putAll(shelf, range(60, 90))
      assert.deepStrictEqual(yield* drain(shelf, 30), expectedIds(60, 90))
    })
  )

  it.live("what is shipped is gone from the disk", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const shelf = yield* open(directory, { segmentBytes: 4_000 })
      yield* putAll(shelf, range(0, 30))
      yield* drain(shelf, 30)
      const sizes = filesIn(directory).map((file) => fs.statSync(file).size)
      assert.deepStrictEqual(
        sizes.filter((size) => size > 0),
        []
      )
      assert.deepInclude(yield* shelf.figures, { waiting: 0, dropped: 0, trouble: null })
    })
  )

  it.live("a batch that is not shipped comes again", () =>
    Effect.gen(function* () {
      const shelf = yield* open(yield* folder)
      yield* putAll(shelf, range(0, 10))
      const once = yield* shelf.next(batch)
      assert.deepStrictEqual(idsOf(yield* shelf.next(batch)), idsOf(once))
      assert.lengthOf(once, batch.records)
    })
  )

  it.live(
    "when it is full records are dropped and counted, and nobody waits; when there is room again it goes on",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const shelf = yield* open(directory, { bytesMax: 10_000 })
        yield* putAll(shelf, range(0, 10))
        yield* Effect.forEach(range(10, 100), (index) => shelf.put(record(index)), { discard: true })
        const { dropped, trouble, waiting } = yield* shelf.figures
        assert.strictEqual(dropped + waiting, 100)
        assert.isAbove(dropped, 50)
        assert.strictEqual(trouble, "The journal of captured calls is full")
        assert.isBelow(
          filesIn(directory).reduce((sum, file) => sum + fs.statSync(file).size, 0),
          10_001
        )
        yield* drain(shelf, 1)
        yield* shelf.put(record(100))
        assert.deepStrictEqual(yield* shelf.figures, { waiting: 1, dropped, trouble: null })
      })
  )

  it.live("one that cannot be written drops and counts, and says so", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "file")
      fs.writeFileSync(file, "")
      const shelf = yield* open(path.join(file, "journal"))
      yield* putAll(shelf, range(0, 3))
      const trouble = "The journal cannot be written: ENOTDIR"
      assert.deepStrictEqual(yield* shelf.figures, { waiting: 0, dropped: 3, trouble })
      fs.rmSync(file)
      yield* putAll(shelf, range(3, 5))
      assert.deepStrictEqual(yield* shelf.figures, { waiting: 2, dropped: 3, trouble: null })
    })
  )

  it.live("what a process leaves when it ends is shipped by another that shares the folder", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [one, other] = [yield* open(directory), yield* open(directory)]
      yield* putAll(one, range(0, 3))
      yield* Effect.scoped(Effect.flatMap(open(directory), (shelf) => putAll(shelf, range(3, 6))))
      // Either may take it over; neither touches what the other has.
      const waiting = Effect.all([one.figures, other.figures]).pipe(
        Effect.map(([first, second]) => first.waiting + second.waiting)
      )
      yield* Effect.repeat(waiting, { until: (sum) => sum === 6, schedule: Schedule.spaced("20 millis") })
      const ids = [...(yield* drain(one, 3)), ...(yield* drain(other, 0))]
      assert.sameMembers(ids, [...expectedIds(0, 6)])
    })
  )

  it("a process that is gone is told from one that runs, and from one that got its number", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
    await once(child, "spawn")
    const self = Owner.self()
    const owner = { ...self, pid: child.pid ?? 0, startedAt: null }
    assert.isFalse(Owner.isGone(self, 0))
    assert.isFalse(Owner.isGone(owner, 0))
    assert.isTrue(Owner.isGone({ ...self, startedAt: "1" }, 0))
    child.kill("SIGKILL")
    await once(child, "exit")
    assert.isTrue(Owner.isGone(owner, Owner.now()))
    const elsewhere = { ...owner, place: "elsewhere" }
    assert.isFalse(Owner.isGone(elsewhere, Owner.now() - 1_000))
    assert.isTrue(Owner.isGone(elsewhere, Owner.now() - 60_000))
    assert.isTrue(Owner.isGone(null, 0))
  })
})

describe("a file of the journal", () => {
  const records = range(0, 3).map((index) => record(index, { request: new Uint8Array(index * 10) }))
  const frames = records.map((entry) => Buffer.concat(frameOf(RecordCodec.encode(entry))))
  const whole = Buffer.concat(frames)
  const ends = frames.map((_, index) => frames.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0))
  const wholeBefore = (at: number) => ends.filter((end) => end <= at).length

  /** The ids that are read of a file with these bytes, and how many bytes of it are left. */
  const adopted = async (file: string, bytes: Uint8Array) => {
    fs.writeFileSync(file, bytes)
    const { segment } = await Segment.adopt(file)
    const ids: Array<unknown> = []
    for await (const { payload } of segment.frames())
      ids.push(...idsOf([Option.getOrThrow(RecordCodec.decode(payload))]))
    assert.strictEqual(segment.waiting, ids.length)
    await segment.close()
    return { ids, left: fs.statSync(file).size }
  }

  it.live("cut or changed at any byte, whole records before it are kept, and the rest is cut off", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "0.log")
      for (const at of range(0, whole.length)) {
        const count = wholeBefore(at)
        const kept = { ids: expectedIds(0, count), left: ends[count - 1] ?? 0 }
        const flipped = Buffer.from(whole)
        flipped[at] = (flipped[at] ?? 0) ^ 0xff
        for (const bytes of [whole.subarray(0, at), flipped]) {
          assert.deepStrictEqual(yield* Effect.promise(() => adopted(file, bytes)), kept)
        }
      }
      const garbage = Buffer.concat([whole, Buffer.alloc(5_000)])
      const all = { ids: expectedIds(0, 3), left: whole.length }
      assert.deepStrictEqual(yield* Effect.promise(() => adopted(file, garbage)), all)
    })
  )

  it.live("with a record that is larger than what is read at once is read", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "0.log")
      const large = [0, 1, 2].map((index) => record(index, { response: [new Uint8Array(index * 1_500_000)] }))
      const bytes = Buffer.concat(large.flatMap((entry) => frameOf(RecordCodec.encode(entry))))
      const { ids } = yield* Effect.promise(() => adopted(file, bytes))
      assert.deepStrictEqual(ids, expectedIds(0, 3))
    })
  )
})
