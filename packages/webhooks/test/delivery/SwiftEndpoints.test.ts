import { assert, describe, it } from "@effect/vitest"
import type { AttemptResult } from "@limbeck/webhooks/delivery/Delivery"
import { type ClaimOptions, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer, hangs, Receiver } from "../support/Receiver.ts"
import {
  anotherDispatcher,
  createEndpoint,
  deliveriesOf,
  during,
  publish,
  settleDown,
  world
} from "../support/World.ts"

interface Claim {
  readonly options: ClaimOptions
  readonly ids: ReadonlyArray<string>
}

/** A store that notes the claims that found something, and how many outcomes were written together. */
const noting = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const claims: Array<Claim> = []
  const settled: Array<number> = []
  const noted: typeof store = {
    ...store,
    claimDue: (options) =>
      Effect.tap(store.claimDue(options), (claimed) =>
        Effect.sync(() => claims.push({ options, ids: claimed.map(({ delivery }) => delivery.id) }))
      ),
    settle: (settlements) => {
      settled.push(settlements.length)
      return store.settle(settlements)
    }
  }
  return { claims, noted, settled }
})

const largest = (claims: ReadonlyArray<Claim>) => Math.max(...claims.map(({ ids }) => ids.length))

describe("an endpoint that answers quickly", () => {
  it.effect(
    "of a backlog at a swift endpoint many are claimed at once, none in vain, and 16 are under way (P408, P410, P450)",
    () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver
        let [underWay, most] = [0, 0]
        receiver.answers(() =>
          Effect.sync(() => {
            most = Math.max(most, ++underWay)
          }).pipe(
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(
              Effect.sync(() => {
                underWay--
                return answer(200)
              })
            )
          )
        )
        const { claims, noted, settled } = yield* noting
        const endpoint = yield* createEndpoint()
        yield* publish("message.completed", { times: 400 })
        const dispatcher = yield* Effect.provideService(anotherDispatcher, DeliveryStore, noted)
        yield* during(dispatcher.forever)(
          Effect.gen(function* () {
            yield* settleDown
            yield* settleDown
          })
        )
        const statuses = (yield* deliveriesOf(endpoint.id)).map(({ status }) => status)
        assert.deepStrictEqual(statuses, Array(400).fill("succeeded"))
        assert.strictEqual(receiver.sent.length, 400)
        assert.isAtMost(most, WebhookLimits.perEndpointMax)
        assert.isAtMost(claims.filter(({ ids }) => ids.length > 0).length, 400 / WebhookLimits.swiftClaimMax + 8)
        // Both lanes, before the backlog and behind it.
        assert.isAtMost(claims.filter(({ ids }) => ids.length === 0).length, 4)
        // Only first attempts may stand in line.
        const retries = claims.filter(({ options }) => options.lane === "retry")
        assert.isNotEmpty(retries)
        for (const { options } of retries) assert.deepStrictEqual(options.many?.endpoints, [])
        assert.isAtMost(settled.length, (2 * 400) / WebhookLimits.settleLingerMax)
      }).pipe(Effect.provide(world))
  )

  const others: ReadonlyArray<readonly [string, AttemptResult]> = [
    ["refuses quickly", answer(500)],
    ["succeeds slowly", { ...answer(200), durationMillis: WebhookLimits.swiftMillis }]
  ]
  for (const [does, result] of others) {
    it.effect(`of one that ${does} no more are claimed than of any (P408)`, () =>
      Effect.gen(function* () {
        ;(yield* Receiver).answers(() => Effect.as(Effect.yieldNow, result))
        const { claims, noted } = yield* noting
        yield* createEndpoint()
        yield* publish("message.completed", { times: 100 })
        const dispatcher = yield* Effect.provideService(anotherDispatcher, DeliveryStore, noted)
        yield* during(dispatcher.forever)(settleDown)
        assert.strictEqual(largest(claims), WebhookLimits.perEndpointClaimMax)
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("nothing that has stood in line for more than a second is sent (P409)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const { claims, noted } = yield* noting
      // Swift at first, and then so slow that a line does not move through in a second.
      receiver.answers(() =>
        receiver.sent.length > 40
          ? Effect.delay(Effect.succeed({ ...answer(200), durationMillis: 450 }), 450)
          : Effect.succeed(answer(200))
      )
      const endpoint = yield* createEndpoint()
      yield* publish("message.completed", { times: 200 })
      const dispatcher = yield* Effect.provideService(anotherDispatcher, DeliveryStore, noted)
      yield* during(dispatcher.forever)(
        Effect.forEach(Array.from({ length: 200 }), () => Effect.andThen(TestClock.adjust(50), settleDown), {
          discard: true
        })
      )
      const claimedAt = (id: string, before: number) =>
        Math.max(
          ...claims.flatMap(({ ids, options }) => (ids.includes(id) && options.now <= before ? [options.now] : []))
        )
      for (const { at, request } of receiver.sent) {
        const id = request.headers["Service-Delivery-Id"] ?? ""
        assert.isAtMost(at - claimedAt(id, at), WebhookLimits.lineMillis)
      }
      const again = claims.flatMap(({ ids }) => ids)
      assert.isAbove(again.length, 200)
      const statuses = (yield* deliveriesOf(endpoint.id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, Array(200).fill("succeeded"))
    }).pipe(Effect.provide(world))
  )

  it.effect("what stands in line when its receiver hangs, or the process stops, is due for others at once (P409)", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const store = yield* DeliveryStore
      receiver.answers(() =>
        receiver.sent.length > 40 ? hangs(receiver.sent[0]!.request) : Effect.succeed(answer(200))
      )
      const endpoint = yield* createEndpoint()
      yield* publish("message.completed", { times: 200 })
      const process = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(anotherDispatcher, (dispatcher) => dispatcher.forever))
      )
      yield* settleDown
      const sent = receiver.sent.length
      const free = (now: number) => store.claimDue({ lane: "first", now, limit: 1_000, leaseUntil: now + 1 })
      const stopping = yield* Effect.forkChild(Fiber.interrupt(process))
      yield* settleDown
      // All but those that hang.
      const hanging =
        receiver.sent.length - (yield* deliveriesOf(endpoint.id)).filter(({ status }) => status === "succeeded").length
      assert.strictEqual((yield* free(0)).length, 200 - receiver.sent.length)
      assert.strictEqual(receiver.sent.length, sent)
      assert.isAtLeast(hanging, 1)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(world))
  )
})
