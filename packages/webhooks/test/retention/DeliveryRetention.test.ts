import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as RetentionWorker from "@limbeck/core/retention/RetentionWorker"
import { Deliveries } from "@limbeck/webhooks/delivery/Deliveries"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as DeliveryRetention from "@limbeck/webhooks/retention/DeliveryRetention"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { createEndpoint, deadDeliveries, deliveriesOf, live, world } from "../support/World.ts"

const day = 24 * 3_600_000

const worker = (days: number) =>
  Effect.map(DeliveryRetention.rule(days), (rule) => ({
    runOnce: RetentionWorker.round(rule),
    forever: RetentionWorker.forever([rule])
  }))

/** The times at which the worker calls the store. */
const observed = Effect.fnUntraced(function* (answers: ReadonlyArray<Effect.Effect<boolean, StorageError>>) {
  const rounds: Array<number> = []
  const real = yield* DeliveryStore
  const store = DeliveryStore.of({
    ...real,
    keepHistory: ({ now }) =>
      Effect.suspend(() => {
        rounds.push(now)
        return answers[rounds.length - 1] ?? Effect.succeed(true)
      })
  })
  return { rounds, loop: Effect.provideService(worker(30), DeliveryStore, store) }
})

describe("DeliveryRetention", () => {
  it.effect("a delivery is shown for as many days as are kept, and then is gone", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { runOnce } = yield* worker(30)
      yield* TestClock.setTime(100 * day)
      const endpoint = yield* createEndpoint()
      const [old] = yield* deadDeliveries(endpoint.id, 1)
      const madeAt = old!.createdAt
      yield* TestClock.setTime(madeAt + day)
      yield* deadDeliveries(endpoint.id, 1)

      yield* TestClock.setTime(madeAt + 30 * day)
      yield* runOnce
      assert.deepStrictEqual((yield* deliveries.detail(live, endpoint.id, old!.id)).delivery, old)
      assert.strictEqual((yield* deliveriesOf(endpoint.id)).length, 2)
      yield* TestClock.setTime(madeAt + 30 * day + 1)
      yield* runOnce
      assert.strictEqual((yield* Effect.flip(deliveries.detail(live, endpoint.id, old!.id)))._tag, "NotFound")
      assert.strictEqual((yield* deliveriesOf(endpoint.id)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("rounds begin at the start and come every six hours", () =>
    Effect.gen(function* () {
      const { loop, rounds } = yield* observed([])
      const { forever } = yield* loop
      const start = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.forkChild(forever)
      yield* TestClock.adjust(day)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        rounds,
        [0, 6, 12, 18, 24].map((hours) => start + hours * 3_600_000)
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a round that was not finished, or failed, is followed by another soon", () =>
    Effect.gen(function* () {
      const failure = new StorageError({ operation: "DeliveryStore.keepHistory", cause: "away" })
      const { loop, rounds } = yield* observed([Effect.succeed(false), Effect.fail(failure)])
      const { forever } = yield* loop
      const start = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.forkChild(forever)
      yield* TestClock.adjust(WebhookLimits.historyRoundMillis)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        rounds,
        [0, 1, 2].map((times) => start + times * WebhookLimits.historyRetryMillis)
      )
    }).pipe(Effect.provide(world))
  )
})
