/** Event types of a host's own: registered, checked, published, listed and subscribed to. */
import { assert, describe, it } from "@effect/vitest"
import type { EventType } from "@limbeck/core/events/Event"
import type { StandardSchema } from "@limbeck/core/events/StandardSchema"
import * as Schema from "effect/Schema"
import { eventsOf, inMemory, type ListBody, order, orderPaid, refusal } from "./support/Shop.ts"

const Order = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("order"),
  status: Schema.String,
  items: Schema.optionalKey(Schema.Array(Schema.Struct({ price: Schema.Finite })))
})

/** As valibot says where, and late. */
const late: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value) =>
      Object(value).id === "bad" ? { issues: [{ message: "is bad", path: [{ key: "list" }, { key: 2 }, "id"] }] } : {}
  }
}

const schooled: ReadonlyArray<EventType> = [
  { ...orderPaid, schema: Schema.toStandardSchemaV1(Order) },
  { type: "order.line_item.sent", domain: "order", description: "A line was sent.", schema: late }
]

describe("an event of the host's own", () => {
  it("is stored and listed as it was given, in the workspace and mode of its own", async () => {
    const shop = await inMemory()
    const { call, webhooks } = shop
    const live = await webhooks.events.publish({ type: "order.paid", object: order("or_1") })
    const test = await webhooks.events.publish({ type: "order.paid", object: order("or_2"), livemode: false })
    const [found, ...others] = await eventsOf(shop)
    assert.deepInclude(found, {
      id: test,
      type: "order.paid",
      workspace_id: webhooks.workspace,
      data: { object: order("or_2") }
    })
    assert.deepStrictEqual(others, [])
    assert.strictEqual((await call("GET", `/v1/events/${live}`)).status, 404)
    await webhooks.close()
  })

  it("of an unknown type, or of one of ours, is refused by name, and nothing is stored", async () => {
    const shop = await inMemory()
    const { webhooks } = shop
    for (const type of ["order.payed", "order", "", "webhook_endpoint.disabled", "webhook.ping"]) {
      const error = await refusal(webhooks.events.publish({ type, object: order("or_1"), livemode: false }))
      assert.strictEqual(error._tag, "UnknownEventType")
      assert.strictEqual(error.message, `No event type "${type}" is registered`)
    }
    assert.deepStrictEqual(await eventsOf(shop), [])
    await webhooks.close()
  })

  it("that its schema refuses is refused by type and path, and nothing is stored", async () => {
    const shop = await inMemory(schooled)
    const { webhooks } = shop
    const publish = (type: string, object: object) =>
      refusal(webhooks.events.publish({ type, object, livemode: false }))
    assert.include(await publish("order.paid", { object: "order", status: "paid" }), {
      _tag: "InvalidEventObject",
      type: "order.paid",
      path: "id"
    })
    const priceless = await publish("order.paid", { ...order("or_1"), items: [{ price: 1 }, { price: "2" }] })
    assert.include(priceless, { type: "order.paid", path: "items[1].price" })
    assert.include(priceless.message, "order.paid: items[1].price: ")
    assert.include(await publish("order.line_item.sent", { id: "bad" }), { path: "list[2].id" })
    assert.deepStrictEqual(await eventsOf(shop), [])
    await webhooks.events.publish({ type: "order.paid", object: order("or_1"), livemode: false })
    assert.strictEqual((await eventsOf(shop)).length, 1)
    await webhooks.close()
  })

  it("is a JSON object, schema or not", async () => {
    const { webhooks } = await inMemory()
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    const strange: ReadonlyArray<unknown> = [[], null, "text", 1n, undefined, { big: 1n }, circle, () => {}]
    for (const object of strange) {
      // What TypeScript would not let through.
      const error = await refusal(webhooks.events.publish({ type: "order.paid", object: object as object }))
      assert.include(error, { _tag: "InvalidEventObject", type: "order.paid", path: null })
    }
    await webhooks.close()
  })

  it("comes with others all or none, and their ids in their order", async () => {
    const shop = await inMemory(schooled)
    const { webhooks } = shop
    const draft = (id: string, livemode = false) => ({ type: "order.paid", object: order(id), livemode })
    const spoilt = [draft("or_1"), { type: "order.paid", object: {}, livemode: false }]
    assert.strictEqual((await refusal(webhooks.events.publish(spoilt)))._tag, "InvalidEventObject")
    assert.deepStrictEqual(await eventsOf(shop), [])

    const same = draft("or_4")
    const ids = await webhooks.events.publish([draft("or_1"), draft("or_2", true), draft("or_3"), same, same])
    assert.strictEqual(new Set(ids).size, 5)
    assert.deepStrictEqual(
      (await eventsOf(shop)).map(({ data, id }) => [id, data.object.id]),
      [
        [ids[0], "or_1"],
        [ids[2], "or_3"],
        [ids[3], "or_4"],
        [ids[4], "or_4"]
      ]
    )
    assert.deepStrictEqual(await webhooks.events.publish([]), [])
    await webhooks.close()
  })

  it("cannot be in a transaction of another database when storage is memory", async () => {
    const { webhooks } = await inMemory()
    const client = { query: () => assert.fail("Nobody asked the client") }
    const published = webhooks.events.publish({ type: "order.paid", object: order("or_1") }, { transaction: client })
    const error = await refusal(published)
    assert.strictEqual(error._tag, "HostTransactionError")
    assert.include(error.message, "memory")
    await webhooks.close()
  })
})

