/** Challengers of retraining runs, placed by a process that dies at any step. */
import { assert, it } from "@effect/vitest"
import * as Page from "@limbeck/core/pages/Page"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Run from "@limbeck/distill/run/Run"
import { Life } from "@limbeck/testing/fixtures/Mortal"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Deployment from "../src/deployment/Deployment.ts"
import * as Deployments from "../src/deployment/Deployments.ts"
import { ServingLimits } from "../src/Limits.ts"
import * as ChallengerWorker from "../src/retraining/ChallengerWorker.ts"
import { live, makeSchool, worldOf } from "./DeploymentsWorld.ts"

/** A worker with deployments of its own process. */
const workerOf = Effect.map(
  Layer.build(Layer.fresh(Layer.provide(ChallengerWorker.layer, Deployments.layer))),
  (context) => Context.get(context, ChallengerWorker.ChallengerWorker)
)

/** Returns whether the process lived to the end. */
const kill = (fatal: number) =>
  Effect.gen(function* () {
    const life = new Life()
    const worker = yield* workerOf.pipe(
      Effect.provideService(Queue, life.has(yield* Queue)),
      Effect.provideService(ResourceStore, life.has(yield* ResourceStore)),
      Effect.provideService(Storage, life.has(yield* Storage))
    )
    life.endAt(fatal)
    yield* Effect.exit(worker.runOnce)
    return !life.isOver
  })

/** An active deployment with a challenger, and a retraining run whose student is `stu_2`. */
const due = Effect.gen(function* () {
  const deployments = yield* Deployments.Deployments
  const { id } = yield* deployments.create(live, { alias: "desk", studentModel: "stu_1", mode: "active" })
  yield* deployments.create(live, { alias: "desk", studentModel: "stu_1", mode: "shadow" })
  const made = Plans.newRun(Plans.version(), { retrains: id })
  const run: Run.Run = { ...made, status: "succeeded", studentModel: "stu_2" as Run.StudentModelId }
  yield* (yield* ResourceStore).insert(live, Run.kind, run)
  yield* (yield* Queue).offer(live, Run.challengerTopic, run.id, 0)
  return id
})

const placed = Effect.gen(function* () {
  const { items } = yield* (yield* ResourceStore).page(live, Deployment.kind, [], Page.firstPage(10))
  return items.map(({ mode, status, studentModel }) => `${mode} ${studentModel} ${status}`)
})

it.effect(
  "a retrained student is placed once, in place of the challenger before, whatever step the process dies at (P1333)",
  () =>
    Effect.gen(function* () {
      let [kills, isWhole] = [0, false]
      for (let fatal = 1; !isWhole; fatal++) {
        yield* Effect.gen(function* () {
          yield* due
          isWhole = yield* kill(fatal)
          kills += isWhole ? 0 : 1
          yield* TestClock.adjust(ServingLimits.leaseMillis)
          const worker = yield* workerOf
          while ((yield* worker.runOnce) > 0);
          assert.deepStrictEqual(
            yield* placed,
            ["shadow stu_2 provisioning", "shadow stu_1 retired", "active stu_1 provisioning"],
            `killed at step ${fatal}`
          )
        }).pipe(Effect.provide(Layer.fresh(worldOf(makeSchool()))), Effect.scoped)
      }
      assert.isAbove(kills, 10)
    })
)

it.effect("a deployment that was retired in the meantime gets no challenger (P1333)", () =>
  Effect.gen(function* () {
    const id = yield* due
    yield* (yield* Deployments.Deployments).retire(live, id)
    assert.strictEqual(yield* (yield* workerOf).runOnce, 1)
    assert.deepStrictEqual(yield* placed, ["shadow stu_1 provisioning", "active stu_1 retired"])
  }).pipe(Effect.provide(worldOf(makeSchool())))
)
