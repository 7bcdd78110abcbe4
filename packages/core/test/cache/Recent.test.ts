import { assert, describe, it } from "@effect/vitest"
import * as Recent from "@limbeck/core/cache/Recent"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import { Queue } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

const away = new StorageError({ operation: "test", cause: "away" })

/** One answer under one key; counts how often it was read. */
const open = Effect.gen(function* () {
  const queue = yield* Queue
  const recent = yield* Recent.make<number>("test")
  yield* TestClock.adjust(0)
  const state = { reads: 0, answer: Effect.succeed(1) as Effect.Effect<number, StorageError | "refused"> }
  const lookup = Effect.suspend(() => {
    state.reads++
    return state.answer
  })
  return {
    state,
    recent,
    get: recent.get("key", lookup),
    ring: Effect.andThen(queue.nudge("test"), TestClock.adjust(0))
  }
})

const provide = <A, E>(test: Effect.Effect<A, E, Queue | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(StorageMemory.layer))

describe("Recent", () => {
  it.effect("an answer is used for a second, and then looked up again (P59)", () =>
    Effect.gen(function* () {
      const { get, state } = yield* open
      assert.strictEqual(yield* get, 1)
      state.answer = Effect.succeed(2)
      yield* TestClock.adjust(Limits.recentMillis - 1)
      assert.strictEqual(yield* get, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* get, 2)
      assert.strictEqual(state.reads, 2)
    }).pipe(provide)
  )

  it.effect("a change that is rung is seen at once", () =>
    Effect.gen(function* () {
      const { get, ring, state } = yield* open
      yield* get
      state.answer = Effect.succeed(2)
      yield* ring
      assert.strictEqual(yield* get, 2)
    }).pipe(provide)
  )

  it.effect("what was asked for before a change is not kept after it", () =>
    Effect.gen(function* () {
      const { get, ring, state } = yield* open
      const slow = yield* Deferred.make<number>()
      state.answer = Deferred.await(slow)
      const early = yield* Effect.forkChild(get)
      yield* TestClock.adjust(0)
      yield* ring
      yield* Deferred.succeed(slow, 1)
      assert.strictEqual(yield* Fiber.join(early), 1)
      state.answer = Effect.succeed(2)
      assert.strictEqual(yield* get, 2)
    }).pipe(provide)
  )

  it.effect("through an outage the last answer stands, for an hour and no longer (P59)", () =>
    Effect.gen(function* () {
      const { get, state } = yield* open
      yield* get
      state.answer = Effect.fail(away)
      yield* TestClock.adjust(Limits.recentStaleMillis - 1)
      assert.strictEqual(yield* get, 1)
      yield* TestClock.adjust(Limits.recentMillis)
      assert.strictEqual(yield* Effect.flip(get), away)
    }).pipe(provide)
  )

  it.effect(
    "a bell before an outage makes nothing unknown: storage is asked first, and the last answer stands in (P122)",
    () =>
      Effect.gen(function* () {
        const { get, ring, state } = yield* open
        yield* get
        state.answer = Effect.fail(away)
        for (let outages = 1; outages <= 3; outages++) {
          yield* ring
          assert.strictEqual(yield* get, 1)
          assert.strictEqual(yield* get, 1)
          assert.strictEqual(state.reads, 1 + outages)
        }
        state.answer = Effect.succeed(2)
        yield* TestClock.adjust(Limits.recentMillis)
        assert.strictEqual(yield* get, 2)
      }).pipe(provide)
  )

  it.effect("after a bell nobody takes what is known before storage was asked", () =>
    Effect.gen(function* () {
      const { get, ring, state } = yield* open
      yield* get
      const slow = yield* Deferred.make<number>()
      state.answer = Deferred.await(slow)
      yield* ring
      const asking = yield* Effect.forkChild(Effect.all([get, get], { concurrency: "unbounded" }))
      yield* TestClock.adjust(0)
      yield* Deferred.succeed(slow, 2)
      assert.deepStrictEqual(yield* Fiber.join(asking), [2, 2])
    }).pipe(provide)
  )

  it.effect("what this process has changed is so at once, also through an outage (P122)", () =>
    Effect.gen(function* () {
      const { get, recent, ring, state } = yield* open
      yield* get
      const late = yield* Deferred.make<number>()
      state.answer = Deferred.await(late)
      yield* ring
      const early = yield* Effect.forkChild(get)
      yield* TestClock.adjust(0)
      recent.revise((known) => known + 10)
      // Read before the change: of no use after it.
      yield* Deferred.succeed(late, 1)
      yield* Fiber.join(early)
      state.answer = Effect.fail(away)
      assert.strictEqual(yield* get, 11)
      recent.revise(() => undefined)
      assert.strictEqual(yield* Effect.flip(get), away)
    }).pipe(provide)
  )

  it.effect("too many answers make room one by one", () =>
    Effect.gen(function* () {
      const { get, recent, state } = yield* open
      for (let index = 0; index < Limits.recentMax; index++) yield* recent.get(`${index}`, Effect.succeed(index))
      yield* get
      state.answer = Effect.fail(away)
      yield* TestClock.adjust(Limits.recentMillis)
      assert.strictEqual(yield* get, 1)
      const failing = Effect.fail(away)
      assert.strictEqual(yield* recent.get("1", failing), 1)
      assert.strictEqual(yield* Effect.flip(recent.get("0", failing)), away)
    }).pipe(provide)
  )

  it.effect("a storage that hangs is waited for a second, by one caller", () =>
    Effect.gen(function* () {
      const { get, state } = yield* open
      yield* get
      state.answer = Effect.never
      yield* TestClock.adjust(Limits.recentMillis)
      const first = yield* Effect.forkChild(get)
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* get, 1)
      yield* TestClock.adjust(Limits.recentMillis)
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.strictEqual(state.reads, 2)
    }).pipe(provide)
  )

  it.effect("a refusal is not remembered, and stands in the place of what was known", () =>
    Effect.gen(function* () {
      const { get, state } = yield* open
      yield* get
      state.answer = Effect.fail("refused" as const)
      yield* TestClock.adjust(Limits.recentMillis)
      assert.strictEqual(yield* Effect.flip(get), "refused")
      state.answer = Effect.succeed(2)
      assert.strictEqual(yield* get, 2)
    }).pipe(provide)
  )
})
