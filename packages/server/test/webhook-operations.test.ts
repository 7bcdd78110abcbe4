/** What an owner may do with endpoints and deliveries: rotate, ping, redeliver, recover (contract 8, 14.3, 14.6, 14.15). */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpointWithSecret,
  WebhookPing,
  WebhookRecovery
} from "@limbeck/api/WebhooksApi"
import { toIso } from "@limbeck/core/time/Timestamp"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { freshKey, linesOf, row, until, uploadOf } from "./support/Data.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

type Endpoint = typeof WebhookEndpointWithSecret.Type
type Delivery = typeof WebhookDelivery.Type

const endpoints = "/v1/webhook_endpoints"
const day = 24 * 3_600_000

/** A receiver that answers when it is told to. */
class Gate {
  private readonly waiting: Array<ServerResponse> = []
  private readonly server = createServer((_, response) => {
    this.waiting.push(response)
    this.server.emit("arrival")
  })

  async open() {
    await once(this.server.listen(0, "127.0.0.1"), "listening")
  }

  close() {
    this.server.closeAllConnections()
    this.server.close()
  }

  get url() {
    const address = this.server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`
  }

  async arrival() {
    if (this.waiting.length === 0) await once(this.server, "arrival")
  }

  /** Answers those that wait, and tells how many they were. */
  answer(): number {
    const answered = this.waiting.splice(0)
    for (const response of answered) response.end("at last")
    return answered.length
  }
}

onEachStorage("webhook operations", (house) => {
  const receiver = new Receiver()
  const gate = new Gate()
  beforeAll(() => Promise.all([receiver.open(), gate.open()]))
  afterAll(() => {
    receiver.close()
    gate.close()
  })

  const subscribe = async (caller: Client, url: string, enabled_events = ["distill.upload.*"]) =>
    expectStatus(await caller.post<Endpoint>(endpoints, { url, enabled_events }), 201)

  const change = async (caller: Client, id: string, fields: Readonly<Record<string, unknown>>) =>
    expectStatus(await caller.patch<Endpoint>(`${endpoints}/${id}`, fields), 200)

  const untilSome = (caller: Client, id: string, status: string, count = 1) =>
    until(
      () => caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries?status=${status}`),
      ({ data }) => data.length >= count
    )

  const isSignedBy = (signature: string, body: string, secret: string) => {
    const [, time = ""] = /^t=(\d+)/.exec(signature) ?? []
    return signature.includes(`v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`)
  }

  /** An endpoint that works by now, with dead letters of the time when it did not. */
  const withDeadLetters = async (caller: Client, count = 1) => {
    const { id } = await subscribe(caller, receiver.url("/broken"))
    for (let index = 0; index < count; index++) await uploadOf(caller, linesOf([row(index)]))
    await untilSome(caller, id, "failed", count)
    await change(caller, id, { status: "disabled", url: receiver.url("/fine") })
    house.passTime(6_000)
    // Something to deliver wakes the dispatcher, who finds the retries due and nobody to send them to.
    await subscribe(caller, receiver.url("/fine"))
    await uploadOf(caller, linesOf([row(1)]))
    const { data } = await untilSome(caller, id, "dead_lettered", count)
    await change(caller, id, { status: "enabled" })
    return { path: `${endpoints}/${id}`, id, dead: data }
  }

  it("a rotation shows the new secret once, and both sign until the overlap ends", async () => {
    const { test } = await house.workspace()
    const { id, secret } = await subscribe(test, receiver.url(`/rotated/${house.now()}`))
    const path = `${endpoints}/${id}`
    const before = house.now()
    const rotated = expectStatus(await test.post<Endpoint>(`${path}/rotate_secret`), 200)
    assert.match(rotated.secret, /^whsec_[0-9A-Za-z]{43}$/)
    assert.notStrictEqual(rotated.secret, secret)
    assert.deepInclude(rotated, { id, object: "webhook_endpoint", status: "enabled" })
    const endsAt = Date.parse(rotated.previous_secret_expires_at ?? "")
    assert.approximately(endsAt, before + day, 60_000)
    const shown = expectStatus(await test.get<Endpoint>(path), 200)
    assert.notProperty(shown, "secret")
    assert.strictEqual(shown.previous_secret_expires_at, rotated.previous_secret_expires_at)

    await uploadOf(test, linesOf([row(1)]))
    await untilSome(test, id, "succeeded")
    const request = receiver.received.findLast((one) => one.path.startsWith("/rotated/"))
    const signature = String(request?.headers["service-signature"])
    for (const one of [rotated.secret, secret]) assert.isTrue(isSignedBy(signature, request?.body ?? "", one))
  })

  it("a rotation takes 0 seconds to 7 days, and its replay shows the same secret", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, receiver.url("/fine"))
    const path = `${endpoints}/${id}/rotate_secret`
    for (const seconds of [-1, 7 * 24 * 3_600 + 1, 1.5, "60", null]) {
      assertInvalid(await test.post(path, { expires_in_seconds: seconds }), "expires_in_seconds")
    }
    assertInvalid(await test.post(path, { expires_in: 60 }), "expires_in")
    const atOnce = expectStatus(await test.post<Endpoint>(path, { expires_in_seconds: 0 }), 200)
    assert.isNull(atOnce.previous_secret_expires_at)
    const key = freshKey()
    const body = { expires_in_seconds: 7 * 24 * 3_600 }
    const first = await test.post<Endpoint>(path, body, key)
    const again = await test.post<Endpoint>(path, body, key)
    assert.strictEqual(expectStatus(again, 200).secret, expectStatus(first, 200).secret)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
  })

  it("a ping is one signed request of a webhook.ping, and the answer tells what came back", async () => {
    const { live, test } = await house.workspace()
    const place = `/pinged/${house.now()}`
    const { id, secret } = await subscribe(test, receiver.url(place))
    await change(test, id, { status: "disabled" })
    const answer = expectStatus(await test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`), 200)
    assert.isAtLeast(answer.duration_ms, 0)
    assert.deepStrictEqual(
      { ...answer, duration_ms: 0 },
      { object: "webhook_ping", delivered: true, status_code: 200, duration_ms: 0, error: null, body_snippet: "noted" }
    )
    const [request, ...more] = receiver.received.filter(({ path }) => path === place)
    assert.deepStrictEqual(more, [])
    const event = JSON.parse(request?.body ?? "{}")
    assert.deepInclude(event, { object: "event", type: "webhook.ping", livemode: false })
    assert.strictEqual(request?.headers["service-event-id"], event.id)
    assert.isTrue(isSignedBy(String(request?.headers["service-signature"]), request?.body ?? "", secret))
    assertRefused(await test.get(`/v1/events/${event.id}`), 404, "not_found_error")
    assert.deepStrictEqual((await test.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries`)).body.data, [])
    assertRefused(await live.post(`${endpoints}/${id}/ping`), 404, "not_found_error")
  })

  it("a ping that fails is an answer too", async () => {
    const { test } = await house.workspace()
    const broken = await subscribe(test, receiver.url("/broken"))
    const refused = await test.post<typeof WebhookPing.Type>(`${endpoints}/${broken.id}/ping`)
    assert.deepInclude(expectStatus(refused, 200), { delivered: false, status_code: 500, error: null })
    const closed = await subscribe(test, "http://127.0.0.1:1/")
    const unanswered = await test.post<typeof WebhookPing.Type>(`${endpoints}/${closed.id}/ping`)
    assert.deepInclude(expectStatus(unanswered, 200), {
      delivered: false,
      status_code: null,
      error: "connection_refused",
      body_snippet: ""
    })
  })

  it("a key is honored by a ping, which holds up nobody while it waits", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, gate.url)
    const path = `${endpoints}/${id}/ping`
    const key = freshKey()
    const pinging = test.post<typeof WebhookPing.Type>(path, undefined, key)
    await gate.arrival()
    assertRefused(await test.post(path, undefined, key), 409, "idempotency_key_in_flight")
    assertRefused(await test.post(path, {}, key), 409, "idempotency_key_reused")
    await change(test, id, { description: "changed meanwhile" })
    assert.strictEqual(gate.answer(), 1)
    const first = await pinging
    assert.isTrue(expectStatus(first, 200).delivered)
    const again = await test.post(path, undefined, key)
    assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
    assert.strictEqual(gate.answer(), 0)
  })

  it("a dead letter is redelivered, and its attempts go on counting", async () => {
    const { live, test } = await house.workspace()
    const { dead, id, path } = await withDeadLetters(test)
    const letter = firstOf({ data: dead })
    assert.deepInclude(letter, { attempt_count: 1 })
    const redeliver = `${path}/deliveries/${letter.id}/redeliver`
    assertRefused(await live.post(redeliver), 404, "not_found_error")
    const key = freshKey()
    const answer = await test.post<Delivery>(redeliver, undefined, key)
    assert.deepInclude(expectStatus(answer, 202), {
      id: letter.id,
      object: "webhook_delivery",
      status: "pending",
      attempt_count: 1,
      next_retry_at: null
    })
    await untilSome(test, id, "succeeded")
    const detail = await test.get<typeof WebhookDeliveryDetail.Type>(`${path}/deliveries/${letter.id}`)
    const { attempt_count, attempts } = expectStatus(detail, 200)
    assert.strictEqual(attempt_count, 2)
    assert.deepStrictEqual(
      attempts.map(({ attempt, status_code, trigger }) => [attempt, trigger, status_code]),
      [
        [1, "automatic", 500],
        [2, "manual", 200]
      ]
    )
    assertRefused(await test.post(redeliver), 409, "conflict_error")
    const replayed = await test.post<Delivery>(redeliver, undefined, key)
    assert.deepStrictEqual([replayed.status, replayed.text], [202, answer.text])
  })

  it("only a dead letter of an enabled endpoint is redelivered, and only under its endpoint", async () => {
    const { test } = await house.workspace()
    const { dead, id, path } = await withDeadLetters(test)
    const letter = firstOf({ data: dead })
    const other = await subscribe(test, receiver.url("/fine"))
    assertRefused(await test.post(`${path}/deliveries/del_none/redeliver`), 404, "not_found_error")
    assertRefused(await test.post(`${endpoints}/${other.id}/deliveries/${letter.id}/redeliver`), 404, "not_found_error")
    await change(test, id, { status: "disabled" })
    assertRefused(await test.post(`${path}/deliveries/${letter.id}/redeliver`), 409, "conflict_error")
    assertRefused(await test.post(`${path}/recover`, { since: "2020-01-01T00:00:00Z" }), 409, "conflict_error")
  })

  it("a recovery redelivers every dead letter since a time", async () => {
    const { live, test } = await house.workspace()
    const since = toIso(house.now())
    const { dead, id, path } = await withDeadLetters(test, 3)
    assert.strictEqual(dead.length, 3)
    const recover = (body: unknown) => test.post<typeof WebhookRecovery.Type>(`${path}/recover`, body)
    assertInvalid(await recover({}), "since")
    assertInvalid(await recover({ since: "yesterday" }), "since")
    assertInvalid(await recover({ since: 0 }), "since")
    assertRefused(await live.post(`${path}/recover`, { since }), 404, "not_found_error")
    const later = toIso(house.now() + 60_000)
    assert.deepStrictEqual(expectStatus(await recover({ since: later }), 202), { queued: 0 })
    assert.deepStrictEqual(expectStatus(await recover({ since }), 202), { queued: 3 })
    assert.deepStrictEqual(expectStatus(await recover({ since }), 202), { queued: 0 })
    const { data } = await untilSome(test, id, "succeeded", 3)
    assert.sameMembers(
      data.map((delivery) => delivery.id),
      dead.map((delivery) => delivery.id)
    )
  })

  it("a dead letter is gone after 30 days", async () => {
    const { test } = await house.workspace()
    const { dead, path } = await withDeadLetters(test)
    house.passTime(31 * day)
    const redeliver = `${path}/deliveries/${firstOf({ data: dead }).id}/redeliver`
    assertRefused(await test.post(redeliver), 410, "gone")
    const recovered = await test.post<typeof WebhookRecovery.Type>(`${path}/recover`, { since: "2020-01-01T00:00:00Z" })
    assert.deepStrictEqual(expectStatus(recovered, 202), { queued: 0 })
  })
})
