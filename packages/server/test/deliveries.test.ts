/** Deliveries, from the event to a receiver and back in the lists (service-api 2.8, 6; contract 8). */
import { createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import type { WebhookDeliveryDetail, WebhookEndpointWithSecret } from "@limbeck/api/WebhooksApi"
import { announce, linesOf, readUntil, row, sendContent, uploadOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import { type Delivery, deliveriesOf, endpoints, subscribe as subscribeUrl, untilSome } from "./support/Webhooks.ts"

onEachStorage("deliveries", (house) => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const subscribe = (caller: Client, path: string, events?: Array<string>) =>
    subscribeUrl(caller, receiver.url(path), events)

  it("an event reaches its endpoint, signed, and the delivery says so", async () => {
    const { test } = await house.workspace()
    const path = `/fine/${house.now()}`
    const { id, secret } = await subscribe(test, path)
    await uploadOf(test, linesOf([row(1)]))
    const delivery = firstOf(await untilSome(test, id, "succeeded"))
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
    const failed = firstOf(await untilSome(test, id, "failed"))
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
      await subscribe(test, "/fine", ["distill.*", "*", "distill.upload.*"]),
      await subscribe(test, "/fine", ["distill.*"]),
      await subscribe(test, "/fine", ["distill.upload.*"]),
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
      [1, 1, 1, 1, 1]
    )
    assert.strictEqual(new Set(found.flat().map(({ event_id }) => event_id)).size, 1)
    assert.strictEqual(new Set(found.flat().map(({ id }) => id)).size, 5)
    for (const { id } of [other, disabled]) assert.deepStrictEqual((await deliveriesOf(test, id)).data, [])
  })

  it("the list filters by status, type and time, and pages", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, "/fine", ["*"])
    for (let index = 0; index < 3; index++) await uploadOf(test, linesOf([row(index)]))
    await uploadOf(test, "not a row")
    await readUntil(
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
    const delivery = firstOf(await untilSome(test, one.id, "succeeded"))
    const path = `deliveries/${delivery.id}`
    expectStatus(await test.get(`${endpoints}/${one.id}/${path}`), 200)
    for (const id of [other.id, "wh_none"])
      assertRefused(await test.get(`${endpoints}/${id}/${path}`), 404, "not_found_error")
    assertRefused(await test.get(`${endpoints}/${one.id}/deliveries/del_none`), 404, "not_found_error")
  })

  it("the bounds of time are exclusive, and filters hold together", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, "/fine", ["*"])
    for (const content of [linesOf([row(1)]), "not a row", linesOf([row(2)])]) {
      await uploadOf(test, content)
      house.passTime(1_000)
    }
    const { data } = await untilSome(test, id, "succeeded", 3)
    const [third, second, first] = data as [Delivery, Delivery, Delivery]
    const idsOf = async (query: string) => (await deliveriesOf(test, id, query)).data.map((one) => one.id)
    assert.deepStrictEqual(await idsOf(`?created_after=${first.created_at}`), [third.id, second.id])
    assert.deepStrictEqual(await idsOf(`?created_before=${third.created_at}`), [second.id, first.id])
    const between = `created_after=${first.created_at}&created_before=${third.created_at}`
    assert.deepStrictEqual(await idsOf(`?${between}`), [second.id])
    assert.deepStrictEqual(await idsOf(`?${between}&event_type=distill.upload.failed`), [second.id])
    assert.deepStrictEqual(await idsOf(`?${between}&event_type=distill.upload.succeeded`), [])
    assert.deepStrictEqual(await idsOf(`?${between}&status=succeeded`), [second.id])
    assert.deepStrictEqual(await idsOf(`?${between}&status=failed`), [])

    const filters = "status=succeeded&event_type=distill.upload.succeeded"
    const page = await deliveriesOf(test, id, `?${filters}&limit=1`)
    assert.deepStrictEqual([page.data[0]?.id, page.has_more], [third.id, true])
    const cursor = `cursor=${encodeURIComponent(page.next_cursor ?? "")}`
    assert.deepStrictEqual(await idsOf(`?event_type=distill.upload.succeeded&status=succeeded&${cursor}`), [first.id])
    for (const other of ["", "status=succeeded", "event_type=distill.upload.succeeded", `${filters}&${between}`]) {
      assertInvalid(await test.get(`${endpoints}/${id}/deliveries?${other}&${cursor}`), "cursor")
    }
  })

  it("a list of deliveries keeps the rules of every list", async () => {
    const { live, test } = await house.workspace()
    const { id } = await subscribe(test, "/fine", ["*"])
    const path = `${endpoints}/${id}/deliveries`
    for (const [query, param] of [
      ["limit=0", "limit"],
      ["limit=-1", "limit"],
      ["limit=abc", "limit"],
      ["limit=1.5", "limit"],
      ["limit=", "limit"],
      ["cursor=", "cursor"],
      ["cursor=garbage", "cursor"],
      ["status=", "status"],
      ["status=Succeeded", "status"],
      ["status=pending&status=failed", "status"],
      ["event_type=", "event_type"],
      ["event_type=%00", "event_type"],
      ["event_type=distill.upload.*", "event_type"],
      ["event_type=distill.upload.suceeded", "event_type"],
      ["created_after=yesterday", "created_after"],
      ["created_before=1700000000", "created_before"]
    ] as const) {
      assertInvalid(await test.get(`${path}?${query}`), param)
    }
    for (const query of ["event_type=distill.run.failed", "limit=1000", "colour=green"]) {
      const empty = { data: [], has_more: false, next_cursor: null }
      assert.deepStrictEqual(await deliveriesOf(test, id, `?${query}`), empty)
    }
    const { text } = await test.get(`${path}?event_type=distill.upload.suceeded`)
    assert.include(text, "The nearest is distill.upload.succeeded;")
    const head = await test.send("HEAD", path)
    assert.deepStrictEqual([head.status, head.text], [200, ""])
    assertRefused(await live.get(path), 404, "not_found_error")
  })

  it("a page shows 20 deliveries by default, and 100 at most", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, "/fine")
    const upload = async () => sendContent(test, await announce(test), "not a row")
    for (let sent = 0; sent < 101; sent += 20) await Promise.all(Array.from({ length: 20 }, upload))
    const path = `${endpoints}/${id}/deliveries`
    const page = await readUntil(
      () => test.get<ListOf<Delivery>>(`${path}?limit=1000`),
      ({ has_more }) => has_more
    )
    assert.strictEqual(page.data.length, 100)
    assert.strictEqual((await deliveriesOf(test, id)).data.length, 20)
  })
})
