/** Rotation, ping, and what follows a dead letter (contract 8, 14.3, 14.6, 14.15). */
import { createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookPing
} from "@limbeck/api/WebhooksApi"
import { toIso } from "@limbeck/core/time/Timestamp"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { linesOf, row, until, uploadOf } from "./support/Data.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

type Created = typeof WebhookEndpointWithSecret.Type
type Delivery = typeof WebhookDelivery.Type
type Detail = typeof WebhookDeliveryDetail.Type

const endpoints = "/v1/webhook_endpoints"
const day = 24 * 3_600_000

onEachStorage("webhook actions", (house) => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const subscribe = async (caller: Client, path: string) => {
    const body = { url: receiver.url(path), enabled_events: ["distill.upload.succeeded"] }
    return expectStatus(await caller.post<Created>(endpoints, body), 201)
  }

  const ring = (caller: Client) => uploadOf(caller, linesOf([row(1)]))

  /** A delivery whose six attempts have failed: an hour later all of them are due, and a new event rings for them. */
  const deadLetter = async (caller: Client, { id }: Created) => {
    await ring(caller)
    const list = await until(
      () => caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries`),
      ({ data }) => data[0]?.attempt_count === 1
    )
    const path = `${endpoints}/${id}/deliveries/${firstOf(list).id}`
    house.passTime(3_600_000)
    await ring(caller)
    await until(
      () => caller.get<Detail>(path),
      ({ status }) => status === "dead_lettered"
    )
    return path
  }

  it("six failures make a dead letter, which may be sent again, counting on", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, "/broken")
    const path = await deadLetter(test, endpoint)
    const dead = expectStatus(await test.get<Detail>(path), 200)
    assert.deepInclude(dead, { status: "dead_lettered", attempt_count: 6, next_retry_at: null })
    assert.deepStrictEqual(
      dead.attempts.map(({ attempt, trigger }) => [attempt, trigger]),
      [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, "automatic"])
    )
    const url = receiver.url("/fine")
    expectStatus(await test.patch(`${endpoints}/${endpoint.id}`, { url }), 200)
    const again = expectStatus(await test.post<Delivery>(`${path}/redeliver`), 202)
    assert.deepInclude(again, { id: dead.id, status: "pending", attempt_count: 6 })
    const sent = await until(
      () => test.get<Detail>(path),
      ({ status }) => status === "succeeded"
    )
    assert.strictEqual(sent.attempt_count, 7)
    assert.deepInclude(sent.attempts.at(-1) ?? {}, { attempt: 7, trigger: "manual", status_code: 200 })
    assertRefused(await test.post(`${path}/redeliver`), 409, "conflict_error")
  })

  it("a dead letter may be sent again for thirty days, and not to a disabled endpoint", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, "/broken")
    const path = await deadLetter(test, endpoint)
    expectStatus(await test.patch(`${endpoints}/${endpoint.id}`, { status: "disabled" }), 200)
    assertRefused(await test.post(`${path}/redeliver`), 409, "conflict_error")
    expectStatus(await test.patch(`${endpoints}/${endpoint.id}`, { status: "enabled" }), 200)
    house.passTime(30 * day)
    assertRefused(await test.post(`${path}/redeliver`), 410, "gone")
  })

  it("recovery sends every dead letter since a time again", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, "/broken")
    const path = await deadLetter(test, endpoint)
    const { created_at } = expectStatus(await test.get<Detail>(path), 200)
    const recover = (body: unknown) =>
      test.post<{ readonly queued: number }>(`${endpoints}/${endpoint.id}/recover`, body)
    assertInvalid(await recover({}), "since")
    assertInvalid(await recover({ since: "yesterday" }), "since")
    expectStatus(await test.patch(`${endpoints}/${endpoint.id}`, { url: receiver.url("/fine") }), 200)
    const since = toIso(Date.parse(created_at) - 1)
    assert.isAtLeast(expectStatus(await recover({ since }), 202).queued, 1)
    await until(
      () => test.get<Detail>(path),
      ({ status }) => status === "succeeded"
    )
  })

  it("after a rotation both secrets sign, until the overlap ends", async () => {
    const { test } = await house.workspace()
    const first = await subscribe(test, "/rotated")
    const path = `${endpoints}/${first.id}`
    for (const seconds of [-1, 7 * 24 * 3_600 + 1, 1.5]) {
      assertInvalid(await test.post(`${path}/rotate_secret`, { expires_in_seconds: seconds }), "expires_in_seconds")
    }
    const second = expectStatus(await test.post<Created>(`${path}/rotate_secret`), 200)
    assert.match(second.secret, /^whsec_[0-9A-Za-z]{43}$/)
    assert.approximately(Date.parse(second.previous_secret_expires_at ?? ""), house.now() + day, 60_000)
    const digestsAfter = async () => {
      receiver.received.length = 0
      await ring(test)
      await until(
        () => test.get<ListOf<Delivery>>(`${path}/deliveries?status=succeeded&limit=1`),
        () => receiver.at("/rotated") !== undefined
      )
      const { body, headers } = receiver.at("/rotated")!
      const [time, ...digests] = String(headers["service-signature"]).split(",")
      const signs = ({ secret }: Created) =>
        digests.includes(
          `v1=${createHmac("sha256", secret)
            .update(`${time?.slice(2)}.${body}`)
            .digest("hex")}`
        )
      return [signs(first), signs(second), digests.length]
    }
    assert.deepStrictEqual(await digestsAfter(), [true, true, 2])
    house.passTime(day)
    assert.deepStrictEqual(await digestsAfter(), [false, true, 1])
    expectStatus(await test.post(`${path}/rotate_secret`, { expires_in_seconds: 0 }), 200)
    assert.deepStrictEqual(await digestsAfter(), [false, false, 1])
  })

  it("a ping is one signed request that leaves nothing behind, also to a disabled endpoint", async () => {
    const { test } = await house.workspace()
    const { id, secret } = await subscribe(test, "/pinged")
    expectStatus(await test.patch<typeof WebhookEndpoint.Type>(`${endpoints}/${id}`, { status: "disabled" }), 200)
    const ping = expectStatus(await test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`), 200)
    assert.deepInclude(ping, {
      object: "webhook_ping",
      delivered: true,
      status_code: 200,
      error: null,
      body_snippet: "noted"
    })
    const { body, headers } = receiver.at("/pinged")!
    assert.strictEqual(JSON.parse(body).type, "webhook.ping")
    assert.strictEqual(headers["service-event-type"], "webhook.ping")
    const [, time, digest] = /^t=(\d+),v1=(\w+)$/.exec(String(headers["service-signature"])) ?? []
    assert.strictEqual(digest, createHmac("sha256", secret).update(`${time}.${body}`).digest("hex"))
    assert.deepStrictEqual((await test.get<ListOf<unknown>>("/v1/events")).body.data, [])
    assert.deepStrictEqual((await test.get<ListOf<unknown>>(`${endpoints}/${id}/deliveries`)).body.data, [])
    expectStatus(await test.patch(`${endpoints}/${id}`, { url: receiver.url("/broken"), status: "enabled" }), 200)
    const failed = expectStatus(await test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`), 200)
    assert.deepInclude(failed, { delivered: false, status_code: 500 })
  })
})
