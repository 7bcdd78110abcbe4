import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import * as Page from "@limbeck/core/pages/Page"
import { Queue } from "@limbeck/core/queue/Queue"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { renderRow } from "@limbeck/distill/dataset/DatasetVersionResource"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { layer, VersionBuilder } from "@limbeck/distill/dataset/VersionBuilder"
import { DistillLimits } from "@limbeck/distill/Limits"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { built, eventsOf, jsonl, live, rowOf, stranger, streamOf, test, uploaded, world } from "../upload/World.ts"

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => rowOf(`prompt ${from + index}`, `completion ${from + index}`))

const everyRow = { split: null, after: null, limit: 1_000 }

/** The side of every row, by its text. */
const sidesOf = Effect.fnUntraced(function* (version: DatasetVersion.DatasetVersion) {
  const { items } = yield* (yield* Datasets).rows(live, version.id, everyRow)
  return new Map(items.map(({ body, split }) => [body, split]))
})

const versionOf = (lines: ReadonlyArray<string>, options: Parameters<typeof built>[1] = {}) =>
  Effect.flatMap(uploaded(jsonl(lines)), ({ id }) => built(id, options))

const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => error, onSuccess: () => undefined })

describe("Datasets", () => {
  it.effect("a version holds every row of its upload on one side, and says so in an event", () =>
    Effect.gen(function* () {
      const version = yield* versionOf(rows(200))
      assert.deepInclude(version, { status: "ready", rows: 200, error: null, seed: 0, holdoutFraction: 0.1 })
      assert.strictEqual(version.trainRows + version.holdoutRows, 200)
      assert.isAbove(version.holdoutRows, 0)
      assert.match(version.contentSha256 ?? "", /^[0-9a-f]{64}$/)
      assert.strictEqual(
        version.tokens,
        (version.profile?.promptTokens ?? 0) + (version.profile?.completionTokens ?? 0)
      )
      const sides = [...(yield* sidesOf(version)).values()]
      assert.strictEqual(sides.filter((side) => side === "holdout").length, version.holdoutRows)
      const event = (yield* eventsOf()).at(-1)
      assert.strictEqual(event?.type, "distill.dataset_version.ready")
      assert.deepInclude(JSON.parse(event?.body ?? "null").data.object, {
        object: "dataset_version",
        rows: 200,
        content_sha256: version.contentSha256
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("rows page by split, and are the upload's rows with their side", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const line =
        '{"messages":[{"role":"user","content":"a"}],"completion":"b","metadata":{"id":12345678901234567890}}'
      const version = yield* versionOf([` ${line} `, ...rows(50)], { holdoutFraction: 0.5 })
      const [train, holdout] = yield* Effect.forEach(["train", "holdout"] as const, (split) =>
        datasets.rows(live, version.id, { ...everyRow, split })
      )
      assert.strictEqual(train?.items.length, version.trainRows)
      assert.strictEqual(holdout?.items.length, version.holdoutRows)
      const first = yield* datasets.rows(live, version.id, { ...everyRow, limit: 20 })
      assert.isTrue(first.hasMore)
      const rest = yield* datasets.rows(live, version.id, { ...everyRow, after: first.items.at(-1)?.key ?? "" })
      assert.strictEqual(first.items.length + rest.items.length, 51)
      const exported = yield* Stream.runCollect(datasets.exportRows(live, version.id, null))
      assert.include(exported, line)
      const shown = JSON.parse([...renderRow(first.items[0]!).pieces()].join(""))
      assert.strictEqual(shown["split"], first.items[0]?.split)
      assert.isArray(shown["messages"])
    }).pipe(Effect.provide(world))
  )

  it.effect("exact dedupe keeps one of rows that say the same, however they are written", () =>
    Effect.gen(function* () {
      const same = '{"completion":"b","messages":[{"content":"a","role":"user"}]}'
      const spaced = '{ "messages": [ {"role":"user", "content":"\\u0061"} ], "completion": "b" }'
      const version = yield* versionOf([rowOf("a", "b"), same, spaced, rowOf("a", "c")])
      assert.deepInclude(version, { rows: 2, dropped: { duplicates: 2, invalid: 0, redactions: 0, unsupported: 0 } })
    }).pipe(Effect.provide(world))
  )

  it.effect("without dedupe every copy is kept, on the same side", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const version = yield* versionOf([...rows(20), ...rows(20), ...rows(20)], {
        dedupe: "none",
        holdoutFraction: 0.5
      })
      assert.deepInclude(version, { rows: 60, dropped: { duplicates: 0, invalid: 0, redactions: 0, unsupported: 0 } })
      const { items } = yield* datasets.rows(live, version.id, everyRow)
      const sides = new Set(items.map(({ body, split }) => `${split} ${body}`))
      assert.strictEqual(sides.size, 20)
    }).pipe(Effect.provide(world))
  )

  it.effect.prop(
    "the content digest does not depend on the order of rows or on copies that were dropped (P89)",
    { order: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))) },
    ({ order }) =>
      Effect.gen(function* () {
        const lines = rows(12)
        const shuffled = order.map((index) => lines[index] ?? "")
        const [plain, mixed] = [yield* versionOf(lines), yield* versionOf([...shuffled, ...lines])]
        assert.strictEqual(mixed.contentSha256, plain.contentSha256)
        assert.strictEqual(mixed.dropped.duplicates, order.length)
      }).pipe(Effect.provide(world)),
    { arbitrary: { runs: 15 } }
  )

  it.effect("the content digest tells other rows, another split and kept copies apart", () =>
    Effect.gen(function* () {
      const versions = [
        yield* versionOf(rows(30)),
        yield* versionOf(rows(29)),
        yield* versionOf(rows(30), { seed: 7, holdoutFraction: 0.5 }),
        yield* versionOf([...rows(30), ...rows(1)], { dedupe: "none" })
      ]
      assert.strictEqual(new Set(versions.map(({ contentSha256 }) => contentSha256)).size, versions.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("a row keeps its side as the set grows; a larger fraction only takes rows out of train (P24, P89)", () =>
    Effect.gen(function* () {
      const small = yield* sidesOf(yield* versionOf(rows(100), { holdoutFraction: 0.2, seed: 3 }))
      const grown = yield* sidesOf(
        yield* versionOf([...rows(100, 100), ...rows(100)], { holdoutFraction: 0.2, seed: 3 })
      )
      const wider = yield* sidesOf(yield* versionOf(rows(100), { holdoutFraction: 0.4, seed: 3 }))
      for (const [body, side] of small) {
        assert.strictEqual(grown.get(body), side)
        if (side === "holdout") assert.strictEqual(wider.get(body), "holdout")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("an upload without rows makes a ready version without rows", () =>
    Effect.gen(function* () {
      const version = yield* versionOf([])
      assert.deepInclude(version, { status: "ready", rows: 0, tokens: 0 })
      assert.isNotNull(version.contentSha256)
    }).pipe(Effect.provide(world))
  )

  it.effect("a version needs a dataset, and an upload that succeeded", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const dataset = yield* datasets.create(live, { name: "calls" })
      const upload = yield* uploaded(jsonl(rows(1)))
      const waiting = yield* (yield* Uploads).create(live, { filename: "calls.jsonl" })
      const failed = yield* uploaded("no")
      const make = (options: object, id: string = dataset.id) =>
        failureOf(datasets.createVersion(live, id, { from: { upload: upload.id }, ...options }))
      assert.isUndefined(yield* make({}))
      assert.deepInclude(yield* make({}, "ds_00000000000000000000000000"), { _tag: "NotFound" })
      const unknown = { _tag: "NotFound", resource: "upload", field: "from.upload" } as const
      assert.deepInclude(yield* make({ from: { upload: "upl_00000000000000000000000000" } }), unknown)
      for (const { id } of [waiting, failed]) {
        assert.deepInclude(yield* make({ from: { upload: id } }), { _tag: "ContentNotReady", resource: "upload", id })
      }
      for (const holdoutFraction of [-0.1, 0.51, Number.NaN]) {
        assert.deepInclude(yield* make({ holdoutFraction }), { _tag: "InvalidInput", param: "holdout_fraction" })
      }
      assert.deepInclude(yield* make({ seed: 1.5 }), { _tag: "InvalidInput", param: "seed" })
      assert.deepInclude(yield* failureOf(datasets.create(live, { name: "" })), { param: "name" })
    }).pipe(Effect.provide(world))
  )

  it.effect("nothing of one partition is seen from another", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const upload = yield* uploaded(jsonl(rows(3)))
      const version = yield* built(upload.id)
      for (const partition of [test, stranger]) {
        const own = yield* datasets.create(partition, { name: "calls" })
        const borrowed = datasets.createVersion(partition, own.id, { from: { upload: upload.id } })
        assert.deepInclude(yield* failureOf(borrowed), { _tag: "NotFound", field: "from.upload" })
        for (const read of [
          datasets.get(partition, version.dataset),
          datasets.getVersion(partition, version.id),
          datasets.versions(partition, version.dataset, Page.firstPage(5)),
          datasets.rows(partition, version.id, everyRow),
          Stream.runDrain(datasets.exportRows(partition, version.id, null))
        ]) {
          assert.deepInclude(yield* failureOf(read), { _tag: "NotFound" })
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("versions are listed by dataset, newest first, and rows of one that is not ready are not shown", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const upload = yield* uploaded(jsonl(rows(3)))
      const other = yield* built(upload.id)
      const dataset = yield* datasets.create(live, { name: "calls", description: "all of them" })
      const from = { upload: upload.id }
      const first = yield* datasets.createVersion(live, dataset.id, { from })
      const second = yield* datasets.createVersion(live, dataset.id, { from })
      const { items } = yield* datasets.versions(live, dataset.id, Page.firstPage(5))
      assert.deepStrictEqual(items, [second, first])
      assert.deepInclude(yield* failureOf(datasets.rows(live, first.id, everyRow)), {
        _tag: "VersionNotReady",
        id: first.id,
        status: "building"
      })
      assert.strictEqual((yield* datasets.rows(live, other.id, everyRow)).items.length, 3)
      assert.deepStrictEqual((yield* datasets.page(live, Page.firstPage(1))).items, [dataset])
    }).pipe(Effect.provide(world))
  )
})

describe("VersionBuilder, leases", () => {
  it.effect("one that was lost half way is replaced, and the rows are the same as if nothing had happened (P14)", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const gate = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<void>()
      const lines = rows(DistillLimits.rowBatch * 2 + 10)
      const upload = yield* uploaded(jsonl(lines))
      const whole = yield* built(upload.id)
      const blobs = yield* Blobs
      const pause = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
      // Pauses between two batches.
      const halting = Layer.succeed(Blobs, {
        ...blobs,
        get: (partition, sha256) =>
          Stream.flatMap(blobs.get(partition, sha256), (bytes) => streamOf(bytes, 4096)).pipe(
            Stream.mapEffect((chunk, index) => Effect.as(index === 15 ? pause : Effect.void, chunk))
          )
      })
      const builder = yield* Effect.provide(VersionBuilder, Layer.provide(Layer.fresh(layer), halting))
      const { id } = yield* datasets.createVersion(live, whole.dataset, { from: { upload: upload.id } })
      const lost = yield* Effect.forkChild(builder.runOnce, { startImmediately: true })
      yield* Deferred.await(reached)
      const written = Effect.gen(function* () {
        return (yield* (yield* RowStore).page(live, id, everyRow)).items.length
      })
      // The next batch is read during the write of one.
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, written), {
        until: (count) => count === DistillLimits.rowBatch
      })
      yield* (yield* Queue).offer(live, DatasetVersion.topic, id, 0)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(lost)
      assert.strictEqual(yield* written, DistillLimits.rowBatch)
      assert.strictEqual((yield* datasets.getVersion(live, id)).status, "building")
      yield* TestClock.adjust(DistillLimits.leaseMillis)
      yield* (yield* VersionBuilder).runOnce
      const again = yield* datasets.getVersion(live, id)
      const { contentSha256, holdoutRows, rows: count, trainRows } = whole
      assert.deepInclude(again, { status: "ready", contentSha256, holdoutRows, rows: count, trainRows })
      const stored = yield* Stream.runCollect(datasets.exportRows(live, id, null))
      assert.deepStrictEqual(stored.toSorted(), lines.toSorted())
    }).pipe(Effect.provide(world))
  )
})
