/** RateStore's promises: buckets that add up the uses of all servers, by core's TokenBucket law. */
import { assert } from "@effect/vitest"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { type Bucket, full, type RateLimit, tell } from "@limbeck/core/rate/TokenBucket"
import * as Effect from "effect/Effect"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"

const limit: RateLimit = { perSecond: 10, burst: 100 }

/** Tells of one bucket. */
const tellOne = (key: string, count: number, from: number, by: RateLimit = limit) =>
  Effect.flatMap(RateStore, (store) =>
    Effect.map(store.tell(by, [{ key, count, from }]), ([bucket]) => {
      assert.isDefined(bucket)
      return bucket! // It was just asserted.
    })
  )

export const suite = describePort("RateStore", (it) => {
  it.effect("a bucket that nobody has told of is full; uses leave it, and time refills it", () =>
    Effect.gen(function* () {
      const key = Fresh.name("tok")
      const at = Fresh.start
      assert.deepStrictEqual(yield* tellOne(key, 40, at), { tokens: 60, at })
      assert.deepStrictEqual(yield* tellOne(key, 1, at + 1_000), { tokens: 69, at: at + 1_000 })
      assert.deepStrictEqual(yield* tellOne(key, 1, at + 60_000), { tokens: 99, at: at + 60_000 })
    })
  )

  it.effect("uses from before what is known leave the bucket too, and turn no time back", () =>
    Effect.gen(function* () {
      const key = Fresh.name("tok")
      const at = Fresh.start
      yield* tellOne(key, 40, at)
      assert.deepStrictEqual(yield* tellOne(key, 10, at - 5_000), { tokens: 50, at })
    })
  )

  it.effect("what is beyond the limit is a debt, of a burst at most", () =>
    Effect.gen(function* () {
      const [key, other] = [Fresh.name("tok"), Fresh.name("tok")]
      assert.deepStrictEqual(yield* tellOne(key, 100, Fresh.start), { tokens: 0, at: Fresh.start })
      assert.deepStrictEqual(yield* tellOne(key, 30, Fresh.start), { tokens: -30, at: Fresh.start })
      assert.deepStrictEqual(yield* tellOne(key, 500, Fresh.start), { tokens: -100, at: Fresh.start })
      assert.deepStrictEqual(yield* tellOne(other, 5_000, Fresh.start), { tokens: -100, at: Fresh.start })
      assert.deepStrictEqual(yield* tellOne(other, 1, Fresh.start + 10_000), { tokens: -1, at: Fresh.start + 10_000 })
    })
  )

  it.effect("many buckets are told of at once, each for itself, and answered in the order of asking", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const keys = Array.from({ length: 50 }, () => Fresh.name("tok")).toReversed()
      const uses = keys.map((key, index) => ({ key, count: index, from: Fresh.start + index }))
      const expected = keys.map((_, index) => ({ tokens: 100 - index, at: Fresh.start + index }))
      assert.deepStrictEqual(yield* store.tell(limit, uses), expected)
      assert.deepStrictEqual(yield* store.tell(limit, []), [])
    })
  )

  it.effect("any sequence of uses leaves what the law says", () =>
    Effect.gen(function* () {
      const key = Fresh.name("tok")
      let expected: Bucket = full(limit, Fresh.start)
      let state = 1
      const random = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state % below
      }
      for (let step = 0, at = Fresh.start; step < 200; step++, at += random(3_000) - 300) {
        const uses = { count: 1 + random(40), from: at }
        const by = step % 3 === 0 ? { perSecond: 0.7, burst: 37.5 } : limit
        expected = tell(by, expected, uses)
        const bucket = yield* tellOne(key, uses.count, uses.from, by)
        assert.strictEqual(bucket.at, expected.at)
        assert.closeTo(bucket.tokens, expected.tokens, 1e-9)
      }
    })
  )

  it.effect("no use is lost when many tell of the same buckets at once, in whatever order (P54)", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      const keys = Array.from({ length: 5 }, () => Fresh.name("tok"))
      const by = { perSecond: 1, burst: 10_000 }
      const round = (number: number) => {
        const uses = keys.map((key) => ({ key, count: number, from: Fresh.start }))
        return store.tell(by, number % 2 === 0 ? uses : uses.toReversed())
      }
      yield* Effect.forEach(Array.from({ length: 40 }).keys(), round, { concurrency: "unbounded" })
      const told = (40 * 39) / 2
      assert.deepStrictEqual(
        yield* store.tell(
          by,
          keys.map((key) => ({ key, count: 0, from: Fresh.start }))
        ),
        keys.map(() => ({ tokens: by.burst - told, at: Fresh.start }))
      )
    })
  )

  it.effect("sweep forgets what nobody has told of since, as many as it may", () =>
    Effect.gen(function* () {
      const store = yield* RateStore
      // Long before what any other case tells.
      const at = 5_000
      const keys = Array.from({ length: 3 }, () => Fresh.name("tok"))
      const kept = Fresh.name("tok")
      for (const key of keys) yield* tellOne(key, 50, at - 1)
      yield* tellOne(kept, 50, at)
      assert.strictEqual(yield* store.sweep(at - 1, 100), 0)
      assert.strictEqual(yield* store.sweep(at, 2), 2)
      assert.strictEqual(yield* store.sweep(at, 100), 1)
      assert.strictEqual(yield* store.sweep(at, 100), 0)
      assert.deepStrictEqual(yield* tellOne(keys[0]!, 1, at), { tokens: 99, at })
      assert.deepStrictEqual(yield* tellOne(kept, 1, at), { tokens: 49, at })
    })
  )
})
