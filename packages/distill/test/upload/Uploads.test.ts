import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import * as Page from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Upload from "@limbeck/distill/upload/Upload"
import { render } from "@limbeck/distill/upload/UploadResource"
import { layer, Uploads } from "@limbeck/distill/upload/Uploads"
import type * as Cause from "effect/Cause"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { bytesOf, eventsOf, jsonl, live, rowOf, stranger, streamOf, test, world } from "./World.ts"

const content = bytesOf(jsonl([rowOf("a", "b")]))
const plain = { gzipHint: false }

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "Success" })

const send = (id: string, bytes: Uint8Array, capability: string | null = null) =>
  Effect.flatMap(Uploads, (uploads) => uploads.content(live, id, capability, streamOf(bytes), plain))

/** Takes gigabytes and keeps none. */
const bottomless = Layer.effect(
  Blobs,
  Effect.map(Blobs, (blobs) => ({
    ...blobs,
    write: (_partition, _part, bytes) => Effect.as(Stream.runDrain(bytes), { sha256: "ab".repeat(32), bytes: 0 })
  }))
)

describe("Uploads", () => {
  it.effect("content that was sent whole waits to be read", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const created = yield* uploads.create(live, { filename: "calls.jsonl" })
      assert.strictEqual(created.status, "awaiting_content")
      const sent = yield* send(created.id, content)
      assert.deepInclude(sent, { status: "processing", gzip: false })
      const digest = yield* Digest
      assert.deepStrictEqual(sent.blob, {
        sha256: yield* digest.digestHex(sha256, content),
        bytes: content.length
      })
      assert.deepStrictEqual(yield* uploads.get(live, created.id), sent)
      assert.deepStrictEqual(yield* eventsOf(), [])
    }).pipe(Effect.provide(world))
  )

  it.effect("content is sent once: a second time is a conflict, also while the first is under way", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const gate = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      const slow = yield* Effect.forkChild(tagOf(uploads.content(live, id, null, Stream.fromQueue(gate), plain)), {
        startImmediately: true
      })
      assert.strictEqual(yield* tagOf(send(id, content)), "Success")
      assert.strictEqual(yield* tagOf(send(id, content)), "UploadAlreadySent")
      yield* Queue.offer(gate, content)
      yield* Queue.end(gate)
      assert.strictEqual(yield* Fiber.join(slow), "ContentSuperseded")
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "content that is not what was declared fails the upload, and its event tells so without the capability",
    () =>
      Effect.gen(function* () {
        const uploads = yield* Uploads
        const { id } = yield* uploads.create(live, { filename: "calls.jsonl", bytes: content.length + 1 })
        const failed = yield* send(id, content)
        assert.strictEqual(failed.status, "failed")
        const [event] = yield* eventsOf()
        assert.strictEqual(event?.type, "distill.upload.failed")
        const told = JSON.parse(event?.body ?? "null").data.object
        const { upload_url: _, ...shown } = render(live, failed, null, yield* uploads.receivedBytes(live, failed))
        assert.deepStrictEqual(told, JSON.parse(JSON.stringify(shown)))
        assert.notProperty(told, "upload_url")
      }).pipe(Effect.provide(world))
  )

  it.effect("a declared digest may be written in capitals", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const digest = yield* (yield* Digest).digestHex(sha256, content)
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl", sha256: digest.toUpperCase() })
      assert.strictEqual((yield* send(id, content)).status, "processing")
    }).pipe(Effect.provide(world))
  )

  it.effect("a stream that breaks off leaves the upload waiting, and the content can be sent again (P23)", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const broken = Stream.concat(Stream.make(content), Stream.fail({ _tag: "ClientGone" as const }))
      assert.strictEqual(yield* tagOf(uploads.content(live, id, null, broken, plain)), "ClientGone")
      assert.strictEqual((yield* uploads.get(live, id)).status, "awaiting_content")
      assert.strictEqual((yield* send(id, content)).status, "processing")
    }).pipe(Effect.provide(world))
  )

  it.effect("what came before a break is kept, and the rest is all that need be sent", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const whole = bytesOf(jsonl(Array.from({ length: 500 }, (_, index) => rowOf(`${index}`, "b"))))
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl", bytes: whole.length })
      const receivedOf = Effect.flatMap(uploads.get(live, id), (upload) => uploads.receivedBytes(live, upload))
      const sendRange = (from: number, to: number, total: number | null, bytes = whole.subarray(from, to + 1)) =>
        uploads.content(live, id, null, streamOf(bytes, 1_000), { ...plain, range: { from, to, total } })
      assert.strictEqual(yield* receivedOf, 0)
      const broken = Stream.concat(Stream.make(whole.subarray(0, 7_001)), Stream.fail({ _tag: "ClientGone" as const }))
      assert.strictEqual(yield* tagOf(uploads.content(live, id, null, broken, plain)), "ClientGone")
      assert.strictEqual(yield* receivedOf, 7_001)
      // A part whose end is not the end of the whole.
      assert.strictEqual((yield* sendRange(7_001, 8_000, null)).status, "awaiting_content")
      assert.strictEqual(yield* receivedOf, 8_001)
      // Refuses a gap, an overlap with another request's bytes, and an excess over the announcement.
      for (const from of [7_000, 8_002])
        assert.strictEqual(yield* tagOf(sendRange(from, 9_000, null)), "ContentOutOfOrder")
      const longer = sendRange(8_001, 8_002, whole.length, whole.subarray(8_001, 8_010))
      assert.strictEqual(yield* tagOf(longer), "RangeExceeded")
      assert.strictEqual(yield* tagOf(sendRange(8_001, 8_002, 5 * 1024 ** 3 + 1)), "TooLarge")
      const done = yield* sendRange(8_001, whole.length - 1, whole.length)
      const digest = yield* (yield* Digest).digestHex(sha256, whole)
      assert.deepInclude(done, { status: "processing", blob: { sha256: digest, bytes: whole.length }, parts: [] })
      assert.strictEqual(yield* receivedOf, whole.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("content that begins with its first byte replaces what came before, and gzip is told by its own head", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const packed = gzipSync(content)
      const range = (from: number, to: number, total: number) => ({ range: { from, to, total } })
      const part = (bytes: Uint8Array, options: object) =>
        uploads.content(live, id, null, streamOf(bytes), { ...plain, ...options })
      yield* part(content.subarray(0, 10), range(0, 9, content.length))
      yield* part(packed.subarray(0, 1), range(0, 0, packed.length))
      yield* part(packed.subarray(1, 10), range(1, 9, packed.length))
      const done = yield* part(packed.subarray(10), range(10, packed.length - 1, packed.length))
      assert.deepInclude(done, { status: "processing", gzip: true })
      assert.strictEqual(done.blob?.bytes, packed.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("a sender whose connection hangs cannot spoil what the next one sends (P23)", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const gate = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      yield* Queue.offer(gate, content.subarray(0, 9))
      const hanging = yield* Effect.forkChild(tagOf(uploads.content(live, id, null, Stream.fromQueue(gate), plain)), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      const received = yield* uploads.receivedBytes(live, yield* uploads.get(live, id))
      assert.strictEqual(received, 9)
      // Its further bytes arrive after the next request.
      yield* Queue.offer(gate, bytesOf("late"))
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      assert.strictEqual(yield* uploads.receivedBytes(live, yield* uploads.get(live, id)), 13)
      const range = { from: 9, to: 11, total: content.length }
      yield* uploads.content(live, id, null, streamOf(content.subarray(9, 12)), { ...plain, range })
      // Late and different bytes of the first.
      yield* Queue.offer(gate, bytesOf("nonsense"))
      yield* Queue.end(gate)
      assert.strictEqual(yield* Fiber.join(hanging), "ContentSuperseded")
      const rest = { from: 12, to: content.length - 1, total: content.length }
      const done = yield* uploads.content(live, id, null, streamOf(content.subarray(12)), { ...plain, range: rest })
      const digest = yield* (yield* Digest).digestHex(sha256, content)
      assert.deepStrictEqual(done.blob, { sha256: digest, bytes: content.length })
    }).pipe(Effect.provide(world))
  )

  it.effect("content over the limit is refused while it streams, and can be sent again", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const endless = Stream.forever(Stream.succeed(new Uint8Array(64 * 1024 ** 2)))
      assert.strictEqual(yield* tagOf(uploads.content(live, id, null, endless, plain)), "TooLarge")
      assert.strictEqual((yield* uploads.get(live, id)).status, "awaiting_content")
    }).pipe(Effect.provide(Layer.fresh(layer).pipe(Layer.provide(bottomless), Layer.provideMerge(world))))
  )

  it.effect("content that says it is over the limit is refused before it streams (P109)", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      const length = 5 * 1024 ** 3 + 1
      assert.strictEqual(yield* tagOf(uploads.content(live, id, null, Stream.never, { ...plain, length })), "TooLarge")
      assert.strictEqual((yield* uploads.get(live, id)).status, "awaiting_content")
    }).pipe(Effect.provide(world))
  )

  it.effect("more than the limit cannot even be declared", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const declare = (bytes: number) => tagOf(uploads.create(live, { filename: "calls.jsonl", bytes }))
      assert.strictEqual(yield* declare(5 * 1024 ** 3), "Success")
      assert.strictEqual(yield* declare(5 * 1024 ** 3 + 1), "TooLarge")
    }).pipe(Effect.provide(world))
  )

  it.effect("an upload whose content did not come within 24 hours is expired, and its URL is gone", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const { id } = yield* uploads.create(live, { filename: "calls.jsonl" })
      yield* TestClock.adjust("24 hours")
      const expired = yield* uploads.get(live, id)
      assert.strictEqual(expired.status, "expired")
      assert.isNull(yield* uploads.capability(live, expired))
      assert.deepStrictEqual((yield* uploads.page(live, Page.firstPage(5))).items, [expired])
      assert.strictEqual(yield* tagOf(send(id, content)), "UploadExpired")
    }).pipe(Effect.provide(world))
  )

  it.effect("the capability alone finds the partition of its upload, and of no other", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      for (const partition of [live, test]) {
        const upload = yield* uploads.create(partition, { filename: "calls.jsonl" })
        const other = yield* uploads.create(partition, { filename: "calls.jsonl" })
        const capability = (yield* uploads.capability(partition, upload)) ?? ""
        assert.deepStrictEqual(yield* uploads.findByCapability(upload.id, capability), partition)
        const forged = [
          [other.id, capability],
          [upload.id, `${capability.slice(0, -1)}_`],
          [upload.id, capability.slice(0, -1)],
          [upload.id, ""],
          [upload.id, "....."],
          [upload.id, (yield* uploads.capability(partition, other)) ?? ""]
        ] as const
        for (const [id, text] of forged) {
          assert.strictEqual(yield* tagOf(uploads.findByCapability(id, text)), "NotFound", text)
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a capability tells nothing, and one of before, which names its partition, is still good (P126)", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const resources = yield* ResourceStore
      const upload = yield* uploads.create(live, { filename: "calls.jsonl" })
      assert.match((yield* uploads.capability(live, upload)) ?? "", /^[0-9A-Za-z]{43}$/)
      const before = `${Buffer.from(live.key).toString("base64url")}.${"a".repeat(43)}`
      const capabilityDigest = createHash("sha256").update(before).digest("hex")
      const stored = Option.getOrThrow(yield* resources.find(live, Upload.kind, upload.id))
      yield* resources.compareAndSet(live, Upload.kind, { ...stored, value: { ...stored.value, capabilityDigest } })
      assert.deepStrictEqual(yield* uploads.findByCapability(upload.id, before), live)
      assert.strictEqual(yield* tagOf(uploads.findByCapability(upload.id, before.replace(/a$/, "b"))), "NotFound")
    }).pipe(Effect.provide(world))
  )

  it.effect("content with the capability of another upload, or from another partition, finds nothing", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const upload = yield* uploads.create(live, { filename: "calls.jsonl" })
      const other = yield* uploads.create(live, { filename: "calls.jsonl" })
      const capability = yield* uploads.capability(live, other)
      assert.strictEqual(yield* tagOf(send(upload.id, content, capability)), "NotFound")
      for (const partition of [test, stranger]) {
        assert.strictEqual(yield* tagOf(uploads.get(partition, upload.id)), "NotFound")
        const sent = uploads.content(partition, upload.id, null, streamOf(content), plain)
        assert.strictEqual(yield* tagOf(sent), "NotFound")
        assert.deepStrictEqual((yield* uploads.page(partition, Page.firstPage(5))).items, [])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a request that breaks a rule is refused for the field that does", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const paramOf = (request: Parameters<typeof uploads.create>[1]) =>
        Effect.match(uploads.create(live, request), {
          onSuccess: () => undefined,
          onFailure: (error) => (error._tag === "InvalidInput" ? error.param : error._tag)
        })
      assert.strictEqual(yield* paramOf({ filename: "" }), "filename")
      assert.strictEqual(yield* paramOf({ filename: "x".repeat(256) }), "filename")
      assert.strictEqual(yield* paramOf({ filename: "x", bytes: -1 }), "bytes")
      assert.strictEqual(yield* paramOf({ filename: "x", bytes: 1.5 }), "bytes")
      assert.strictEqual(yield* paramOf({ filename: "x", sha256: "ab" }), "sha256")
      assert.isUndefined(yield* paramOf({ filename: "x", bytes: 0, sha256: "AB".repeat(32) }))
    }).pipe(Effect.provide(world))
  )

  it.effect("what is stored holds the capability only sealed", () =>
    Effect.gen(function* () {
      const uploads = yield* Uploads
      const upload = yield* uploads.create(live, { filename: "calls.jsonl" })
      const capability = (yield* uploads.capability(live, upload)) ?? ""
      assert.lengthOf(capability, 43)
      assert.notInclude(JSON.stringify(upload), capability)
      assert.notInclude(JSON.stringify(Upload.kind.labels(upload)), capability)
      assert.isFalse(yield* (yield* Blobs).exists(live, upload.capabilityDigest))
    }).pipe(Effect.provide(world))
  )
})
