/** What every DeliveryStore must do with outcomes: each is written once, and a stale lease writes nothing. */
import { assert } from "@effect/vitest"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { farFuture, later, now, open } from "./deliveries.ts"

export const suite = describePort("DeliveryStore, settlements", (it) => {
  it.effect("settle writes the state and the attempt, and frees the lease", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      yield* insert()
      const [first] = yield* claim()
      const failure = Deliveries.failureOf(first!, now + 5_000)
      assert.deepStrictEqual(yield* store.settle([failure]), [])
      assert.deepStrictEqual(yield* find(failure.delivery), Option.some(failure.delivery))
      assert.deepStrictEqual(yield* claim(now + 4_999), [])
      const [second] = yield* claim(now + 5_000)
      assert.deepStrictEqual(second!.delivery, failure.delivery)
      const success = Deliveries.successOf(second!, now + 5_000)
      assert.deepStrictEqual(yield* store.settle([success]), [])
      assert.deepStrictEqual(yield* find(success.delivery), Option.some(success.delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, success.delivery.id), [failure.attempt, success.attempt])
      assert.deepStrictEqual(yield* claim(farFuture), [])
    })
  )

  it.effect("a settlement keeps every word of an attempt, and may have none", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      yield* insert()
      const [claimed] = yield* claim()
      const settled = Deliveries.failureOf(claimed!, later)
      const result = { statusCode: null, bodySnippet: '<ü "漢">\n', durationMillis: 5_000, error: "timeout" }
      const attempt = { ...settled.attempt, trigger: "manual" as const, result }
      yield* store.settle([{ ...settled, attempt, delivery: { ...settled.delivery, lastResult: result } }])
      assert.deepStrictEqual(yield* store.attempts(partition, settled.delivery.id), [attempt])
      const [again] = yield* claim(later)
      const dead = { ...Deliveries.deadLetterOf(again!), attempt: null }
      assert.deepStrictEqual(yield* store.settle([dead]), [])
      assert.deepStrictEqual(yield* find(dead.delivery), Option.some(dead.delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, settled.delivery.id), [attempt])
    })
  )

  it.effect(
    "every attempt says what its receiver answered, whatever its delivery says and whoever settles with it (P462)",
    () =>
      Effect.gen(function* () {
        const { claim, find, insert, partition, store } = yield* open
        for (let count = 0; count < 3; count++) yield* insert()
        const [same, traced, other] = (yield* claim()).map((claimed, place) => {
          const traceparent = place === 1 ? `00-${"a".repeat(32)}-${"b".repeat(16)}-01` : null
          const settled = Deliveries.successOf({ ...claimed, delivery: { ...claimed.delivery, traceparent } })
          const result = { statusCode: 200 + place, bodySnippet: "read", durationMillis: place, error: null }
          const lastResult = place === 2 ? { ...result, bodySnippet: "said" } : result
          return { ...settled, attempt: { ...settled.attempt, result }, delivery: { ...settled.delivery, lastResult } }
        })
        for (const all of [[same!, traced!], [other!]]) assert.deepStrictEqual(yield* store.settle(all), [])
        for (const { attempt, delivery } of [same!, traced!, other!]) {
          assert.deepStrictEqual(yield* store.attempts(partition, delivery.id), [attempt])
          assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
        }
      })
  )

  it.effect("a lease that nobody else took settles, also when its time is over", () =>
    Effect.gen(function* () {
      const { claim, find, insert, store } = yield* open
      yield* insert()
      const [claimed] = yield* claim(now, { leaseUntil: now + 1 })
      const success = Deliveries.successOf(claimed!, later)
      assert.deepStrictEqual(yield* store.settle([success]), [])
      assert.deepStrictEqual(yield* find(success.delivery), Option.some(success.delivery))
    })
  )

  it.effect("a settlement under a stale lease changes nothing, and is answered", () =>
    Effect.gen(function* () {
      const { claim, find, insert, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [stale] = yield* claim(now, { leaseUntil: later })
      const [current] = yield* claim(later, { leaseUntil: farFuture })
      assert.deepStrictEqual(yield* store.settle([Deliveries.successOf(stale!)]), [delivery.id])
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, delivery.id), [])
      assert.deepStrictEqual(yield* claim(farFuture - 1), [])
      assert.deepStrictEqual(yield* store.settle([Deliveries.successOf(current!)]), [])
    })
  )

  it.effect("a settlement said twice counts once", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert, partition, store } = yield* open
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      const failure = Deliveries.failureOf(claimed!, later)
      assert.deepStrictEqual(yield* store.settle([failure]), [])
      assert.deepStrictEqual(yield* store.settle([failure]), [delivery.id])
      assert.strictEqual((yield* store.attempts(partition, delivery.id)).length, 1)
      assert.strictEqual((yield* store.stats(partition, [endpointId], 0)).get(endpointId)?.attempts, 1)
    })
  )

  it.effect("one settle writes the current and leaves out the stale, the foreign and the unknown", () =>
    Effect.gen(function* () {
      const { claim, find, insert, others, store } = yield* open
      for (let index = 0; index < 5; index++) yield* insert({ at: now + index, dueAt: now })
      const [a, b, c, d, e] = (yield* claim()).map((claimed) => Deliveries.successOf(claimed, later))
      const unknown = { ...e!, delivery: { ...e!.delivery, id: Fresh.id("del") } }
      const batch = [
        a!,
        { ...b!, lease: b!.lease + 1_000_000 },
        { ...c!, partition: others[0] },
        { ...d!, partition: others[1] },
        unknown,
        e!
      ]
      const refused = yield* store.settle(batch)
      assert.sameMembers(
        [...refused],
        [b, c, d, unknown].map((one) => one!.delivery.id)
      )
      for (const one of [a!, e!]) assert.deepStrictEqual(yield* find(one.delivery), Option.some(one.delivery))
      for (const one of [b!, c!, d!]) {
        assert.strictEqual(Option.getOrThrow(yield* find(one.delivery)).status, "pending")
      }
      assert.deepStrictEqual(yield* store.settle([b!, c!, d!]), [])
      assert.deepStrictEqual(yield* store.settle([]), [])
    })
  )

  it.effect("of a settler and a claimer who meet at the end of a lease, exactly one goes on", () =>
    Effect.gen(function* () {
      const { claim, insert, store } = yield* open
      for (let round = 0; round < 20; round++) {
        yield* insert()
        const [held] = yield* claim(now, { leaseUntil: later })
        const race = [store.settle([Deliveries.successOf(held!)]), claim(later)] as const
        const [refused, taken] = yield* Effect.all(race, { concurrency: "unbounded" })
        assert.strictEqual(refused.length, taken.length)
        assert.deepStrictEqual(yield* store.settle(taken.map((one) => Deliveries.successOf(one))), [])
      }
    })
  )

  it.effect("a settle that rolls back did not happen", () =>
    Effect.gen(function* () {
      const { claim, endpointId, find, insert, partition, store } = yield* open
      const storage = yield* Storage
      const { delivery } = yield* insert()
      const [claimed] = yield* claim()
      const settle = store.settle([Deliveries.deadLetterOf(claimed!)])
      yield* Effect.flip(storage.transaction(Effect.andThen(settle, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      assert.deepStrictEqual(yield* store.attempts(partition, delivery.id), [])
      const stats = { attempts: 0, succeeded: 0, pending: 1, deadLettered: 0 }
      assert.deepStrictEqual((yield* store.stats(partition, [endpointId], 0)).get(endpointId), stats)
      assert.deepStrictEqual(yield* settle, [])
    })
  )
})