describe("the types of a host", () => {
  it("stand in the catalog beside ours, with nothing that the contract does not name", async () => {
    const { call, webhooks } = await inMemory(schooled)
    const { body } = await call<ListBody<object>>("GET", "/v1/event_types")
    assert.deepStrictEqual(body.data.slice(-2), [
      { object: "event_type", type: "order.paid", domain: "order", description: "An order was paid." },
      { object: "event_type", type: "order.line_item.sent", domain: "order", description: "A line was sent." }
    ])
    await webhooks.close()
  })

  it("may be subscribed to, by name and by prefix", async () => {
    const { call, webhooks } = await inMemory(schooled)
    const status = async (entry: string) => {
      const endpoint = { url: "http://127.0.0.1:1/", enabled_events: [entry] }
      return (await call("POST", "/v1/webhook_endpoints", endpoint)).status
    }
    for (const entry of ["order.paid", "order.*", "order.line_item.*", "*"])
      assert.strictEqual(await status(entry), 201)
    for (const entry of ["order", "order.paid.*", "order.lin*", "shop.*"]) assert.strictEqual(await status(entry), 400)
    await webhooks.close()
  })

  const entry = (fields: object) => ({ ...orderPaid, ...fields })
  const refused: ReadonlyArray<readonly [why: string, types: ReadonlyArray<EventType>, said: RegExp]> = [
    ["is one word", [entry({ type: "paid" })], /^"paid" is no name of an event type/],
    ["is in capitals", [entry({ type: "Order.Paid" })], /no name/],
    ["has a dash", [entry({ type: "order.pre-paid" })], /no name/],
    ["ends in a dot", [entry({ type: "order." })], /no name/],
    ["is a wildcard", [entry({ type: "order.*" })], /no name/],
    ["begins with a digit", [entry({ type: "1order.paid" })], /no name/],
    ["is too long", [entry({ type: `order.${"a".repeat(123)}` })], /128 characters/],
    ["is no text", [entry({ type: undefined })], /no name/],
    ["is ours", [entry({ type: "webhook_endpoint.disabled" })], /a name of ours/],
    ["is what a ping sends", [entry({ type: "webhook.ping" })], /a name of ours/],
    ["may become ours", [entry({ type: "distill.run.paused" })], /a name of ours/],
    ["comes twice", [orderPaid, orderPaid], /^"order.paid" is registered twice/],
    ["has no domain", [entry({ domain: " " })], /a domain and a description/],
    ["has no description", [entry({ description: undefined })], /a domain and a description/],
    ["has a schema of another kind", [entry({ schema: { parse: () => true } })], /Standard Schema/]
  ]
  for (const [why, types, said] of refused) {
    it(`end the start with a clear word when one ${why}`, async () => {
      const error = await refusal(inMemory(types))
      assert.strictEqual(error._tag, "InvalidEventType")
      assert.match(error.message, said)
    })
  }
})
