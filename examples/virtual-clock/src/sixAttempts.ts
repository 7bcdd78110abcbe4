/**
 * An event is published while its receiver is down. The dispatcher looks once per virtual second, for an hour; the test
 * moves the clock, so nothing sleeps. Everything but the receiver is real.
 */
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Deliveries from "@limbeck/webhooks/delivery/Deliveries"
import type { Attempt, DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const receiverIsDown = Layer.succeed(WebhookSender, {
  send: () => Effect.succeed({ statusCode: 503, bodySnippet: "closed for today", durationMillis: 12, error: null })
})

const base = Layer.mergeAll(
  StorageMemory.layer,
  Events.EventCatalog.layer([{ type: "order.paid", domain: "order", description: "An order was paid." }]),
  Ids.layer,
  Secrets.layer([Redacted.make(new Uint8Array(32))]),
  receiverIsDown
).pipe(Layer.provideMerge(Crypto.layer))

const webhooks = Layer.mergeAll(Endpoints.layer, Deliveries.layer, DeliveryDispatcher.layer, Events.layer).pipe(
  Layer.provide(WebhookFanout.layer),
  Layer.provideMerge(base)
)

const shop = Partition.make("ws_00000000000000000000000001", true)

export interface Outcome {
  readonly attempts: ReadonlyArray<Attempt>
  readonly status: DeliveryStatus | undefined
  readonly realMillis: number
}

const story = Effect.gen(function* () {
  const endpoints = yield* Endpoints.Endpoints
  const events = yield* Events.Events
  const deliveries = yield* Deliveries.Deliveries
  const dispatcher = yield* DeliveryDispatcher.DeliveryDispatcher

  const { view } = yield* endpoints.create(shop, { url: "https://receiver.example/hook", enabledEvents: ["order.*"] })
  const order = { id: "order_1", object: "order", status: "paid" }
  yield* events.publish(shop, [{ type: "order.paid", object: order }])
  for (let second = 0; second <= 3_600; second++) {
    yield* TestClock.setTime(second * 1_000)
    yield* dispatcher.runOnce
  }
  const filter = { endpointId: view.endpoint.id, status: null, eventType: null }
  const { items } = yield* deliveries.page(shop, filter, Page.firstPage(20))
  const details = yield* Effect.forEach(items, ({ id }) => deliveries.detail(shop, view.endpoint.id, id))
  return { attempts: details.flatMap(({ attempts }) => attempts), status: items[0]?.status }
})

const realTime = TestClock.testClockWith((clock) => clock.withLive(Clock.currentTimeMillis))

export const sixAttempts: Effect.Effect<Outcome, unknown> = Effect.gen(function* () {
  const began = yield* realTime
  const seen = yield* Effect.provide(story, webhooks)
  return { ...seen, realMillis: (yield* realTime) - began }
}).pipe(Effect.provide(TestClock.layer()))

/** The offsets of service-api 6.4. */
const expectedSeconds = [0, 5, 30, 120, 600, 1_800]

export const isRight = ({ attempts, status }: Outcome): boolean =>
  status === "dead_lettered" &&
  attempts.length === expectedSeconds.length &&
  attempts.every(
    ({ number, startedAt }, index) => number === index + 1 && startedAt === (expectedSeconds[index] ?? 0) * 1_000
  )

const row = (attempt: string, at: string, outcome: string) => `${attempt.padEnd(9)}${at.padStart(12)}  ${outcome}`

export const table = (outcome: Outcome): string =>
  [
    row("attempt", "virtual time", "outcome"),
    ...outcome.attempts.map(({ number, result, startedAt }) =>
      row(String(number), `${startedAt / 1_000} s`, `${result.statusCode}: ${result.bodySnippet}`)
    ),
    "",
    `The delivery is ${outcome.status}. An hour of virtual time took ${outcome.realMillis} ms.`,
    isRight(outcome) ? "Every attempt was made when it was due." : "The times are wrong."
  ].join("\n")
