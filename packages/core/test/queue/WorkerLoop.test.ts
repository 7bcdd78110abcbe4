import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Queue } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

/** A loop over a fake table of due times; records work and queries. */
const open = Effect.gen(function* () {
  const queue = yield* Queue
  const due: Array<number> = []
  const worked: Array<number> = []
  const asked: Array<number> = []
  let failing = false
  const runOnce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    worked.push(now)
    if (failing) return yield* new StorageError({ operation: "test", cause: "away" })
    const ready = due.filter((at) => at <= now)
    due.splice(0, due.length, ...due.filter((at) => at > now))
    return ready.length
  })
  const nextDueAt = Effect.map(Clock.currentTimeMillis, (now) => {
    asked.push(now)
    return due.length === 0 ? null : Math.min(...due)
  })
  yield* Effect.forkScoped(WorkerLoop.forever({ topic: "test", runOnce, nextDueAt, pollMillis: 10_000 }))
  yield* TestClock.adjust(0)
  const fail = (now: boolean) => {
    failing = now
  }
  return { due, worked, asked, fail, ring: queue.nudge("test") }
})

const provide = <A, E>(test: Effect.Effect<A, E, Queue | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(StorageMemory.layer))

describe("WorkerLoop", () => {
  it.effect("an idle worker asks one question per poll, and looks for work only when some is due", () =>
    Effect.gen(function* () {
      const { asked, due, worked } = yield* open
      yield* TestClock.adjust(40_000)
      assert.deepStrictEqual(worked, [0])
      assert.deepStrictEqual(asked, [0, 10_000, 20_000, 30_000, 40_000])
      due.push(53_000)
      yield* TestClock.adjust(13_000)
      assert.deepStrictEqual(worked, [0, 53_000, 53_000])
    }).pipe(provide)
  )

  it.effect("a ring is answered at once", () =>
    Effect.gen(function* () {
      const { ring, worked } = yield* open
      yield* TestClock.adjust(3_000)
      yield* ring
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(worked, [0, 3_000])
    }).pipe(provide)
  )

  it.effect("a storage that fails is asked again after a rest", () =>
    Effect.gen(function* () {
      const { due, fail, worked } = yield* open
      due.push(2_000)
      fail(true)
      yield* TestClock.adjust(11_001)
      assert.deepStrictEqual(worked, [0, 10_001, 11_001])
      fail(false)
      yield* TestClock.adjust(1_000)
      assert.strictEqual(due.length, 0)
    }).pipe(provide)
  )
})
