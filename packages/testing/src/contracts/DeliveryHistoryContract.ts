/** DeliveryStore's promises about history: expired deliveries go whole, recent or waiting ones stay whole. */
import { assert } from "@effect/vitest"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import { historyGraceMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import { describePort } from "./AllPorts.ts"
import { any, farFuture, idsOf, now, open } from "./deliveries.ts"

const day = 24 * 3_600_000
const week = 7 * day
const kept = 30 * day

/** Late enough that everything made at `at` has expired. */
const afterAll = (at: number) => ({ now: at + kept + 2 * historyGraceMillis, since: at + 1 + historyGraceMillis })

export const suite = describePort("DeliveryStore: history", (it) => {
  /** An endpoint with final deliveries. */
  const openHistory = Effect.map(open, (opened) => {
    const { claim, insert, partition, store } = opened
    const succeeded = Effect.fnUntraced(function* (at: number) {
      const { delivery } = yield* insert({ at })
      const [claimed] = yield* claim(at)
      yield* store.settle([Deliveries.successOf(claimed!, at)])
      return delivery
    })
    const dead = Effect.fnUntraced(function* (at: number) {
      yield* insert({ at })
      const [claimed] = yield* claim(at)
      const settled = Deliveries.deadLetterOf(claimed!, at)
      yield* store.settle([settled])
      return settled.delivery
    })
    const isThere = (delivery: Delivery) => Effect.map(opened.find(delivery), Option.isSome)
    const attemptsOf = ({ id }: Delivery) => Effect.map(store.attempts(partition, id), ({ length }) => length)
    return { ...opened, succeeded, dead, isThere, attemptsOf }
  })

  it.effect("what was made before goes whole: deliveries, attempts, and what is counted of them", () =>
    Effect.gen(function* () {
      const { attemptsOf, dead, endpointId, isThere, partition, store, succeeded } = yield* openHistory
      const old = [yield* succeeded(now), yield* dead(now + 1)]
      assert.isTrue(yield* store.keepHistory(afterAll(now + 1)))
      for (const delivery of old) {
        assert.isFalse(yield* isThere(delivery))
        assert.strictEqual(yield* attemptsOf(delivery), 0)
      }
      const page = yield* store.page(partition, { endpointId, ...any }, firstPage(5))
      assert.deepStrictEqual(page, { items: [], hasMore: false })
      assert.strictEqual((yield* store.stats(partition, [endpointId], 0)).size, 0)
      const letters = { endpointId, since: 0, until: farFuture }
      assert.strictEqual(yield* store.countDeadLetters(partition, letters), 0)
      assert.deepStrictEqual(yield* store.redeliver(partition, [Deliveries.redeliveryOf(old[1]!, now)]), [old[1]!.id])
    })
  )

  it.effect("what was made at the time or later stays, with its attempts", () =>
    Effect.gen(function* () {
      const { attemptsOf, dead, endpointId, isThere, partition, store, succeeded } = yield* openHistory
      const deliveries = [yield* succeeded(now), yield* dead(now + 1), yield* succeeded(now + week)]
      yield* store.keepHistory({ now: now + kept, since: now })
      const stats = (yield* store.stats(partition, [endpointId], now + week)).get(endpointId)
      assert.deepInclude(stats, { pending: 0, deadLettered: 1 })
      for (const delivery of deliveries) {
        assert.isTrue(yield* isThere(delivery))
        assert.strictEqual(yield* attemptsOf(delivery), 1)
      }
    })
  )

  it.effect("what still waits stays whole, however old it is, and goes when it has come to an end (P47)", () =>
    Effect.gen(function* () {
      const { attemptsOf, claim, dead, insert, isThere, partition, store } = yield* openHistory
      const { delivery: retried } = yield* insert()
      const [claimed] = yield* claim()
      yield* store.settle([Deliveries.failureOf(claimed!, now + 100 * day)])
      const revived = yield* dead(now)
      yield* store.redeliver(partition, [Deliveries.redeliveryOf(revived, now + 100 * day)])

      const later = afterAll(now + 2)
      assert.isTrue(yield* store.keepHistory(later))
      const due = yield* claim(now + 100 * day)
      assert.deepStrictEqual(new Set(idsOf(due)), new Set([retried.id, revived.id]))
      assert.isTrue(yield* store.keepHistory(later))
      assert.deepStrictEqual(yield* store.settle(due.map((one) => Deliveries.successOf(one))), [])
      assert.deepStrictEqual([yield* attemptsOf(retried), yield* attemptsOf(revived)], [2, 2])

      assert.isTrue(yield* store.keepHistory(later))
      assert.deepStrictEqual([yield* isThere(retried), yield* isThere(revived)], [false, false])
      assert.deepStrictEqual([yield* attemptsOf(retried), yield* attemptsOf(revived)], [0, 0])
    })
  )

  it.effect("the oldest is told, of whatever is there: also of what still waits (P106)", () =>
    Effect.gen(function* () {
      const { claim, insert, store } = yield* openHistory
      // Older than any of another case.
      const at = now - 1_000 * day
      const { delivery } = yield* insert({ at })
      yield* insert({ at: at + 5 })
      assert.strictEqual(yield* store.oldest, at)
      yield* store.keepHistory(afterAll(at + 5))
      assert.strictEqual(yield* store.oldest, at)
      const claimed = yield* claim(at + 5)
      assert.include(idsOf(claimed), delivery.id)
      yield* store.settle(claimed.map((one) => Deliveries.successOf(one, at + 5)))
      yield* store.keepHistory(afterAll(at + 5))
      assert.isAbove((yield* store.oldest) ?? Number.POSITIVE_INFINITY, at + 5)
    })
  )

  it.effect("kept week after week, nothing goes too early, and nothing stays for longer than it may (P47)", () =>
    Effect.gen(function* () {
      const { attemptsOf, isThere, store, succeeded } = yield* openHistory
      const begin = now + 1_000 * day
      const made: Array<Delivery> = []
      for (let at = begin; at < begin + 12 * week; at += 3 * day) {
        const since = at - kept
        assert.isTrue(yield* store.keepHistory({ now: at, since }))
        for (const delivery of made) {
          const isDue = delivery.createdAt >= since
          if (!isDue && delivery.createdAt >= since - historyGraceMillis) continue
          assert.strictEqual(yield* isThere(delivery), isDue)
          assert.strictEqual(yield* attemptsOf(delivery), isDue ? 1 : 0)
        }
        made.push(yield* succeeded(at), yield* succeeded(at + day))
      }
    })
  )

  it.effect("servers keep history at once, again and again", () =>
    Effect.gen(function* () {
      const { isThere, store, succeeded } = yield* openHistory
      const begin = now + 2_000 * day
      for (let at = begin; at < begin + 5 * week; at += week) {
        const kept = store.keepHistory({ now: at, since: at - day })
        yield* Effect.all([kept, kept, kept, kept], { concurrency: "unbounded" })
        const delivery = yield* succeeded(at + 2 * 60_000)
        assert.isTrue(yield* isThere(delivery))
      }
    })
  )
})
