import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import { VersionBuilder } from "@limbeck/distill/dataset/VersionBuilder"
import * as BlobRetention from "@limbeck/distill/retention/BlobRetention"
import * as Run from "@limbeck/distill/run/Run"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { newRun } from "../run/MachineRuns.ts"
import { built, bytesOf, jsonl, live, rowOf, stranger, test, uploaded, world } from "../upload/World.ts"

const rows = jsonl([rowOf("a", "b"), rowOf("c", "d")])

/** One round; returns how many contents were removed. */
const round = Effect.fnUntraced(function* (uploadDays: number | null = null) {
  const removeUnneeded = yield* BlobRetention.make({ uploadDays })
  return yield* removeUnneeded(yield* Clock.currentTimeMillis)
})

const put = Effect.fnUntraced(function* (text: string, partition = live) {
  return (yield* (yield* Blobs).put(partition, Stream.make(bytesOf(text)))).sha256
})

const exists = (digest: string, partition = live) => Effect.flatMap(Blobs, (blobs) => blobs.exists(partition, digest))

const days = (count: number) => TestClock.adjust(`${count} days`)

const stateOf = (sha256: string) => ({ state: { files: [{ sha256 }] }, usage: { gpuSeconds: 1, judgeTokens: 0 } })

/** A run whose only stage left a checkpoint and a result. */
const ran = Effect.fnUntraced(function* (status: Run.RunStatus, checkpoint: string, result: string) {
  const resources = yield* ResourceStore
  const run = newRun(["sft"])
  const stages = run.stages.map((stage) => ({ ...stage, checkpoint: stateOf(checkpoint), result: { model: result } }))
  const value = { ...run, status, stages }
  yield* resources.insert(live, Run.kind, value)
  return value
})

describe("BlobRetention", () => {
  it.effect(
    "what nobody refers to goes a day after it was put, and not before; put again, it has another day (P87)",
    () =>
      Effect.gen(function* () {
        const alone = yield* put("nobody's")
        const again = yield* put("put again")
        yield* TestClock.adjust("12 hours")
        assert.strictEqual(yield* round(), 0)
        yield* put("put again")
        yield* TestClock.adjust("12 hours")
        assert.strictEqual(yield* round(), 0)
        yield* TestClock.adjust("1 milli")
        assert.strictEqual(yield* round(), 1)
        assert.isFalse(yield* exists(alone))
        assert.isTrue(yield* exists(again))
      }).pipe(Effect.provide(world))
  )

  it.effect("the content of an upload stays as long as a version may be built of it; of a failed one it goes", () =>
    Effect.gen(function* () {
      const good = yield* uploaded(rows)
      const bad = yield* uploaded("no row\n")
      const digestOf = ({ blob }: typeof good) => blob?.sha256 ?? ""
      yield* days(400)
      assert.strictEqual(yield* round(), 1)
      assert.isTrue(yield* exists(digestOf(good)))
      assert.isFalse(yield* exists(digestOf(bad)))
      assert.strictEqual((yield* built(good.id)).status, "ready")
    }).pipe(Effect.provide(world))
  )

  it.effect("a reference counts in its own partition alone", () =>
    Effect.gen(function* () {
      const { blob } = yield* uploaded(rows)
      for (const other of [test, stranger]) yield* put(rows, other)
      yield* days(2)
      assert.strictEqual(yield* round(), 2)
      assert.isTrue(yield* exists(blob?.sha256 ?? ""))
    }).pipe(Effect.provide(world))
  )

  it.effect("a run keeps what it may go on from; once it has succeeded, what it came to and no checkpoint (P87)", () =>
    Effect.gen(function* () {
      const resources = yield* ResourceStore
      const kept: Array<string> = []
      const gone: Array<string> = []
      for (const status of ["running", "failed", "canceled", "succeeded"] as const) {
        const checkpoint = yield* put(`checkpoint ${status}`)
        const result = yield* put(`result ${status}`)
        yield* ran(status, checkpoint, result)
        kept.push(result)
        ;(status === "succeeded" ? gone : kept).push(checkpoint)
      }
      const run = yield* ran("running", yield* put("older checkpoint"), kept[0]!)
      gone.push(yield* put("older checkpoint"))
      const newer = run.stages.map((stage) => ({ ...stage, checkpoint: stateOf(kept[1]!) }))
      yield* resources.compareAndSet(live, Run.kind, { revision: 0, value: { ...run, stages: newer } })
      yield* days(2)
      assert.strictEqual(yield* round(), gone.length)
      for (const digest of kept) assert.isTrue(yield* exists(digest))
      for (const digest of gone) assert.isFalse(yield* exists(digest))
    }).pipe(Effect.provide(world))
  )

  it.effect("a student keeps its artifact, whatever becomes of its run", () =>
    Effect.gen(function* () {
      const sha256 = yield* put("weights")
      const { id: run } = newRun(["sft"])
      const student: StudentModel.StudentModel = {
        origin: "run",
        id: Fresh.id("stu"),
        name: null,
        base: "builtin/text-classifier",
        run,
        report: Fresh.id("rpt"),
        datasetVersion: Fresh.id("dsv"),
        executor: "builtin",
        endpoint: null,
        artifact: { sha256, bytes: 7, format: "file" },
        accuracy: null,
        holdout: null,
        agreementAt: [],
        createdAt: 0
      }
      yield* (yield* ResourceStore).insert(live, StudentModel.kind, student)
      yield* days(2)
      assert.strictEqual(yield* round(), 0)
      assert.isTrue(yield* exists(sha256))
    }).pipe(Effect.provide(world))
  )

  it.effect("more contents than one look holds are all looked at", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: 250 }), (_, index) => put(`content ${index}`), { discard: true })
      const { blob } = yield* uploaded(rows)
      yield* days(2)
      assert.strictEqual(yield* round(), 250)
      assert.isTrue(yield* exists(blob?.sha256 ?? ""))
    }).pipe(Effect.provide(world))
  )
})

