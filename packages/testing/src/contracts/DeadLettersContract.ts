/** DeliveryStore's promises about dead letters: each is revived once, by the first caller. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { farFuture, idsOf, insert, later, now, open } from "./deliveries.ts"

/** A store whose `endpointId` has `count` dead letters, made at `now`, `now + 1` …, and given up at `later`. */
const openDead = Effect.fnUntraced(function* (count: number) {
  const opened = yield* open
  const { claim, endpointId, partition, store } = opened
  const made = Events.events(partition, count)
  yield* (yield* EventStore).append(partition, made)
  yield* store.insert(
    partition,
    made.map((event) => Deliveries.delivery(event, endpointId))
  )
  const dead = (yield* claim(now + count, { limit: count })).map((one) => {
    const settled = Deliveries.deadLetterOf(one, now)
    return { ...settled, delivery: { ...settled.delivery, updatedAt: later } }
  })
  yield* store.settle(dead)
  const letters = { endpointId, since: 0, until: farFuture }
  return { ...opened, letters, dead: dead.map(({ delivery }) => delivery) }
})

const idsOfAll = (deliveries: ReadonlyArray<Delivery>) => deliveries.map(({ id }) => id)

export const suite = describePort("DeliveryStore, dead letters", (it) => {
  it.effect("a redelivered one is what was given, and comes due again", () =>
    Effect.gen(function* () {
      const { claim, dead, endpointId, find, partition, store } = yield* openDead(3)
      const again = dead.slice(0, 2).map((delivery) => Deliveries.redeliveryOf(delivery, later + 7))
      assert.deepStrictEqual(yield* store.redeliver(partition, again), [])
      for (const delivery of again) assert.deepStrictEqual(yield* find(delivery), Option.some(delivery))
      const stats = (yield* store.stats(partition, [endpointId], 0)).get(endpointId)
      assert.deepInclude(stats, { pending: 2, deadLettered: 1 })
      assert.strictEqual(yield* store.nextDueAt, later + 7)
      assert.deepStrictEqual(yield* claim(later + 6), [])
      const claimed = yield* claim(later + 7)
      assert.deepStrictEqual(idsOf(claimed), idsOfAll(again))
      const success = Deliveries.successOf(claimed[0]!, later + 7)
      assert.deepStrictEqual(yield* store.settle([success]), [])
      assert.strictEqual(success.attempt.number, 2)
      assert.strictEqual((yield* store.attempts(partition, success.delivery.id)).length, 2)
    })
  )

  it.effect("what is not dead-lettered is not redelivered, and is answered", () =>
    Effect.gen(function* () {
      const { claim, dead, find, insert: insertMine, others, partition, store } = yield* openDead(2)
      const { delivery: waiting } = yield* insertMine({ at: now + 10 })
      const { delivery: held } = yield* insertMine({ at: now + 11 })
      const { delivery: done } = yield* insertMine({ at: now + 9 })
      const [first] = yield* claim(now + 9)
      yield* store.settle([Deliveries.successOf(first!)])
      yield* claim(now + 11, { limit: 2 })
      const [one, other] = dead.map((delivery) => Deliveries.redeliveryOf(delivery, later))
      const wrong = [
        waiting,
        held,
        done,
        { ...one!, id: Fresh.id("del") },
        { ...one!, endpointId: Deliveries.endpointId() }
      ]
      const refused = wrong.map((delivery) => Deliveries.redeliveryOf(delivery, later))
      assert.deepStrictEqual(yield* store.redeliver(partition, refused), idsOfAll(refused))
      assert.deepStrictEqual(yield* store.redeliver(others[0], [one!]), [one!.id])
      assert.deepStrictEqual(yield* store.redeliver(partition, []), [])
      assert.deepStrictEqual(yield* find(waiting), Option.some(waiting))
      assert.strictEqual(Option.getOrThrow(yield* find(done)).status, "succeeded")

      assert.deepStrictEqual(yield* store.redeliver(partition, [one!]), [])
      assert.deepStrictEqual(yield* store.redeliver(partition, [one!, other!]), [one!.id])
    })
  )

  it.effect("of many who redeliver the same ones at once, each is revived by exactly one (P19)", () =>
    Effect.gen(function* () {
      const { claim, dead, partition, store } = yield* openDead(60)
      const again = dead.map((delivery) => Deliveries.redeliveryOf(delivery, later))
      const orders = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? again : again.toReversed()))
      const refused = yield* Effect.forEach(orders, (all) => store.redeliver(partition, all), { concurrency: 8 })
      assert.strictEqual(refused.flat().length, 7 * 60)
      assert.strictEqual((yield* claim(later, { limit: 1_000 })).length, 60)
    })
  )

  it.effect("a redelivery that rolls back did not happen", () =>
    Effect.gen(function* () {
      const { dead, find, letters, partition, store } = yield* openDead(1)
      const storage = yield* Storage
      const again = store.redeliver(partition, [Deliveries.redeliveryOf(dead[0]!, later)])
      yield* Effect.flip(storage.transaction(Effect.andThen(again, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* find(dead[0]!), Option.some(dead[0]!))
      assert.strictEqual(yield* store.nextDueAt, null)
      assert.strictEqual(yield* store.countDeadLetters(partition, letters), 1)
      assert.deepStrictEqual(yield* again, [])
    })
  )

  it.effect("dead letters are counted and walked in the order of their ids, each once", () =>
    Effect.gen(function* () {
      const { dead, letters, partition, store } = yield* openDead(7)
      assert.strictEqual(yield* store.countDeadLetters(partition, letters), 7)
      const walk = (after: string | null) => store.deadLetters(partition, letters, { after, limit: 3 })
      const first = yield* walk(null)
      assert.deepStrictEqual(first, dead.slice(0, 3))
      yield* store.redeliver(
        partition,
        first.map((delivery) => Deliveries.redeliveryOf(delivery, later))
      )
      const second = yield* walk(first.at(-1)!.id)
      assert.deepStrictEqual(second, dead.slice(3, 6))
      assert.deepStrictEqual(yield* walk(second.at(-1)!.id), dead.slice(6))
      assert.deepStrictEqual(yield* walk(dead.at(-1)!.id), [])
      assert.deepStrictEqual(idsOfAll(yield* walk(null)), idsOfAll(dead.slice(3, 6)))
    })
  )

  it.effect("only dead letters made and given up within the bounds, which belong to them", () =>
    Effect.gen(function* () {
      const { dead, insert: insertMine, letters, others, partition, store } = yield* openDead(4)
      yield* insertMine({ at: now })
      const found = (bounds: Partial<typeof letters>) =>
        Effect.gen(function* () {
          const within = { ...letters, ...bounds }
          const items = yield* store.deadLetters(partition, within, { after: null, limit: 100 })
          assert.strictEqual(yield* store.countDeadLetters(partition, within), items.length)
          return items
        })
      assert.deepStrictEqual(yield* found({}), dead)
      assert.deepStrictEqual(yield* found({ since: now + 2 }), dead.slice(2))
      assert.deepStrictEqual(yield* found({ since: now + 4 }), [])
      assert.deepStrictEqual(yield* found({ until: later }), dead)
      assert.deepStrictEqual(yield* found({ until: later - 1 }), [])
      assert.deepStrictEqual(yield* found({ endpointId: Deliveries.endpointId() }), [])
      for (const other of others) assert.strictEqual(yield* store.countDeadLetters(other, letters), 0)
    })
  )

  it.effect("an endpoint has failed since a time when no attempt since then, nor the last one before, succeeded", () =>
    Effect.gen(function* () {
      const { claim, endpointId, insert: insertMine, partition, store } = yield* open
      const attempt = Effect.fnUntraced(function* (at: number, succeeds: boolean) {
        yield* insertMine({ at })
        const [claimed] = yield* claim(at)
        yield* store.settle([succeeds ? Deliveries.successOf(claimed!, at) : Deliveries.deadLetterOf(claimed!, at)])
      })
      const hasFailedSince = (since: number) => store.hasFailedSince(partition, endpointId, since)
      assert.isFalse(yield* hasFailedSince(farFuture))
      yield* attempt(now, true)
      assert.isFalse(yield* hasFailedSince(later))
      yield* attempt(now + 10, false)
      yield* attempt(now + 20, false)
      assert.isFalse(yield* hasFailedSince(now))
      assert.isFalse(yield* hasFailedSince(now + 10))
      assert.isTrue(yield* hasFailedSince(now + 11))
      assert.isTrue(yield* hasFailedSince(now + 500))
      yield* insert(partition, Deliveries.endpointId(), { at: now + 30, dueAt: farFuture - 1 })
      yield* attempt(now + 40, true)
      assert.isFalse(yield* hasFailedSince(now + 11))
      assert.isFalse(yield* hasFailedSince(later))
    })
  )
})
