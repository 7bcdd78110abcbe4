/** The journal in a folder: acknowledged records survive the end of the process and damage to the end of a file. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { CaptureRecord } from "@limbeck/capture/call/CallRecord"
import * as RecordCodec from "@limbeck/capture/call/RecordCodec"
import { Journal, type Shelf } from "@limbeck/capture/journal/Journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as FileJournal from "../../src/capture/FileJournal.ts"
import { FrameStamp, frameOf } from "../../src/capture/journal/internal/Frames.ts"
import * as Owner from "../../src/capture/journal/internal/Owner.ts"
import { Segment } from "../../src/capture/journal/internal/Segment.ts"
import * as SegmentName from "../../src/capture/journal/internal/SegmentName.ts"
import { idsOf, record } from "./Records.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "limbeck-journal-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

type Bounds = Omit<FileJournal.FileJournalOptions, "directory">

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** A journal open until the scope closes. */
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
    .filter(SegmentName.isOne)
    .map((name) => path.join(directory, name))

/** The state after a kill: the current files, in the folder of a dead process. */
const killed = (from: string, to: string) => {
  const dead = path.join(to, "dead")
  fs.mkdirSync(dead, { recursive: true })
  for (const file of filesIn(from)) fs.copyFileSync(file, path.join(dead, path.basename(file)))
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
    yield* shelf.acknowledge
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

  it.live("what was put is there again after a kill, in order (P65)", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* folder, yield* folder]
      const shelf = yield* open(first)
      yield* putAll(shelf, range(0, 100))
      killed(first, second)
      assert.deepStrictEqual(yield* drain(yield* open(second), 100), expectedIds(0, 100))
    })
  )

  it.live("a file that has grown ahead of its records loses none to a kill, and its zeros are no record (P434)", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* folder, yield* folder]
      const shelf = yield* open(first)
      // Each is a write of its own; the fourth goes into zeros.
      for (const index of range(0, 4)) yield* shelf.put(record(index))
      const [file = ""] = filesIn(first)
      const isWritten = (byte: number) => byte !== 0
      assert.isBelow(fs.readFileSync(file).findLastIndex(isWritten), fs.statSync(file).size - 100)
      killed(first, second)
      const other = yield* open(second)
      assert.deepStrictEqual(yield* drain(other, 4), expectedIds(0, 4))
      assert.deepInclude(yield* other.figures, { waiting: 0, dropped: 0, trouble: null })
      assert.deepStrictEqual(yield* drain(shelf, 4), expectedIds(0, 4))
      yield* putAll(shelf, range(4, 30))
      assert.deepStrictEqual(yield* drain(shelf, 26), expectedIds(4, 30))
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
    "when it is full records are dropped and counted, and nobody waits; when there is room again it goes on (P67)",
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

  it.live("one that cannot be written drops and counts, and says so (P67)", () =>
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
  const records = range(0, 4).map((index) => record(index, { request: new Uint8Array(index * 10) }))
  const suffix = SegmentName.newSuffix()
  const name = SegmentName.make(1, suffix)
  const marker = SegmentName.markerOf(name) as Buffer // It was made with one.

  const frame = (entry: CaptureRecord, number: number) => {
    const parts = frameOf(RecordCodec.encode(entry))
    new FrameStamp(marker).stamp(parts, number)
    return Buffer.concat(parts)
  }
  const frames = records.map((entry, index) => frame(entry, index + 1))
  const whole = Buffer.concat(frames)
  const endsOf = (parts: ReadonlyArray<Uint8Array>) => {
    let end = 0
    return parts.map(({ length }) => (end += length))
  }
  const ends = endsOf(frames)
  const tailBytes = 12

  /** The ids read from a file with these bytes, and the number of lost records. */
  const adopted = (file: string, bytes: Uint8Array) =>
    Effect.promise(async () => {
      fs.writeFileSync(file, bytes)
      const { lost, segment } = await Segment.adopt(file)
      const { records } = await segment.next({ records: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY })
      const ids = idsOf(records)
      assert.strictEqual(segment.waiting, ids.length)
      assert.strictEqual(segment.size, fs.statSync(file).size)
      await segment.close()
      return { ids, lost }
    })

  const without = (...indices: ReadonlyArray<number>) =>
    expectedIds(0, records.length).filter((_, index) => !indices.includes(index))

  it.live("with one byte changed, wherever, costs one record at most, which is counted (P68)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, name)
      for (const at of range(0, whole.length)) {
        const flipped = Buffer.from(whole)
        flipped[at] = (flipped[at] ?? 0) ^ 0xff
        const hit = ends.findIndex((end) => at < end)
        // A whole record needs no tail.
        const isTail = at >= (ends[hit] ?? 0) - tailBytes
        const kept = isTail ? { ids: without(), lost: 0 } : { ids: without(hit), lost: 1 }
        assert.deepStrictEqual(yield* adopted(file, flipped), kept)
      }
    })
  )

  it.live(
    "that ends anywhere has the whole records before, and has lost none: the last was never acknowledged (P68)",
    () =>
      Effect.gen(function* () {
        const file = path.join(yield* folder, name)
        for (const at of [...range(0, 40), ...range(ends[1] ?? 0, whole.length)]) {
          const count = ends.filter((end) => end - tailBytes <= at).length
          for (const behind of [Buffer.alloc(0), Buffer.alloc(4_096), Buffer.alloc(700, "garbage")]) {
            const bytes = Buffer.concat([whole.subarray(0, at), behind])
            assert.deepStrictEqual(yield* adopted(file, bytes), { ids: expectedIds(0, count), lost: 0 })
          }
        }
      })
  )

  it.live("has lost what lay in a hole, and what was cut out of its middle, exactly (P68)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, name)
      const [first = 0, , third = 0] = ends
      const hole = Buffer.from(whole).fill(0, first - 20, third - 40)
      assert.deepStrictEqual(yield* adopted(file, hole), { ids: without(0, 1, 2), lost: 3 })
      const cut = Buffer.concat([whole.subarray(0, first + 30), whole.subarray(third)])
      assert.deepStrictEqual(yield* adopted(file, cut), { ids: without(1, 2), lost: 2 })
      const last = Buffer.from(whole).fill(1, first + 5, third + 30)
      assert.deepStrictEqual(yield* adopted(file, last), { ids: without(1, 2, 3), lost: 3 })
    })
  )

  it.live("takes no bytes of a record for another record", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, name)
      const forged = new FrameStamp(Buffer.alloc(8, 7))
      const inner = frameOf(RecordCodec.encode(record(9)))
      forged.stamp(inner, 2)
      const outer = frame(record(0, { request: Buffer.concat(inner) }), 1)
      outer[30] = (outer[30] ?? 0) ^ 0xff
      const bytes = Buffer.concat([outer, frame(record(1), 2)])
      assert.deepStrictEqual(yield* adopted(file, bytes), { ids: expectedIds(1, 2), lost: 1 })
    })
  )

  it.live("that was renamed by hand is read", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "copy.calls")
      assert.deepStrictEqual(yield* adopted(file, whole), { ids: without(), lost: 0 })
    })
  )

  it.live("with a record that is larger than what is read at once is read", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, name)
      const large = [0, 1, 2].map((index) => record(index, { response: [new Uint8Array(index * 1_500_000)] }))
      const bytes = Buffer.concat(large.map((entry, index) => frame(entry, index + 1)))
      assert.deepStrictEqual((yield* adopted(file, bytes)).ids, expectedIds(0, 3))
      bytes[1_000_000] = 1
      assert.deepStrictEqual(yield* adopted(file, bytes), {
        ids: [...expectedIds(0, 1), ...expectedIds(2, 3)],
        lost: 1
      })
    })
  )

  it.live("of the format before is read up to where it is damaged", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "0000000001.log")
      const before = records.map((entry) => {
        const payload = Buffer.concat(RecordCodec.encode(entry))
        const head = Buffer.alloc(8)
        head.writeUInt32BE(payload.length, 0)
        head.writeUInt32BE(crc32(payload), 4)
        return Buffer.concat([head, payload])
      })
      const bytes = Buffer.concat(before)
      assert.deepStrictEqual(yield* adopted(file, bytes), { ids: without(), lost: 0 })
      assert.deepStrictEqual(yield* adopted(file, Buffer.concat([bytes, Buffer.alloc(5_000)])), {
        ids: without(),
        lost: 0
      })
      bytes[(endsOf(before)[1] ?? 0) + 30] = 0
      assert.deepStrictEqual(yield* adopted(file, bytes), { ids: expectedIds(0, 2), lost: 1 })
    })
  )

  it.live("of a process of before is taken over, and what was in it is shipped (P68)", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      fs.mkdirSync(path.join(directory, "dead"))
      const payload = Buffer.concat(RecordCodec.encode(record(0)))
      const head = Buffer.alloc(8)
      head.writeUInt32BE(payload.length, 0)
      head.writeUInt32BE(crc32(payload), 4)
      fs.writeFileSync(path.join(directory, "dead", "0000000001.log"), Buffer.concat([head, payload]))
      const shelf = yield* open(directory)
      assert.deepStrictEqual(yield* drain(shelf, 1), expectedIds(0, 1))
      assert.deepInclude(yield* shelf.figures, { waiting: 0, dropped: 0 })
    })
  )

  it.live("that is damaged where it waits costs the record that was hit", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* folder, yield* folder]
      const shelf = yield* open(first)
      yield* putAll(shelf, range(0, 30))
      killed(first, second)
      const [file = ""] = filesIn(second)
      const bytes = fs.readFileSync(file)
      bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff
      fs.writeFileSync(file, bytes)
      const other = yield* open(second)
      const ids = yield* drain(other, 29)
      assert.lengthOf(ids, 29)
      assert.deepInclude(yield* other.figures, { waiting: 0, dropped: 1 })
    })
  )
})
