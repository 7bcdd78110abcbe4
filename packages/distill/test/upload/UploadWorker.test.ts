import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { Pools } from "@limbeck/core/pools/Pools"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { DistillLimits } from "@limbeck/distill/Limits"
import { finalRange } from "@limbeck/distill/upload/ContentRange"
import * as Upload from "@limbeck/distill/upload/Upload"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import { layer, UploadWorker } from "@limbeck/distill/upload/UploadWorker"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { built, bytesOf, eventsOf, jsonl, live, rowOf, stranger, streamOf, test, uploaded, world } from "./World.ts"

const good = rowOf("a", "b")

const sent = Effect.fnUntraced(function* (content: Uint8Array, gzipHint = false, partition = live) {
  const uploads = yield* Uploads
  const { id } = yield* uploads.create(partition, { filename: "calls.jsonl" })
  return yield* uploads.content(partition, id, null, streamOf(content), { gzipHint })
})

describe("UploadWorker", () => {
  it.effect("reads an upload of another workspace beside any number of one that never end (P820)", () =>
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const hanging = Blobs.of({
        ...blobs,
        get: (partition, ...args) => (partition.key === live.key ? Stream.never : blobs.get(partition, ...args))
      })
      const worker = yield* Effect.provide(
        UploadWorker,
        Layer.provide(Layer.fresh(layer), Layer.succeed(Blobs, hanging))
      )
      yield* Effect.replicateEffect(sent(bytesOf(jsonl([good]))), Pools.uploads.size, { discard: true })
      yield* Effect.forkChild(worker.forever)
      yield* TestClock.adjust(1)
      const { id } = yield* sent(bytesOf(jsonl([good])), false, stranger)
      yield* Effect.repeat(Effect.andThen(TestClock.adjust(1), (yield* Uploads).get(stranger, id)), {
        until: ({ status }) => status === "succeeded",
        times: 1_000
      })
      assert.strictEqual((yield* (yield* Uploads).get(stranger, id)).status, "succeeded")
    }).pipe(Effect.provide(world))
  )

  it.effect("an upload whose every line is a row succeeds, and says so", () =>
    Effect.gen(function* () {
      const upload = yield* uploaded(jsonl([good, good, rowOf("c", "d")]))
      assert.deepInclude(upload, { status: "succeeded", rows: 3, errors: [], errorCount: 0 })
      const [event] = yield* eventsOf()
      assert.strictEqual(event?.type, "distill.upload.succeeded")
      assert.deepInclude(JSON.parse(event?.body ?? "null").data.object, {
        id: upload.id,
        object: "upload",
        status: "succeeded",
        rows: 3
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("a byte order mark, CRLF, blank lines and a missing last newline are no mistakes", () =>
    Effect.gen(function* () {
      const upload = yield* uploaded(`\ufeff${good}\r\n\r\n   \n\t${good} \r\n${good}`)
      assert.deepInclude(upload, { status: "succeeded", rows: 3 })
    }).pipe(Effect.provide(world))
  )

  it.effect("an upload without lines succeeds with no rows", () =>
    Effect.gen(function* () {
      for (const content of ["", "\n\n"]) {
        assert.deepInclude(yield* uploaded(content), { status: "succeeded", rows: 0 })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a bad line fails the whole upload, and is named by its number, blank lines counted (P23)", () =>
    Effect.gen(function* () {
      const upload = yield* uploaded(jsonl([good, "", "{", good, '{"messages":[]}', "[]"]))
      assert.strictEqual(upload.status, "failed")
      assert.isNull(upload.rows)
      assert.strictEqual(upload.errorCount, 3)
      assert.deepStrictEqual(upload.errors, [
        { line: 3, message: "Not JSON" },
        { line: 5, message: "messages[0]: This field is required" },
        { line: 6, message: "Expected object" }
      ])
      assert.deepStrictEqual(
        (yield* eventsOf()).map(({ type }) => type),
        ["distill.upload.failed"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("of many bad lines the first fifty are named and all are counted", () =>
    Effect.gen(function* () {
      const upload = yield* uploaded(jsonl(Array.from({ length: 130 }, () => "no")))
      assert.strictEqual(upload.errorCount, 130)
      assert.deepStrictEqual(
        upload.errors.map(({ line }) => line),
        Array.from({ length: 50 }, (_, index) => index + 1)
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("bytes that are not UTF-8 are a bad line, not a changed one", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array([...bytesOf(`${good}\n"`), 0xff, 0xfe, ...bytesOf(`"\n${good}`)])
      assert.deepStrictEqual((yield* uploaded(bytes)).errors, [{ line: 2, message: "Not UTF-8" }])
    }).pipe(Effect.provide(world))
  )

  it.effect("gzip is told by its first bytes, also when they come one by one", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl.gz" })
      const zipped = gzipSync(jsonl([good, rowOf("ü", "🙂")]))
      const processing = yield* uploads.content(live, id, null, streamOf(zipped, 1), { gzipHint: false })
      assert.isTrue(processing.gzip)
      yield* (yield* UploadWorker).runOnce
      assert.deepInclude(yield* uploads.get(live, id), { status: "succeeded", rows: 2 })
    }).pipe(Effect.provide(world))
  )

  it.effect("gzip may be of several members, wherever the chunks end", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const lines = Array.from({ length: 100 }, (_, index) => `${rowOf(`${index}`, "b")}\n`)
      // The second member is empty, and the third begins in the middle of a line.
      const members = ["", lines.slice(0, 50).join("") + (lines[50] ?? "").slice(0, 9), "", (lines[50] ?? "").slice(9)]
      const zipped = Buffer.concat([...members, lines.slice(51).join("")].map((text) => gzipSync(text)))
      for (const chunkBytes of [1, 7, 64, 100_000]) {
        const { id } = yield* uploads.create(live, { filename: "calls.jsonl.gz" })
        yield* uploads.content(live, id, null, streamOf(zipped, chunkBytes), { gzipHint: false })
        yield* (yield* UploadWorker).runOnce
        assert.deepInclude(yield* uploads.get(live, id), { status: "succeeded", rows: 100 })
        assert.deepInclude(yield* built(id), { status: "ready", rows: 100 })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("what is called gzip and is none, is cut short, or goes on as something else, fails as a whole", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const zipped = gzipSync(jsonl(Array.from({ length: 100 }, (_, index) => rowOf(`${index}`, "b"))))
      const two = Buffer.concat([zipped, zipped])
      const short = "it ends before its last member does"
      const damaged = "what is packed is damaged, or something else follows it"
      const trailing = "something else follows its last member"
      const cases = [
        [bytesOf(good), damaged],
        [zipped.subarray(0, zipped.length - 9), short],
        [zipped.subarray(0, 1), short],
        [two.subarray(0, two.length - 1), short],
        [two.subarray(0, zipped.length + 1), short],
        [Buffer.concat([zipped, bytesOf(good)]), damaged],
        [Buffer.concat([zipped, new Uint8Array(3)]), trailing],
        [Buffer.concat([zipped, new Uint8Array(1), zipped]), trailing],
        [zipped.with(60, zipped[60]! ^ 255), damaged]
      ] as const
      for (const [content, reason] of cases) {
        const { id } = yield* sent(content, true)
        yield* (yield* UploadWorker).runOnce
        const upload = yield* uploads.get(live, id)
        assert.strictEqual(upload.status, "failed")
        assert.deepStrictEqual(upload.errors, [{ line: 0, message: `Not gzip throughout: ${reason}` }])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a line that unpacks to more than a row may have is passed over, not held", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(new Uint8Array(DistillLimits.rowBytesMax + 1).fill(0x20))
      const upload = yield* uploaded(bomb)
      assert.deepStrictEqual(upload.errors, [{ line: 1, message: `Longer than ${DistillLimits.rowBytesMax} bytes` }])
    }).pipe(Effect.provide(world))
  )

  it.effect("content that is gone fails the upload, and is not taken for an empty file (P23)", () =>
    Effect.gen(function* () {
      const resources = yield* ResourceStore
      const { id } = yield* sent(bytesOf(good))
      const stored = Option.getOrThrow(yield* resources.find(live, Upload.kind, id))
      const value = { ...stored.value, blob: { sha256: "00".repeat(32), bytes: 9 } }
      yield* resources.compareAndSet(live, Upload.kind, { ...stored, value })
      yield* (yield* UploadWorker).runOnce
      const upload = yield* (yield* Uploads).get(live, id)
      assert.deepInclude(upload, { status: "failed", errorCount: 1 })
    }).pipe(Effect.provide(world))
  )

  it.effect("uploads of every partition are read, each where it belongs", () =>
    Effect.gen(function* () {
      yield* uploaded(good, live)
      yield* uploaded("no", test)
      assert.deepStrictEqual(
        (yield* eventsOf(live)).map(({ type }) => type),
        ["distill.upload.succeeded"]
      )
      assert.deepStrictEqual(
        (yield* eventsOf(test)).map(({ type }) => type),
        ["distill.upload.failed"]
      )
      assert.strictEqual(yield* (yield* UploadWorker).runOnce, 0)
    }).pipe(Effect.provide(world))
  )
})

/** A worker whose reading stops at a gate after the first chunk. */
const gated = Effect.fnUntraced(function* (gate: Deferred.Deferred<void>) {
  const blobs = yield* Blobs
  const slow = Layer.succeed(Blobs, {
    ...blobs,
    get: (partition, sha256) => Stream.tap(blobs.get(partition, sha256), () => Deferred.await(gate))
  })
  return yield* Effect.provide(UploadWorker, Layer.provide(Layer.fresh(layer), slow))
})

/** Sends all bytes, and dies before the seal. */
const sentByOneWhoDied = Effect.fnUntraced(function* (content: Uint8Array, total: number | null, bytes?: number) {
  const uploads = yield* Uploads
  const { id } = yield* uploads.create(live, { filename: "calls.jsonl", ...(bytes === undefined ? {} : { bytes }) })
  const endless = Stream.concat(Stream.make(content), Stream.never)
  const range = { from: 0, to: content.length - 1, total }
  const sending = yield* Effect.forkChild(uploads.content(live, id, null, endless, { gzipHint: false, range }))
  const received = Effect.flatMap(uploads.get(live, id), (upload) => uploads.receivedBytes(live, upload))
  yield* Effect.repeat(received, { until: (count) => count === content.length })
  yield* TestClock.adjust(10 * DistillLimits.arrivalSilenceMillis)
  assert.strictEqual(yield* (yield* UploadWorker).runOnce, 0, "a sender that is there is not looked after")
  yield* Fiber.interrupt(sending)
  yield* TestClock.adjust(DistillLimits.arrivalSilenceMillis)
  return id
})

describe("UploadWorker, content whose server died", () => {
  const content = bytesOf(jsonl([good, good]))

  it.effect("is sealed and read when all of it is here, without another request (P23)", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const worker = yield* UploadWorker
      for (const [total, bytes] of [[content.length], [null, content.length]] as const) {
        const id = yield* sentByOneWhoDied(content, total, bytes)
        yield* worker.runOnce
        assert.deepInclude(yield* uploads.get(live, id), { status: "processing", parts: [] })
        yield* worker.runOnce
        assert.deepInclude(yield* uploads.get(live, id), { status: "succeeded", rows: 2 })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for the rest when bytes are missing or nobody told how many there are, and is left alone", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const worker = yield* UploadWorker
      const queue = yield* Queue
      for (const total of [content.length + 1, null]) {
        const id = yield* sentByOneWhoDied(content, total)
        yield* worker.runOnce
        assert.deepInclude(yield* uploads.get(live, id), { status: "awaiting_content" })
        assert.isNull(yield* queue.nextDueAt(Upload.topic))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is what it is when its sender says that it was all, however often", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const id = yield* sentByOneWhoDied(content, null)
      const conclude = (size: number) =>
        uploads.content(live, id, null, Stream.empty, { gzipHint: false, range: finalRange(size) })
      for (const size of [content.length - 1, content.length + 1]) {
        assert.strictEqual((yield* Effect.flip(conclude(size)))._tag, "ContentOutOfOrder")
      }
      assert.strictEqual((yield* conclude(content.length)).status, "processing")
      assert.strictEqual((yield* conclude(content.length)).status, "processing")
      yield* (yield* UploadWorker).runOnce
      assert.strictEqual((yield* conclude(content.length)).status, "succeeded")
      assert.strictEqual((yield* Effect.flip(conclude(content.length - 1)))._tag, "UploadAlreadySent")
      assert.lengthOf(yield* eventsOf(), 1)
    }).pipe(Effect.provide(world))
  )
})

describe("UploadWorker, leases", () => {
  it.effect("while it reads, its lease is kept alive and nobody else takes the upload", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { id } = yield* sent(bytesOf(good))
      const reading = yield* Effect.forkChild((yield* gated(gate)).runOnce, { startImmediately: true })
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* (yield* UploadWorker).runOnce, 0, `second ${second}`)
      }
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(reading), 1)
      assert.strictEqual((yield* (yield* Uploads).get(live, id)).status, "succeeded")
    }).pipe(Effect.provide(world))
  )

  it.effect("one that died is replaced once its lease ran out, and the upload ends once (P14)", () =>
    Effect.gen(function* () {
      const { id } = yield* sent(bytesOf(good))
      const queue = yield* Queue
      // Claimed by a process that dies at once.
      yield* queue.claim({ topic: Upload.topic, now: 0, limit: 1, leaseUntil: DistillLimits.leaseMillis })
      const worker = yield* UploadWorker
      assert.strictEqual(yield* worker.runOnce, 0)
      yield* TestClock.adjust(DistillLimits.leaseMillis)
      assert.strictEqual(yield* worker.runOnce, 1)
      assert.strictEqual((yield* (yield* Uploads).get(live, id)).status, "succeeded")
      assert.strictEqual((yield* eventsOf()).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("one that lost its lease writes nothing more (P15)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { id } = yield* sent(bytesOf(good))
      const reading = yield* Effect.forkChild((yield* gated(gate)).runOnce, { startImmediately: true })
      yield* Effect.yieldNow
      const queue = yield* Queue
      // Offered again, which voids its lease.
      yield* queue.offer(live, Upload.topic, id, 0)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(reading)
      assert.strictEqual((yield* (yield* Uploads).get(live, id)).status, "processing")
      assert.deepStrictEqual(yield* eventsOf(), [])
      assert.strictEqual(yield* (yield* UploadWorker).runOnce, 1)
      assert.strictEqual((yield* (yield* Uploads).get(live, id)).status, "succeeded")
    }).pipe(Effect.provide(world))
  )

  it.effect("work on an upload that has nothing to read is put away, once", () =>
    Effect.gen(function* () {
      const { id } = yield* uploaded(good)
      const queue = yield* Queue
      const worker = yield* UploadWorker
      for (const subject of [id, "upl_00000000000000000000000000"]) {
        yield* queue.offer(live, Upload.topic, subject, 0)
        assert.strictEqual(yield* worker.runOnce, 1)
        assert.isNull(yield* queue.nextDueAt(Upload.topic))
      }
      assert.strictEqual((yield* eventsOf()).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("one that is stopped hands its upload back at once", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      yield* sent(bytesOf(good))
      const reading = yield* Effect.forkChild((yield* gated(gate)).forever, { startImmediately: true })
      const worker = yield* UploadWorker
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* worker.runOnce, 0)
      yield* Fiber.interrupt(reading)
      assert.strictEqual(yield* worker.runOnce, 1)
    }).pipe(Effect.provide(world))
  )
})