describe("BlobRetention, contents of uploads for so many days", () => {
  it.effect("no version is begun after that, and a day later the content goes; the versions stay", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const { blob, id } = yield* uploaded(rows)
      const digest = blob?.sha256 ?? ""
      const version = yield* built(id)
      yield* days(29)
      assert.strictEqual(yield* round(30), 0)
      assert.strictEqual((yield* built(id)).status, "ready")
      yield* days(1)
      assert.strictEqual(yield* round(30), 0)
      const { id: dataset } = yield* datasets.create(live, { name: "late" })
      const late = yield* Effect.flip(datasets.createVersion(live, dataset, { from: { upload: id } }))
      assert.strictEqual(late._tag, "ContentRemoved")
      assert.isTrue(yield* exists(digest))
      yield* days(1)
      assert.strictEqual(yield* round(30), 1)
      assert.isFalse(yield* exists(digest))
      assert.strictEqual((yield* Stream.runCollect(datasets.exportRows(live, version.id, null))).length, 2)
      assert.strictEqual((yield* (yield* Uploads).get(live, id)).blob?.sha256, digest)
    }).pipe(Effect.provide(world))
  )

  it.effect("a version that is being built of it keeps the content until it is done (P87)", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const { blob, id } = yield* uploaded(rows)
      yield* days(30)
      const { id: dataset } = yield* datasets.create(live, { name: "slow" })
      const { id: version } = yield* datasets.createVersion(live, dataset, { from: { upload: id } })
      yield* round(30)
      yield* days(3)
      assert.strictEqual(yield* round(30), 0)
      yield* (yield* VersionBuilder).runOnce
      assert.strictEqual((yield* datasets.getVersion(live, version)).status, "ready")
      assert.strictEqual(yield* round(30), 1)
      assert.isFalse(yield* exists(blob?.sha256 ?? ""))
    }).pipe(Effect.provide(world))
  )

  it.effect("sent again, the same content is there for the new upload", () =>
    Effect.gen(function* () {
      const { id } = yield* uploaded(rows)
      yield* days(30)
      yield* round(30)
      const again = yield* uploaded(rows)
      assert.notStrictEqual(again.id, id)
      yield* days(2)
      assert.strictEqual(yield* round(30), 0)
      assert.strictEqual((yield* built(again.id)).status, "ready")
    }).pipe(Effect.provide(world))
  )
})
