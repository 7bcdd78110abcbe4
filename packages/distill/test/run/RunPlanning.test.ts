/** Runs that wait for their version, planned by a process that dies at any step. */
import { assert, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Run from "@limbeck/distill/run/Run"
import * as RunPlanning from "@limbeck/distill/run/RunPlanning"
import { Life } from "@limbeck/testing/fixtures/Mortal"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { cancel, create, live, read, retry, runOnce, stored, typesTold, world } from "./World.ts"

const plannerOf = Effect.map(Layer.build(Layer.fresh(RunPlanning.layer)), (context) =>
  Context.get(context, RunPlanning.RunPlanning)
)

/** Returns whether the process lived to the end. */
const kill = (fatal: number) =>
  Effect.gen(function* () {
    const life = new Life()
    const planner = yield* plannerOf.pipe(
      Effect.provideService(Queue, life.has(yield* Queue)),
      Effect.provideService(ResourceStore, life.has(yield* ResourceStore)),
      Effect.provideService(Storage, life.has(yield* Storage))
    )
    life.endAt(fatal)
    yield* Effect.exit(planner.runOnce)
    return !life.isOver
  })

const waiting = Effect.gen(function* () {
  const { id: version } = yield* stored({ status: "building", contentSha256: null, profile: null, rows: 0 })
  const run = yield* create(request(version, { retrains: "dep_1" }))
  assert.strictEqual(yield* runOnce, 0)
  return run
})

/** As the version builder does. */
const end = Effect.fnUntraced(function* (run: Run.Run, fields: Partial<DatasetVersion.DatasetVersion>) {
  const resources = yield* ResourceStore
  const found = Option.getOrThrow(yield* resources.find(live, DatasetVersion.kind, run.datasetVersion))
  yield* resources.compareAndSet(live, DatasetVersion.kind, { ...found, value: { ...found.value, ...fields } })
  for (const { id } of yield* resources.findByLabels(live, Run.kind, [Run.awaitingLabel(run.datasetVersion)])) {
    yield* (yield* Queue).offer(live, Run.planTopic, id, 0)
  }
})

const ready = { status: "ready", contentSha256: "ab".repeat(32), rows: 10 } as const
const failed = { status: "failed", error: { code: "source_unreadable", message: "The rows are gone" } } as const

it.effect("a run waits for its version and is then planned once, whatever step the process dies at (P1332)", () =>
  Effect.gen(function* () {
    let [kills, isWhole] = [0, false]
    for (let fatal = 1; !isWhole; fatal++) {
      yield* Effect.gen(function* () {
        const run = yield* waiting
        yield* end(run, ready)
        isWhole = yield* kill(fatal)
        kills += isWhole ? 0 : 1
        yield* TestClock.adjust(DistillLimits.leaseMillis)
        const planner = yield* plannerOf
        while ((yield* planner.runOnce) > 0);
        const planned = yield* read(run.id)
        assert.isUndefined(planned.awaitsVersion)
        assert.notStrictEqual(planned.planHash, run.planHash)
        yield* runOnce
        assert.strictEqual((yield* read(run.id)).status, "succeeded", `killed at step ${fatal}`)
        const types = yield* typesTold()
        assert.lengthOf(
          types.filter((type) => type === "run.created" || type === "run.succeeded"),
          2
        )
      }).pipe(Effect.provide(Layer.fresh(world)), Effect.scoped)
    }
    assert.isAbove(kills, 6)
  })
)

it.effect("a version that fails ends its run with dataset_version_failed, and a retry waits for it again (P1332)", () =>
  Effect.gen(function* () {
    const run = yield* waiting
    const planner = yield* plannerOf
    yield* end(run, failed)
    yield* planner.runOnce
    const ended = yield* read(run.id)
    assert.deepInclude(ended.error, { code: "dataset_version_failed", stage: 1 })
    assert.include(ended.error?.message, "The rows are gone")
    assert.deepStrictEqual(yield* typesTold(), ["run.created", "run.failed"])
    yield* retry(run.id)
    assert.strictEqual(yield* runOnce, 0)
    yield* planner.runOnce
    assert.strictEqual((yield* read(run.id)).error?.code, "dataset_version_failed")
  }).pipe(Effect.provide(world))
)

it.effect("a version without rows refuses the plan, and a canceled run is not planned (P1332)", () =>
  Effect.gen(function* () {
    const [empty, canceled] = [yield* waiting, yield* waiting]
    const planner = yield* plannerOf
    yield* cancel(canceled.id)
    yield* end(empty, { ...ready, rows: 0 })
    yield* end(canceled, ready)
    yield* planner.runOnce
    assert.strictEqual((yield* read(empty.id)).error?.code, "plan_refused")
    assert.strictEqual((yield* read(canceled.id)).status, "canceled")
  }).pipe(Effect.provide(world))
)
