/** Test events: a ping with any event type of the catalog and an example of its object, in test mode alone. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { WebhookPing } from "@limbeck/api/WebhooksApi"
import type { EventType } from "@limbeck/core/events/Event"
import { assertInvalid, expectStatus, type ListOf } from "./support/Client.ts"
import { assertSchema } from "./support/Document.ts"
import { onMemory } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import { endpoints, isSignedBy, subscribe } from "./support/Webhooks.ts"

const receiver = new Receiver()
beforeAll(() => receiver.open())
afterAll(() => receiver.close())

/** The schema of an event's object, by domain; the OpenAPI document has no schema for billing's object. */
const schemas: Readonly<Record<string, string>> = {
  "distill.run": "Run",
  "distill.report": "Report",
  "distill.upload": "Upload",
  "distill.pull": "Pull",
  "distill.dataset_version": "DatasetVersion",
  "distill.deployment": "Deployment",
  message: "Message",
  webhook_endpoint: "WebhookEndpoint"
}

const orderPaid = {
  type: "order.paid",
  domain: "order",
  description: "An order was paid.",
  example: () => ({ id: "or_example", object: "order", status: "paid" })
}
const orderSent = { type: "order.sent", domain: "order", description: "An order was sent." }

onMemory(
  "a test event",
  (house) => {
    const opened = async () => {
      const { live, test } = await house.workspace()
      const url = receiver.answering((_, response) => response.end())
      const { id, secret } = await subscribe(test, url)
      const send = async (type: string) => {
        const ping = expectStatus(await test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`, { type }), 200)
        assert.isTrue(ping.delivered, type)
        return receiver.allAt(url).at(-1)!
      }
      return { live, test, url, id, secret, send }
    }

    it("of each type of the catalog is signed, and its object is an example of the type's resource (P1680)", async () => {
      const { secret, send, test } = await opened()
      const { data: types } = expectStatus(await test.get<ListOf<EventType>>("/v1/event_types"), 200)
      for (const { domain, type } of types) {
        const { body, headers } = await send(type)
        const event = JSON.parse(body)
        assert.isTrue(isSignedBy(String(headers["service-signature"]), body, secret), type)
        assert.deepInclude(event, { object: "event", type, livemode: false })
        assert.strictEqual(headers["service-event-type"], type)
        const { object } = event.data
        assert.match(object.id, /(^|_)example$/, type)
        assert.strictEqual(object.livemode ?? false, false, type)
        const schema = schemas[domain]
        // The id of an example is no id of ours.
        const id = String(object.id).replace("example", "01kaf3tn0e5v2b8w6xq4rj7mcd")
        if (schema !== undefined) assertSchema(schema, { ...object, id }, type)
      }
      const failed = JSON.parse((await send("distill.run.failed")).body)
      assert.deepInclude(failed.data.object, { id: "run_example", object: "distill_run", status: "failed" })
      const low = JSON.parse((await send("billing.balance_low")).body)
      assert.deepInclude(low.data.object, { id: "ws_example", object: "balance", status: "low" })
    })

    it("of a host's type has the example of the host, or else its domain (P1680)", async () => {
      const { send } = await opened()
      assert.deepStrictEqual(JSON.parse((await send("order.paid")).body).data.object, orderPaid.example())
      const sent = JSON.parse((await send("order.sent")).body)
      assert.deepStrictEqual(sent.data.object, { id: "example", object: "order" })
    })

    it("is refused for an unknown type and in live mode, and nothing is sent then (P1681)", async () => {
      const { id, live, test, url } = await opened()
      const unknown = await test.post(`${endpoints}/${id}/ping`, { type: "distill.run.succeded" })
      assertInvalid(unknown, "type")
      assert.include(unknown.text, "The nearest is distill.run.succeeded")
      assertInvalid(await test.post(`${endpoints}/${id}/ping`, { type: 4 }), "type")
      const ofLive = await subscribe(live, "https://127.0.0.1:1/")
      assertInvalid(await live.post(`${endpoints}/${ofLive.id}/ping`, { type: "distill.run.succeeded" }), "type")
      assert.isEmpty(receiver.allAt(url))
      for (const body of [{ type: "webhook.ping" }, { type: null }, {}]) {
        expectStatus(await live.post(`${endpoints}/${ofLive.id}/ping`, body), 200)
        expectStatus(await test.post(`${endpoints}/${id}/ping`, body), 200)
      }
      const types = receiver.allAt(url).map(({ headers }) => headers["service-event-type"])
      assert.deepStrictEqual(types, ["webhook.ping", "webhook.ping", "webhook.ping"])
    })
  },
  { eventTypes: [orderPaid, orderSent] }
)
