import { assert, describe, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Page from "@limbeck/core/pages/Page"
import { isSigned } from "@limbeck/testing/fixtures/Signatures"
import * as DeliveryResource from "@limbeck/webhooks/delivery/DeliveryResource"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { Pings } from "@limbeck/webhooks/endpoint/Pings"
import * as Effect from "effect/Effect"
import { always, answer, hangs, Receiver } from "../support/Receiver.ts"
import { createEndpoint, deliveriesOf, live, test, world } from "../support/World.ts"

const ping = (id: string) => Effect.flatMap(Pings, (pings) => pings.ping(live, id))

describe("Pings", () => {
  it.effect(
    "one signed request of a webhook.ping that shows the endpoint is sent, and what came back is the answer",
    () =>
      Effect.gen(function* () {
        const endpoint = yield* createEndpoint()
        const result = yield* ping(endpoint.id)
        const { sent } = yield* Receiver
        const [first] = sent
        assert.strictEqual(sent.length, 1)
        const { body, headers, url } = first!.request
        const event = JSON.parse(new TextDecoder().decode(body))
        assert.strictEqual(url, endpoint.url)
        assert.deepInclude(event, {
          object: "event",
          type: "webhook.ping",
          livemode: true,
          workspace_id: live.workspace
        })
        assert.deepInclude(event.data.object, { id: endpoint.id, object: "webhook_endpoint", status: "enabled" })
        assert.notInclude(JSON.stringify(event), endpoint.secret)
        assert.strictEqual(headers["Service-Event-Type"], "webhook.ping")
        assert.strictEqual(headers["Service-Event-Id"], event.id)
        assert.match(headers["Service-Delivery-Id"] ?? "", /^del_/)
        const header = headers["Service-Signature"] ?? ""
        assert.isTrue(isSigned(header, endpoint.secret, body))
        assert.deepStrictEqual(DeliveryResource.renderPing(result), {
          object: "webhook_ping",
          delivered: true,
          status_code: 200,
          body_snippet: "answer 200",
          duration_ms: 7,
          error: null
        })
      }).pipe(Effect.provide(world))
  )

  it.effect("nothing of it is stored", () =>
    Effect.gen(function* () {
      const { id } = yield* createEndpoint()
      yield* ping(id)
      assert.deepStrictEqual(yield* deliveriesOf(id), [])
      assert.deepStrictEqual((yield* (yield* EventStore).page(live, null, Page.firstPage(10))).items, [])
      assert.strictEqual((yield* (yield* Endpoints).get(live, id)).stats.attempts, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a refusal, or no answer, is an answer too", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const { id } = yield* createEndpoint()
      receiver.answers(always(404))
      assert.deepInclude(DeliveryResource.renderPing(yield* ping(id)), { delivered: false, status_code: 404 })
      receiver.answers(() => Effect.succeed({ ...answer(200), error: "timeout" }))
      assert.deepInclude(DeliveryResource.renderPing(yield* ping(id)), { delivered: false, error: "timeout" })
    }).pipe(Effect.provide(world))
  )

  it.effect("it works on a disabled endpoint", () =>
    Effect.gen(function* () {
      const { id } = yield* createEndpoint()
      yield* (yield* Endpoints).update(live, id, { status: "disabled" })
      assert.isTrue(DeliveryResource.renderPing(yield* ping(id)).delivered)
    }).pipe(Effect.provide(world))
  )

  it.effect("a foreign or unknown endpoint is not there, and nothing is sent", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      receiver.answers(hangs)
      const { id } = yield* createEndpoint()
      const pings = yield* Pings
      assert.strictEqual((yield* Effect.flip(pings.ping(test, id)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(pings.ping(live, "wh_none")))._tag, "NotFound")
      assert.deepStrictEqual(receiver.sent, [])
    }).pipe(Effect.provide(world))
  )
})
