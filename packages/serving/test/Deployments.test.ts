/** Deployments on memory storage, where a test holds the moment between two steps. What the API shows is tested there. */
import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Page from "@limbeck/core/pages/Page"
import { Pools } from "@limbeck/core/pools/Pools"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Deployment from "../src/deployment/Deployment.ts"
import { Deployments } from "../src/deployment/Deployments.ts"
import { DeploymentWorker } from "../src/deployment/DeploymentWorker.ts"
import { live, makeSchool, stranger, test, unreadable, worldOf } from "./DeploymentsWorld.ts"

const asked = { alias: "desk", studentModel: "stu_1", mode: "active" } as const
const apiKey = "sk-0123456789abcdef"
const served = { baseUrl: "https://students.example/v1", model: "student-3", apiKey }

const ready = Effect.gen(function* () {
  const { id } = yield* (yield* Deployments).create(live, asked)
  yield* (yield* DeploymentWorker).runOnce
  return id
})

const eventTypes = Effect.gen(function* () {
  const { items } = yield* (yield* EventStore).page(live, null, Page.firstPage(100))
  return items.map(({ type }) => type)
})

it.effect("a call while a deployment moves meets the student before, until the next one is there (P75)", () => {
  const school = makeSchool()
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    const id = yield* ready
    const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    school.load = () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
    const moving = yield* Effect.forkChild(deployments.update(live, id, { studentModel: "stu_2" }))
    yield* Deferred.await(begun)
    assert.strictEqual((yield* deployments.under(live, "desk")).active?.studentModel, "stu_1")
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(moving)
    assert.deepInclude((yield* deployments.under(live, "desk")).active ?? {}, {
      studentModel: "stu_2",
      previousStudentModel: "stu_1"
    })
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("a deployment of another workspace is ready at once beside any number of one that never are (P820)", () => {
  const school = makeSchool()
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    school.load = (student) => (student === "stu_2" ? Effect.never : Effect.void)
    yield* Effect.forkChild((yield* DeploymentWorker).forever)
    for (let number = 0; number < Pools.provisions.size; number++) {
      yield* deployments.create(live, { alias: `desk-${number}`, studentModel: "stu_2", mode: "active" })
    }
    yield* TestClock.adjust(1)
    const { id } = yield* deployments.create(stranger, asked)
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* deployments.get(stranger, id)).status, "ready")
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("a student that cannot be loaded is not moved to, and not gone back to (P75)", () => {
  const school = makeSchool()
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    const id = yield* ready
    yield* deployments.update(live, id, { studentModel: "stu_2" })
    school.load = () => Effect.fail(unreadable)
    const refused = yield* Effect.flip(deployments.update(live, id, { studentModel: "stu_1" }))
    assert.deepInclude(refused, { _tag: "StudentUnservable" })
    assert.strictEqual((yield* Effect.flip(deployments.rollback(live, id)))._tag, "StudentUnservable")
    assert.strictEqual((yield* deployments.under(live, "desk")).active?.studentModel, "stu_2")
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("what is changed while it is provisioned is provisioned as it is by then, and told once (P77)", () => {
  const school = makeSchool()
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    const { id } = yield* deployments.create(live, asked)
    const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const loaded: Array<string> = []
    school.load = (student) => {
      loaded.push(student)
      if (student !== "stu_1") return Effect.void
      return Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(go), unreadable))
    }
    const working = yield* Effect.forkChild((yield* DeploymentWorker).runOnce)
    yield* Deferred.await(begun)
    yield* deployments.update(live, id, { studentModel: "stu_2" })
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(working)
    assert.deepInclude(yield* deployments.get(live, id), { status: "ready", studentModel: "stu_2", error: null })
    assert.deepStrictEqual(loaded, ["stu_1", "stu_2", "stu_2"])
    assert.deepStrictEqual(yield* eventTypes, ["distill.deployment.ready"])
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("what is retired while it is provisioned stays retired, and is told of as that alone (P77)", () => {
  const school = makeSchool()
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    const { id } = yield* deployments.create(live, asked)
    const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    school.load = () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
    const working = yield* Effect.forkChild((yield* DeploymentWorker).runOnce)
    yield* Deferred.await(begun)
    yield* deployments.retire(live, id)
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(working)
    assert.strictEqual((yield* deployments.get(live, id)).status, "retired")
    assert.deepStrictEqual(yield* eventTypes, ["distill.deployment.retired"])
    assert.strictEqual(yield* (yield* DeploymentWorker).runOnce, 0)
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("one that failed is tried again when it is changed", () => {
  const school = makeSchool()
  school.load = () => Effect.fail(unreadable)
  return Effect.gen(function* () {
    const deployments = yield* Deployments
    const id = yield* ready
    const error = { code: "student_unreadable", message: unreadable.message }
    assert.deepInclude(yield* deployments.get(live, id), { status: "failed" })
    assert.deepStrictEqual((yield* deployments.get(live, id)).error, error)
    assert.isNull((yield* deployments.under(live, "desk")).active)
    school.load = () => Effect.void
    assert.strictEqual((yield* deployments.update(live, id, {})).status, "provisioning")
    yield* (yield* DeploymentWorker).runOnce
    assert.deepInclude((yield* deployments.under(live, "desk")).active ?? {}, { id, error: null })
    assert.sameMembers(yield* eventTypes, ["distill.deployment.failed", "distill.deployment.ready"])
  }).pipe(Effect.provide(worldOf(school)))
})

it.effect("an endpoint's key is sealed in storage, and opened for its own deployment alone (P78)", () =>
  Effect.gen(function* () {
    const deployments = yield* Deployments
    const deployment = yield* deployments.create(live, { ...asked, studentModel: "stu_3", endpoint: served })
    const stored = yield* (yield* ResourceStore).find(live, Deployment.kind, deployment.id)
    assert.isTrue(Option.isSome(stored))
    assert.notInclude(JSON.stringify([stored, deployment]), apiKey)
    assert.deepStrictEqual(yield* deployments.credentials(live, deployment), { authorization: `Bearer ${apiKey}` })
    const other = { ...deployment, id: "dep_00000000000000000000000000" } as const
    for (const misused of [deployments.credentials(test, deployment), deployments.credentials(live, other)]) {
      assert.strictEqual((yield* Effect.exit(misused))._tag, "Failure")
    }
    yield* (yield* DeploymentWorker).runOnce
    const bare = yield* deployments.update(live, deployment.id, { endpoint: { apiKey: null } })
    assert.deepStrictEqual(yield* deployments.credentials(live, bare), {})
  }).pipe(Effect.provide(worldOf(makeSchool())))
)

it.effect(
  "what is found under an alias is what is ready there, of each mode one, in its own mode of the workspace",
  () =>
    Effect.gen(function* () {
      const deployments = yield* Deployments
      const { active, shadow } = yield* deployments.under(live, "desk")
      assert.deepStrictEqual([active, shadow], [null, null])
      const { id } = yield* deployments.create(live, asked)
      assert.isNull((yield* deployments.under(live, "desk")).active)
      yield* (yield* DeploymentWorker).runOnce
      assert.strictEqual((yield* deployments.under(live, "desk")).active?.id, id)
      assert.isNull((yield* deployments.under(test, "desk")).active)
      assert.deepStrictEqual(
        (yield* deployments.ready(live)).map((deployment) => deployment.id),
        [id]
      )
      yield* deployments.retire(live, id)
      assert.isNull((yield* deployments.under(live, "desk")).active)
      assert.isEmpty(yield* deployments.ready(live))
    }).pipe(Effect.provide(worldOf(makeSchool())))
)
