/** What an owner may do with endpoints and deliveries: rotate, ping, redeliver, recover (contract 8, 14.3, 14.6, 14.15). */

import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { WebhookDeliveryDetail, WebhookPing, WebhookRecovery } from "@limbeck/api/WebhooksApi"
import { toIso } from "@limbeck/core/time/Timestamp"
import { freshKey, linesOf, row, uploadOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import * as Elapsed from "./support/Elapsed.ts"
import { type House, onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import { change, type Delivery, endpoints, isSignedBy, pathOf, subscribe, untilSome } from "./support/Webhooks.ts"

const day = 24 * 3_600_000
/** Of a receiver, before it answers. */
const tardyMillis = 20

/** A receiver that responds on request. */
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

  /** Responds to the waiting requests, and returns their number. */
  answer(): number {
    const answered = this.waiting.splice(0)
    for (const response of answered) response.end("at last")
    return answered.length
  }
}

const operations = (house: House) => {
  const receiver = new Receiver()
  const gate = new Gate()
  beforeAll(() => Promise.all([receiver.open(), gate.open()]))
  afterAll(() => {
    receiver.close()
    gate.close()
  })

  /** An endpoint that works by now, with dead letters of the time when it did not. */
  const withDeadLetters = async (caller: Client, count = 1) => {
    const { id } = await subscribe(caller, receiver.url("/broken"))
    for (let index = 0; index < count; index++) await uploadOf(caller, linesOf([row(index)]))
    await untilSome(caller, id, "failed", count)
    await change(caller, id, { status: "disabled", url: receiver.url("/fine") })
    // Each comes due again, however many attempts a slow machine has made of it by now.
    house.passTime(1_800_000)
    const { data } = await untilSome(caller, id, "dead_lettered", count)
    await change(caller, id, { status: "enabled" })
    return { path: `${endpoints}/${id}`, id, dead: data }
  }

  it("a ping is one signed request of a webhook.ping, and the answer tells what came back", async () => {
    const { live, test } = await house.workspace()
    const url = receiver.answering(async (_request, response) => {
      await sleep(tardyMillis)
      response.end("noted")
    })
    const { id, secret } = await subscribe(test, url)
    await change(test, id, { status: "disabled" })
    const assertElapsed = Elapsed.begin()
    const answer = expectStatus(await test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`), 200)
    // A timer may fire within its millisecond.
    assertElapsed(answer.duration_ms, tardyMillis - 1)
    assert.deepStrictEqual(
      { ...answer, duration_ms: 0 },
      { object: "webhook_ping", delivered: true, status_code: 200, duration_ms: 0, error: null, body_snippet: "noted" }
    )
    const [request, ...more] = receiver.allAt(url)
    assert.deepStrictEqual(more, [])
    const event = JSON.parse(request?.body ?? "{}")
    assert.deepInclude(event, { object: "event", type: "webhook.ping", livemode: false })
    assert.strictEqual(request?.headers["service-event-id"], event.id)
    assert.isTrue(isSignedBy(String(request?.headers["service-signature"]), request?.body ?? "", secret))
    assertRefused(await test.get(`/v1/events/${event.id}`), 404, "not_found_error")
    assert.deepStrictEqual((await test.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries`)).body.data, [])
    assertRefused(await live.post(`${endpoints}/${id}/ping`), 404, "not_found_error")
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
    const before = letter.attempt_count
    const redeliver = `${path}/deliveries/${letter.id}/redeliver`
    assertRefused(await live.post(redeliver), 404, "not_found_error")
    const key = freshKey()
    const answer = await test.post<Delivery>(redeliver, undefined, key)
    assert.deepInclude(expectStatus(answer, 202), {
      id: letter.id,
      object: "webhook_delivery",
      status: "pending",
      attempt_count: before,
      next_retry_at: null
    })
    await untilSome(test, id, "succeeded")
    const detail = await test.get<typeof WebhookDeliveryDetail.Type>(`${path}/deliveries/${letter.id}`)
    const { attempt_count, attempts } = expectStatus(detail, 200)
    assert.strictEqual(attempt_count, before + 1)
    assert.deepStrictEqual(
      attempts.map(({ attempt, status_code, trigger }) => [attempt, trigger, status_code]),
      [
        ...Array.from({ length: before }, (_, index) => [index + 1, "automatic" as const, 500]),
        [before + 1, "manual" as const, 200]
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
    assertInvalid(await recover({ since: null }), "since")
    assertInvalid(await recover({ since, until: since }), "until")
    assertInvalid(await recover(undefined), null)
    assertInvalid(await recover({ since: "yesterday" }), "since")
    assertInvalid(await recover({ since: "2026-11-20T10:00:00" }), "since")
    assertInvalid(await recover({ since: 0 }), "since")
    assertRefused(await live.post(`${path}/recover`, { since }), 404, "not_found_error")
    const times = dead.map(({ created_at }) => created_at).toSorted()
    const afterThe = (time: string | undefined) => toIso(Date.parse(time ?? "") + 1)
    const later = toIso(house.now() + 60_000)
    assert.deepStrictEqual(expectStatus(await recover({ since: afterThe(times.at(-1)) }), 202), { queued: 0 })
    assert.deepStrictEqual(expectStatus(await recover({ since: later }), 202), { queued: 0 })
    const key = freshKey()
    const first = await test.post<typeof WebhookRecovery.Type>(`${path}/recover`, { since: times[0] }, key)
    assert.deepStrictEqual(expectStatus(first, 202), { queued: 3 })
    const again = await test.post<typeof WebhookRecovery.Type>(`${path}/recover`, { since: times[0] }, key)
    assert.deepStrictEqual(
      [again.status, again.text, again.headers.get("idempotent-replayed")],
      [202, first.text, "true"]
    )
    assertRefused(await test.post(`${path}/recover`, { since }, key), 409, "idempotency_key_reused")
    assert.deepStrictEqual(expectStatus(await recover({ since }), 202), { queued: 0 })
    const { data } = await untilSome(test, id, "succeeded", 3)
    assert.sameMembers(
      data.map((delivery) => delivery.id),
      dead.map((delivery) => delivery.id)
    )
  })

  it("a dead letter can be redelivered for 30 days, and is gone after them", async () => {
    const { test } = await house.workspace()
    const { dead, path } = await withDeadLetters(test, 2)
    const redeliver = ({ id }: Delivery) => test.post<Delivery>(`${path}/deliveries/${id}/redeliver`)
    const [newest, oldest] = dead as [Delivery, Delivery]
    house.passTime(Date.parse(oldest.created_at) + 30 * day - 30_000 - house.now())
    assert.strictEqual((await redeliver(newest)).status, 202)
    house.passTime(60_000)
    assertRefused(await redeliver(oldest), 410, "gone")
    const recovered = await test.post<typeof WebhookRecovery.Type>(`${path}/recover`, { since: "2020-01-01T00:00:00Z" })
    assert.deepStrictEqual(expectStatus(recovered, 202), { queued: 0 })
  })

  it("a recovery leaves alone what is not dead", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, receiver.url("/fine"))
    await uploadOf(test, linesOf([row(1)]))
    await untilSome(test, id, "succeeded")
    await change(test, id, { url: receiver.url("/broken") })
    await uploadOf(test, linesOf([row(2)]))
    const { data: failed } = await untilSome(test, id, "failed")
    const recovered = await test.post(`${endpoints}/${id}/recover`, { since: "2020-01-01T00:00:00Z" })
    assert.deepStrictEqual<unknown>(expectStatus(recovered, 202), { queued: 0 })
    assert.deepStrictEqual((await untilSome(test, id, "failed")).data, failed)
    assertRefused(await test.post(`${pathOf(id, failed[0]?.id ?? "")}/redeliver`), 409, "conflict_error")
  })

  it("an action without fields takes no body, an empty one, and no field", async () => {
    const { test } = await house.workspace()
    const { dead, path } = await withDeadLetters(test)
    const redeliver = `${path}/deliveries/${firstOf({ data: dead }).id}/redeliver`
    for (const action of [`${path}/ping`, redeliver]) {
      const refused = await test.post(action, { force: true })
      assertInvalid(refused, "force")
      assert.include(refused.text, "There is no such field")
      const text = { body: "{}", headers: { "content-type": "text/plain" } }
      assertInvalid(await test.send("POST", action, text), "Content-Type")
    }
    expectStatus(await test.post(`${path}/ping`, {}), 200)
    expectStatus(await test.post(`${path}/ping`), 200)
    expectStatus(await test.post(redeliver, {}), 202)
  })

  it("nothing of an endpoint is seen or moved from another mode or workspace (P8)", async () => {
    const [workspace, other] = [await house.workspace(), await house.workspace()]
    const { test } = workspace
    const { dead, id, path } = await withDeadLetters(test)
    const delivery = pathOf(id, firstOf({ data: dead }).id)
    const before = await test.get(delivery)
    const endpoint = await test.get(path)
    for (const foreign of [workspace.live, other.test, other.live]) {
      for (const answer of [
        await foreign.get(path),
        await foreign.get(`${path}/deliveries`),
        await foreign.get(delivery),
        await foreign.patch(path, { status: "disabled" }),
        await foreign.post(`${path}/rotate_secret`),
        await foreign.post(`${path}/ping`),
        await foreign.post(`${path}/recover`, { since: "2020-01-01T00:00:00Z" }),
        await foreign.post(`${delivery}/redeliver`),
        await foreign.delete(path)
      ]) {
        assertRefused(answer, 404, "not_found_error")
      }
    }
    assert.strictEqual((await test.get(delivery)).text, before.text)
    assert.strictEqual((await test.get(path)).text, endpoint.text)
  })
}

// Longer than the redelivery limit, so that older deliveries still exist.
onEachStorage("webhook operations", operations, { settings: { webhookHistoryDays: 40 } })
