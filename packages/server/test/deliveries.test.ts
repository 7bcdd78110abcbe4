/** Deliveries, from the event to a receiver and back in the lists (service-api 2.8, 6; contract 8). */
import { createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import type { WebhookDelivery, WebhookDeliveryDetail, WebhookEndpointWithSecret } from "@limbeck/api/WebhooksApi"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { linesOf, row, until, uploadOf } from "./support/Data.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

type Delivery = typeof WebhookDelivery.Type

const endpoints = "/v1/webhook_endpoints"
onEachStorage("deliveries", (house) => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const subscribe = async (caller: Client, path: string, enabled_events = ["distill.upload.*"]) =>
    expectStatus(
      await caller.post<typeof WebhookEndpointWithSecret.Type>(endpoints, { url: receiver.url(path), enabled_events }),
      201
    )

  const deliveriesOf = async (caller: Client, id: string, query = "") =>
    expectStatus(await caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries${query}`), 200)

  const settled = (caller: Client, id: string, status: string) =>
    until(
      () => caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries?status=${status}`),
      ({ data }) => data.length > 0
    )

  it("an event reaches its endpoint, signed, and the delivery says so", async () => {
    const { test } = await house.workspace()
    const path = `/fine/${house.now()}`
    const { id, secret } = await subscribe(test, path)
    await uploadOf(test, linesOf([row(1)]))
    const delivery = firstOf(await settled(test, id, "succeeded"))
    const event = firstOf((await test.get<ListOf<typeof Event.Type>>("/v1/events?type=distill.upload.succeeded")).body)
    const request = receiver.at(path)
    assert.isDefined(request)
    assert.deepStrictEqual(JSON.parse(request?.body ?? ""), event as unknown)
    assert.deepInclude(
      { ...request?.headers },
      {
        "content-type": "application/json",
        "user-agent": "Service-Webhooks/1.0",
        "service-event-type": "distill.upload.succeeded",
        "service-event-id": event.id,
        "service-delivery-id": delivery.id
      }
    )
    const [, time, digest] = /^t=(\d+),v1=(\w+)$/.exec(String(request?.headers["service-signature"])) ?? []
    assert.strictEqual(digest, createHmac("sha256", secret).update(`${time}.${request?.body}`).digest("hex"))
    assert.approximately(Number(time), house.now() / 1_000, 300)
    assert.match(delivery.id, /^del_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(delivery, {
      object: "webhook_delivery",
      livemode: false,
      webhook_endpoint_id: id,
      event_id: event.id,
      event_type: "distill.upload.succeeded",
      attempt_count: 1,
      next_retry_at: null
    })
    assert.deepInclude(delivery.last_response, { status_code: 200, body_snippet: "noted", error: null })
  })

  it("a refused attempt is recorded, and its retry is planned", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, "/broken")
    await uploadOf(test, linesOf([row(1)]))
    const failed = firstOf(await settled(test, id, "failed"))
    assert.deepInclude(failed, { attempt_count: 1 })
    assert.isString(failed.next_retry_at)
    const path = `${endpoints}/${id}/deliveries/${failed.id}`
    const { attempts, ...delivery } = expectStatus(await test.get<typeof WebhookDeliveryDetail.Type>(path), 200)
    assert.deepStrictEqual(delivery, failed)
    assert.strictEqual(attempts.length, 1)
    const attempt = firstOf({ data: attempts })
    assert.match(attempt.id, /^att_[0-9a-hjkmnp-tv-z]{26}$/)
    const seen = { object: "webhook_delivery_attempt", attempt: 1, trigger: "automatic", status_code: 500 } as const
    assert.deepInclude(attempt, { ...seen, body_snippet: "noted" })
    const endpoint = expectStatus(await test.get<typeof WebhookEndpointWithSecret.Type>(`${endpoints}/${id}`), 200)
    assert.deepStrictEqual(endpoint.delivery_stats, { success_rate_24h: 0, pending: 1, dead_lettered: 0 })
  })

  it("one event makes one delivery per endpoint that asked for it", async () => {
    const { live, test } = await house.workspace()
    const matching = [
      await subscribe(test, "/fine", ["*"]),
      await subscribe(test, "/fine", ["distill.upload.succeeded"])
    ]
    const other = await subscribe(test, "/fine", ["distill.run.*", "distill.upload.failed"])
    const disabled = await subscribe(test, "/fine", ["*"])
    expectStatus(await test.patch(`${endpoints}/${disabled.id}`, { status: "disabled" }), 200)
    await uploadOf(test, linesOf([row(1)]))
    await uploadOf(live, linesOf([row(1)]))
    const found = await Promise.all(matching.map(async ({ id }) => (await deliveriesOf(test, id)).data))
    assert.deepStrictEqual(
      found.map(({ length }) => length),
      [1, 1]
    )
    assert.strictEqual(new Set(found.flat().map(({ event_id }) => event_id)).size, 1)
    assert.strictEqual(new Set(found.flat().map(({ id }) => id)).size, 2)
    for (const { id } of [other, disabled]) assert.deepStrictEqual((await deliveriesOf(test, id)).data, [])
  })

  it("the list filters by status, type and time, and pages", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, "/fine", ["*"])
    for (let index = 0; index < 3; index++) await uploadOf(test, linesOf([row(index)]))
    await uploadOf(test, "not a row")
    await until(
      () => test.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries?status=succeeded`),
      ({ data }) => data.length === 4
    )
    const failed = await deliveriesOf(test, id, "?event_type=distill.upload.failed")
    assert.strictEqual(failed.data.length, 1)
    assert.deepStrictEqual((await deliveriesOf(test, id, "?status=dead_lettered")).data, [])
    assert.deepStrictEqual((await deliveriesOf(test, id, "?created_before=2020-01-01T00:00:00Z")).data, [])
    const first = await deliveriesOf(test, id, "?limit=3")
    const rest = await deliveriesOf(test, id, `?limit=3&cursor=${encodeURIComponent(first.next_cursor ?? "")}`)
    assert.deepStrictEqual([first.data.length, first.has_more, rest.data.length, rest.has_more], [3, true, 1, false])
    const ids = [...first.data, ...rest.data].map((delivery) => delivery.id)
    assert.deepStrictEqual(ids, ids.toSorted().toReversed())
    const query = `cursor=${encodeURIComponent(first.next_cursor ?? "")}`
    assertInvalid(await test.get(`${endpoints}/${id}/deliveries?status=succeeded&${query}`), "cursor")
    const { id: other } = await subscribe(test, "/fine")
    assertInvalid(await test.get(`${endpoints}/${other}/deliveries?${query}`), "cursor")
    assertInvalid(await test.get(`${endpoints}/${id}/deliveries?status=sent`), "status")
  })

  it("a delivery is found only under its endpoint", async () => {
    const { test } = await house.workspace()
    const [one, other] = [await subscribe(test, "/fine"), await subscribe(test, "/fine", ["message.completed"])]
    await uploadOf(test, linesOf([row(1)]))
    const delivery = firstOf(await settled(test, one.id, "succeeded"))
    const path = `deliveries/${delivery.id}`
    expectStatus(await test.get(`${endpoints}/${one.id}/${path}`), 200)
    for (const id of [other.id, "wh_none"])
      assertRefused(await test.get(`${endpoints}/${id}/${path}`), 404, "not_found_error")
    assertRefused(await test.get(`${endpoints}/${one.id}/deliveries/del_none`), 404, "not_found_error")
  })
})
