import { assert, it } from "@effect/vitest"
import { CallStore, verificationTopic } from "@limbeck/capture/call/CallStore"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as GuardWorker from "../src/guard/GuardWorker.ts"
import { makeSchool, worldOf } from "./DeploymentsWorld.ts"

const settled = Effect.repeat(Effect.yieldNow, { times: 200 })

it.effect("without a ring the guard asks storage twice a minute, and at once after one (P243)", () =>
  Effect.gen(function* () {
    const store = yield* CallStore
    let questions = 0
    const counting = CallStore.of({
      ...store,
      takeVerifications: (limit) => {
        questions++
        return store.takeVerifications(limit)
      }
    })
    const context = yield* Effect.provideService(Layer.build(GuardWorker.layer), CallStore, counting)
    const guard = Context.get(context, GuardWorker.GuardWorker)
    yield* Effect.forkChild(guard.forever)
    yield* settled
    questions = 0
    for (let second = 0; second < 600; second++) yield* TestClock.adjust("1 second")
    assert.isAtLeast(questions, 10)
    assert.isAtMost(questions, 20)
    questions = 0
    yield* (yield* Queue).nudge(verificationTopic)
    yield* settled
    assert.strictEqual(questions, 1)
  }).pipe(Effect.provide(worldOf(makeSchool())))
)
