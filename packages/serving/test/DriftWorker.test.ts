/** Reviews of a deployment's drift, whose process dies at any of their steps. */
import { assert, it } from "@effect/vitest"
import { CallStore, deploymentCallsTopic } from "@limbeck/capture/call/CallStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import { Life } from "@limbeck/testing/fixtures/Mortal"
import { eventsOf } from "@limbeck/testing/World"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Deployments } from "../src/deployment/Deployments.ts"
import { DeploymentWorker } from "../src/deployment/DeploymentWorker.ts"
import * as DriftWorker from "../src/guard/DriftWorker.ts"
import { ServingLimits } from "../src/Limits.ts"
import { live, makeSchool, worldOf } from "./DeploymentsWorld.ts"

/** Returns whether the process lived to the end of the review. */
const kill = (fatal: number) =>
  Effect.gen(function* () {
    const life = new Life()
    const context = yield* Layer.build(DriftWorker.layer).pipe(
      Effect.provideService(Queue, life.has(yield* Queue)),
      Effect.provideService(ResourceStore, life.has(yield* ResourceStore)),
      Effect.provideService(Storage, life.has(yield* Storage)),
      Effect.provideService(CallStore, life.has(yield* CallStore))
    )
    life.endAt(fatal)
    yield* Effect.exit(Context.get(context, DriftWorker.DriftWorker).runOnce)
    return !life.isOver
  })

const drifted = Effect.map(eventsOf(), (events) => events.filter(({ type }) => type === "distill.deployment.drifted"))

/** An active deployment that is due, with 500 calls of its student and 100 of its fallback. */
const due = Effect.gen(function* () {
  const deployments = yield* Deployments
  const { id } = yield* deployments.create(live, { alias: "desk", studentModel: "stu_1", mode: "active" })
  yield* (yield* DeploymentWorker).runOnce
  const now = yield* Clock.currentTimeMillis
  const calls = Calls.calls(600, (nth) => ({
    deployment: id,
    createdAt: now + nth,
    servedBy: nth < 500 ? ("student" as const) : ("upstream_fallback" as const)
  }))
  yield* (yield* CallStore).append(Calls.inPartition(live, calls))
  yield* (yield* Queue).offer(live, deploymentCallsTopic, id, now)
  return id
})

it.effect("drift is published once, whatever step of a review the process dies at (P1331)", () =>
  Effect.gen(function* () {
    let [kills, isWhole] = [0, false]
    for (let fatal = 1; !isWhole; fatal++) {
      yield* Effect.gen(function* () {
        const id = yield* due
        isWhole = yield* kill(fatal)
        kills += isWhole ? 0 : 1
        // Another server takes the item up when the lease has run out.
        yield* TestClock.adjust(ServingLimits.leaseMillis)
        const context = yield* Layer.build(DriftWorker.layer)
        const worker = Context.get(context, DriftWorker.DriftWorker)
        while ((yield* worker.runOnce) > 0);
        assert.lengthOf(yield* drifted, 1, `killed at step ${fatal}`)
        const deployment = yield* (yield* Deployments).get(live, id)
        assert.isNotNull(deployment.driftedAt)
        // What is due once more finds the same and publishes nothing.
        yield* (yield* Queue).offer(live, deploymentCallsTopic, id, 0)
        assert.strictEqual(yield* worker.runOnce, 1)
        assert.lengthOf(yield* drifted, 1)
      }).pipe(Effect.provide(Layer.fresh(worldOf(makeSchool()))), Effect.scoped)
    }
    assert.isAbove(kills, 8)
  })
)

it.effect("a deployment that accepts its drift can be found to drift again (P1331)", () =>
  Effect.gen(function* () {
    const id = yield* due
    const worker = Context.get(yield* Layer.build(DriftWorker.layer), DriftWorker.DriftWorker)
    yield* worker.runOnce
    yield* TestClock.adjust(1_000)
    const deployments = yield* Deployments
    assert.isNull((yield* deployments.acceptDrift(live, id)).driftedAt)
    const now = yield* Clock.currentTimeMillis
    const servedBy = (nth: number) => (nth < 500 ? ("upstream_fallback" as const) : ("student" as const))
    const calls = Calls.calls(600, (nth) => ({ deployment: id, createdAt: now + nth, servedBy: servedBy(nth) }))
    yield* (yield* CallStore).append(Calls.inPartition(live, calls))
    yield* (yield* Queue).offer(live, deploymentCallsTopic, id, now)
    yield* worker.runOnce
    assert.lengthOf(yield* drifted, 2)
    assert.isTrue(Exit.isSuccess(yield* Effect.exit(deployments.get(live, id))))
  }).pipe(Effect.provide(worldOf(makeSchool())))
)

it.effect("other labels of the calls are drift, whoever answers as often and as surely as before (P1517)", () =>
  Effect.gen(function* () {
    const deployments = yield* Deployments
    const { id } = yield* deployments.create(live, { alias: "desk", studentModel: "stu_1", mode: "active" })
    yield* (yield* DeploymentWorker).runOnce
    const worker = Context.get(yield* Layer.build(DriftWorker.layer), DriftWorker.DriftWorker)
    const now = yield* Clock.currentTimeMillis
    /** Every fourth is answered by the fallback. */
    const review = Effect.fnUntraced(function* (from: number, count: number, label: string) {
      const calls = Calls.calls(count, (nth) => ({
        deployment: id,
        createdAt: now + from + nth,
        servedBy: nth % 4 === 0 ? ("upstream_fallback" as const) : ("student" as const),
        response: JSON.stringify({ choices: [{ message: { role: "assistant", content: label } }] })
      }))
      yield* (yield* CallStore).append(Calls.inPartition(live, calls))
      yield* (yield* Queue).offer(live, deploymentCallsTopic, id, now)
      yield* worker.runOnce
      return (yield* drifted).length
    })
    assert.strictEqual(yield* review(0, 600, "refund"), 0)
    assert.strictEqual(yield* review(600, 100, "refund"), 0)
    assert.strictEqual(yield* review(700, 100, "recall"), 1)
  }).pipe(Effect.provide(worldOf(makeSchool())))
)
