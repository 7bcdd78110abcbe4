/** Serving on memory storage, where a test holds storage and students. What clients see is tested over HTTP. */

import { assert, it } from "@effect/vitest"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import type { CaptureRecord } from "@limbeck/capture/call/CallRecord"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import * as Forward from "@limbeck/capture/source/Forward"
import * as ModelCatalog from "@limbeck/capture/source/ModelCatalog"
import * as Answer from "@limbeck/capture/tape/Answer"
import * as Body from "@limbeck/core/bytes/Body"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { AliasRequest } from "../src/answer/internal/DeploymentCall.ts"
import * as Serving from "../src/answer/Serving.ts"
import * as Deployment from "../src/deployment/Deployment.ts"
import { Deployments } from "../src/deployment/Deployments.ts"
import * as Settings from "../src/deployment/Settings.ts"
import { live, makeSchool, type School, worldOf } from "./DeploymentsWorld.ts"

/** Copies of one deployment that may wait. */
const copiesMax = sizeAlone(sizeAlone(Pools.shadowCopies.size))

const row = (number: number, mode: Deployment.DeploymentMode, studentModel: string): Deployment.Deployment => {
  const id = `dep_${String(number).padStart(26, "0")}` as const
  return { ...Settings.blank({ id, alias: "desk", mode, studentModel, now: 0 }), status: "ready" }
}

const insert = (deployment: Deployment.Deployment) =>
  Effect.flatMap(ResourceStore, (resources) => resources.insert(live, Deployment.kind, deployment))

/** Behind everybody's back: no bell rings. */
const overwrite = Effect.fnUntraced(function* (deployment: Deployment.Deployment) {
  const resources = yield* ResourceStore
  const { revision } = Option.getOrThrow(yield* resources.find(live, Deployment.kind, deployment.id))
  yield* resources.compareAndSet(live, Deployment.kind, { revision, value: deployment })
})

const body = new TextEncoder().encode(JSON.stringify({ model: "svc:desk", messages: [{ role: "user", content: "?" }] }))
const request: AliasRequest = {
  call: "call_1",
  endpoint: "chat.completions",
  externalId: null,
  tags: [],
  isRecorded: true,
  target: "/chat/completions",
  method: "POST",
  headers: {},
  body,
  model: "svc:desk"
}

const ask = Effect.fnUntraced(function* (alias: string) {
  return yield* Answer.run((yield* Serving.Serving).attempt(live, alias, request), () => {})
})

/** A call from its first byte to its last; returns the student named in the answer. */
const call = Effect.scoped(
  Effect.gen(function* () {
    const bytes = yield* Stream.runCollect(Body.toStream((yield* ask("desk")).body))
    return JSON.parse(Buffer.concat(bytes).toString()).service.student_model
  })
)

interface Weather {
  isDown: boolean
  readonly records: Array<CaptureRecord>
}

const worldIn = (weather: Weather, school: School) => {
  const down = new StorageError({ operation: "find", cause: "connection lost" })
  const deployments = Layer.effect(
    Deployments,
    Effect.map(Deployments, (stored) =>
      Deployments.of({
        ...stored,
        under: (partition, alias) =>
          Effect.suspend(() => (weather.isDown ? Effect.fail(down) : stored.under(partition, alias)))
      })
    )
  )
  const recorder = Layer.succeed(Recorder, {
    record: (record) => Effect.sync(() => void weather.records.push(record)),
    figures: Effect.succeed({ waiting: 0, dropped: 0, trouble: null }),
    settle: Effect.void,
    cut: Effect.void
  })
  return Serving.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(deployments, Forward.layer, recorder, NodeDecoder.layer)),
    Layer.provideMerge(Layer.mergeAll(ModelCatalog.layer, CallHolds.none, TokenUses.none)),
    Layer.provideMerge(worldOf(school))
  )
}

const fair = (): Weather => ({ isDown: false, records: [] })

it.effect("serves from what it knows while storage is away, and refuses what it never knew (P82)", () => {
  const weather = fair()
  return Effect.gen(function* () {
    yield* insert(row(1, "active", "stu_1"))
    assert.strictEqual(yield* call, "stu_1")
    weather.isDown = true
    for (let minute = 0; minute < 5; minute++) {
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* call, "stu_1")
    }
    const unknown = yield* Effect.flip(Effect.scoped(ask("other")))
    assert.strictEqual(unknown._tag, "StorageError")
  }).pipe(Effect.provide(worldIn(weather, makeSchool())))
})

it.effect("a change that no bell told of is seen after a second (P82)", () =>
  Effect.gen(function* () {
    yield* insert(row(1, "active", "stu_1"))
    assert.strictEqual(yield* call, "stu_1")
    yield* overwrite(row(1, "active", "stu_2"))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* call, "stu_2")
    yield* overwrite({ ...row(1, "active", "stu_2"), status: "retired" })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Effect.flip(call))._tag, "NotFound")
    yield* insert(row(2, "active", "stu_1"))
    assert.strictEqual(yield* call, "stu_1")
  }).pipe(Effect.provide(worldIn(fair(), makeSchool())))
)

it.effect("copies for a student that does not keep up are dropped and counted, and nobody waits (P83)", () => {
  const weather = fair()
  const school = makeSchool()
  return Effect.gen(function* () {
    yield* insert(row(1, "active", "stu_1"))
    yield* insert(row(2, "shadow", "stu_2"))
    const go = yield* Deferred.make<void>()
    school.load = (id) => (id === "stu_2" ? Deferred.await(go) : Effect.void)
    yield* Effect.repeat(call, { times: copiesMax + 9 })
    const serving = yield* Serving.Serving
    assert.deepStrictEqual(yield* serving.shadows, { waiting: copiesMax, dropped: 10 })
    assert.isEmpty(weather.records)
    yield* Deferred.succeed(go, undefined)
    yield* Effect.repeat(Effect.yieldNow, { until: () => weather.records.length === copiesMax })
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
    assert.deepStrictEqual(yield* serving.shadows, { waiting: 0, dropped: 10 })
    for (const record of weather.records) {
      assert.deepInclude(record, { kind: "shadow", call: "call_1", agrees: true, error: null })
    }
  }).pipe(Effect.provide(worldIn(weather, school)))
})
