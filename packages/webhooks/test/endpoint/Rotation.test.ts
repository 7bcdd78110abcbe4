import { assert, describe, it } from "@effect/vitest"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import type { WebhookRequest } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import Stripe from "stripe"
import { always, Receiver } from "../support/Receiver.ts"
import { createEndpoint, live, publish, test, world } from "../support/World.ts"

const day = 24 * 3_600
const tolerance = 300

/** Whether a stock verifier takes the delivery, with this secret and at this time. */
const isAccepted = ({ body, headers }: Pick<WebhookRequest, "body" | "headers">, secret: string, at: number) => {
  try {
    const header = headers["Service-Signature"] ?? ""
    const event = Stripe.webhooks.constructEvent(Buffer.from(body), header, secret, tolerance, undefined, at)
    return event.id === headers["Service-Event-Id"]
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

const rotate = (id: string, overlapSeconds: number) =>
  Effect.flatMap(Endpoints, (endpoints) => endpoints.rotateSecret(live, id, overlapSeconds))

/** The next delivery, made and sent now. */
const sendOne = Effect.gen(function* () {
  yield* publish()
  yield* (yield* DeliveryDispatcher).runOnce
  return (yield* (yield* Receiver).next).request
})

/** The secrets that accept a delivery sent now. */
const acceptedWith = Effect.fnUntraced(function* (secrets: ReadonlyArray<string>) {
  const now = yield* Clock.currentTimeMillis
  const request = yield* sendOne
  return secrets.map((secret) => isAccepted(request, secret, now))
})

describe("Endpoints, rotation of the secret", () => {
  it.effect("both secrets sign until the overlap ends, and afterwards only the new one (P20)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_795_000_000_000)
      const { id, secret } = yield* createEndpoint()
      assert.deepStrictEqual(yield* acceptedWith([secret]), [true])
      const rotated = yield* rotate(id, day)
      assert.match(rotated.secret, /^whsec_[0-9A-Za-z]{43}$/)
      assert.strictEqual(rotated.view.endpoint.previousSecretExpiresAt, 1_795_000_000_000 + day * 1_000)
      const both = [rotated.secret, secret]
      assert.deepStrictEqual(yield* acceptedWith(both), [true, true])
      yield* TestClock.adjust(day * 1_000 - 1)
      assert.deepStrictEqual(yield* acceptedWith(both), [true, true])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* acceptedWith(both), [true, false])
    }).pipe(Effect.provide(world))
  )

  it.effect("the newest stands first in the signature", () =>
    Effect.gen(function* () {
      const { id } = yield* createEndpoint()
      const [before = ""] = ((yield* sendOne).headers["Service-Signature"] ?? "").split(",").slice(1)
      yield* rotate(id, day)
      const [, newest, previous] = ((yield* sendOne).headers["Service-Signature"] ?? "").split(",")
      assert.match(before, /^v1=/)
      assert.match(newest ?? "", /^v1=/)
      assert.match(previous ?? "", /^v1=/)
      assert.notStrictEqual(newest, previous)
    }).pipe(Effect.provide(world))
  )

  it.effect("with no overlap the secret before is worth nothing at once", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* createEndpoint()
      const rotated = yield* rotate(id, 0)
      assert.isNull(rotated.view.endpoint.previousSecretExpiresAt)
      assert.deepStrictEqual(yield* acceptedWith([rotated.secret, secret]), [true, false])
    }).pipe(Effect.provide(world))
  )

  it.effect("rotated twice within the overlap, the newest and the one just before it sign", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* createEndpoint()
      const second = yield* rotate(id, 7 * day)
      const third = yield* rotate(id, 60)
      const all = [third.secret, second.secret, secret]
      assert.deepStrictEqual(yield* acceptedWith(all), [true, true, false])
      yield* TestClock.setTime(60_000)
      assert.deepStrictEqual(yield* acceptedWith(all), [true, false, false])
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry is signed anew: with the secrets and the time of its own attempt", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(always(500))
      const { id, secret } = yield* createEndpoint()
      const first = yield* sendOne
      const rotated = yield* rotate(id, 0)
      yield* TestClock.setTime(5_000)
      yield* (yield* DeliveryDispatcher).runOnce
      const { request } = yield* receiver.next
      assert.isTrue(isAccepted(first, secret, 0))
      assert.isTrue(isAccepted(request, rotated.secret, 5_000))
      assert.isFalse(isAccepted(request, secret, 5_000))
      assert.deepStrictEqual(request.body, first.body)
    }).pipe(Effect.provide(world))
  )

  it.effect("what was tampered with, or is old, is refused by a stock verifier (P20)", () =>
    Effect.gen(function* () {
      const { secret } = yield* createEndpoint()
      const request = yield* sendOne
      const { body, headers } = request
      const signature = headers["Service-Signature"] ?? ""
      const text = new TextDecoder().decode(body)
      const tampered = [
        text.replace("succeeded", "failed"),
        `${text} `,
        text.replace('"livemode":true', '"livemode":false')
      ].map((other) => ({ headers, body: new TextEncoder().encode(other) }))
      const forged = [
        signature.replace("t=0", "t=1"),
        signature.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        signature.replace("v1=", "v0=")
      ].map((other) => ({ body, headers: { ...headers, "Service-Signature": other } }))
      assert.isTrue(isAccepted(request, secret, 0))
      for (const wrong of [...tampered, ...forged]) assert.isFalse(isAccepted(wrong, secret, 0))
      assert.isTrue(isAccepted(request, secret, tolerance * 1_000))
      assert.isFalse(isAccepted(request, secret, (tolerance + 1) * 1_000))
    }).pipe(Effect.provide(world))
  )

  it.effect("an overlap is 0 to 7 days, and a foreign endpoint is not there", () =>
    Effect.gen(function* () {
      const { id } = yield* createEndpoint()
      for (const seconds of [-1, 7 * day + 1, 1.5]) {
        assert.deepInclude(yield* Effect.flip(rotate(id, seconds)), {
          _tag: "InvalidInput",
          param: "expires_in_seconds"
        })
      }
      yield* rotate(id, 7 * day)
      const foreign = (yield* Endpoints).rotateSecret(test, id, 0)
      assert.strictEqual((yield* Effect.flip(foreign))._tag, "NotFound")
    }).pipe(Effect.provide(world))
  )

  it.effect("both secrets are sealed in storage (P44)", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* createEndpoint()
      const rotated = yield* rotate(id, day)
      const stored = JSON.stringify(Option.getOrThrow(yield* (yield* ResourceStore).find(live, Endpoint.kind, id)))
      assert.notInclude(stored, secret)
      assert.notInclude(stored, rotated.secret)
    }).pipe(Effect.provide(world))
  )
})
