/** The life of a delivery on the real server, in pushed time (service-api 3.2, 6.4; contract 8, 14.6). */
import type { ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { assertRefused, type Client, expectStatus, firstOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import {
  change,
  type Delivery,
  type DeliveryDetail,
  deliveriesOf,
  detailOf,
  endpointOf,
  endpoints,
  happen,
  pathOf,
  subscribe,
  untilAttempts,
  untilSome
} from "./support/Webhooks.ts"

const second = 1_000
const day = 24 * 3_600 * second
const offsets = [5, 30, 120, 600, 1_800]

onEachStorage("the life of a delivery", (house) => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const passUntil = (time: string | null, lessMillis = 0) =>
    house.passTime(Math.max(0, Date.parse(time ?? "") - lessMillis - house.now()))

  /** An endpoint that fails, and its first delivery after the first attempt. */
  const withFailed = async (caller: Client, url = receiver.url("/broken")) => {
    const { id } = await subscribe(caller, url)
    await happen(caller)
    return { id, delivery: firstOf(await untilSome(caller, id, "failed")) }
  }

  /** Walks a cycle from its first attempt to its end; returns the delivery after each attempt. */
  const walkCycle = async (caller: Client, begun: Delivery) => {
    const seen = [await untilAttempts(caller, begun, begun.attempt_count)]
    for (let made = begun.attempt_count; made < begun.attempt_count + 5; made++) {
      const due = seen.at(-1)?.next_retry_at ?? null
      passUntil(due, 3 * second)
      assert.deepInclude(await detailOf(caller, begun), { attempt_count: made, status: "failed" })
      passUntil(due)
      seen.push(await untilAttempts(caller, begun, made + 1))
    }
    return seen
  }

  const dueAfterMillis = (seen: ReadonlyArray<DeliveryDetail>, first: number) => {
    const startedAt = Date.parse(seen[0]?.attempts[first - 1]?.started_at ?? "")
    return seen.map(({ next_retry_at }) => (next_retry_at === null ? null : Date.parse(next_retry_at) - startedAt))
  }

  it("six attempts are due 0, 5, 30, 120, 600 and 1,800 s after the first began; then it is dead-lettered (P18)", async () => {
    const { test } = await house.workspace()
    const { delivery, id } = await withFailed(test)
    const seen = await walkCycle(test, delivery)
    assert.deepStrictEqual(dueAfterMillis(seen, 1), [...offsets.map((offset) => offset * second), null])
    const end = seen.at(-1)!
    assert.deepInclude(end, { status: "dead_lettered", attempt_count: 6, next_retry_at: null })
    assert.deepStrictEqual(
      end.attempts.map(({ attempt, status_code, trigger }) => [attempt, trigger, status_code]),
      [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, "automatic" as const, 500])
    )
    const times = end.attempts.map(({ started_at }) => started_at)
    assert.deepStrictEqual(times, times.toSorted())
    house.passTime(3_600 * second)
    await happen(test)
    await untilSome(test, id, "failed")
    assert.strictEqual((await detailOf(test, delivery)).attempts.length, 6)
    assert.deepStrictEqual((await endpointOf(test, id)).delivery_stats, {
      success_rate_24h: 0,
      pending: 1,
      dead_lettered: 1
    })
  })

  it("a redelivery is a new cycle of six on the same schedule, and its attempts go on counting (P18)", async () => {
    const { test } = await house.workspace()
    const { delivery } = await withFailed(test)
    await walkCycle(test, delivery)
    const again = expectStatus(
      await test.post<Delivery>(`${pathOf(delivery.webhook_endpoint_id, delivery.id)}/redeliver`),
      202
    )
    assert.deepInclude(again, { status: "pending", attempt_count: 6, next_retry_at: null })
    const seen = await walkCycle(test, await untilAttempts(test, delivery, 7))
    assert.deepStrictEqual(dueAfterMillis(seen, 7), [...offsets.map((offset) => offset * second), null])
    const end = seen.at(-1)!
    assert.deepInclude(end, { status: "dead_lettered", attempt_count: 12 })
    assert.deepStrictEqual(
      end.attempts.slice(6).map(({ attempt, trigger }) => [attempt, trigger]),
      [7, 8, 9, 10, 11, 12].map((attempt) => [attempt, "manual" as const])
    )
  })

  it("a retry that is answered with 2xx is the end, and the rate of the last 24 hours counts attempts", async () => {
    const { test } = await house.workspace()
    let asked = 0
    const url = receiver.answering((_, response) => response.writeHead(++asked === 1 ? 503 : 202).end())
    const { delivery, id } = await withFailed(test, url)
    passUntil(delivery.next_retry_at)
    const done = firstOf(await untilSome(test, id, "succeeded"))
    assert.deepInclude(done, { attempt_count: 2, next_retry_at: null })
    assert.deepInclude(done.last_response, { status_code: 202, body_snippet: "", error: null })
    const stats = { success_rate_24h: 0.5, pending: 0, dead_lettered: 0 }
    assert.deepStrictEqual((await endpointOf(test, id)).delivery_stats, stats)
    house.passTime(day)
    assert.deepStrictEqual((await endpointOf(test, id)).delivery_stats, { ...stats, success_rate_24h: null })
    assert.strictEqual(asked, 2)
  })

  it("a receiver's Retry-After does not change the schedule", async () => {
    const { test } = await house.workspace()
    const busy = receiver.answering((_, response) => response.writeHead(429, { "retry-after": "3600" }).end())
    const { delivery } = await withFailed(test, busy)
    const [attempt] = (await detailOf(test, delivery)).attempts
    assert.strictEqual(Date.parse(delivery.next_retry_at ?? "") - Date.parse(attempt?.started_at ?? ""), 5 * second)
  })

  it("before the first attempt, the last response is empty", async () => {
    const { test } = await house.workspace()
    const arrived = Promise.withResolvers<() => void>()
    const { id } = await subscribe(
      test,
      receiver.answering((_, response) => arrived.resolve(() => response.end()))
    )
    await happen(test)
    const answer = await arrived.promise
    const waiting = firstOf(await deliveriesOf(test, id))
    assert.deepInclude(waiting, { status: "pending", attempt_count: 0, next_retry_at: null })
    assert.deepStrictEqual(waiting.last_response, { status_code: null, body_snippet: "", duration_ms: 0, error: null })
    assert.deepStrictEqual((await detailOf(test, waiting)).attempts, [])
    assert.deepStrictEqual((await endpointOf(test, id)).delivery_stats, {
      success_rate_24h: null,
      pending: 1,
      dead_lettered: 0
    })
    answer()
    await untilSome(test, id, "succeeded")
  })

  it("disabled, an endpoint gets nothing new, and what is outstanding is dead-lettered when it comes due", async () => {
    const { test } = await house.workspace()
    const { delivery, id } = await withFailed(test)
    await change(test, id, { status: "disabled" })
    await happen(test)
    assert.deepStrictEqual((await deliveriesOf(test, id)).data, [delivery])
    passUntil(delivery.next_retry_at)
    const dead = firstOf(await untilSome(test, id, "dead_lettered"))
    assert.deepStrictEqual(
      { ...dead, updated_at: "" },
      {
        ...delivery,
        updated_at: "",
        status: "dead_lettered",
        next_retry_at: null,
        last_response: { ...delivery.last_response, error: "endpoint_disabled" }
      }
    )
    const { attempts } = await detailOf(test, dead)
    assert.deepStrictEqual(
      attempts.map(({ attempt, error }) => [attempt, error]),
      [[1, null]]
    )
    await change(test, id, { status: "enabled", url: receiver.url("/fine") })
    await happen(test)
    await untilSome(test, id, "succeeded")
    assert.strictEqual((await deliveriesOf(test, id)).data.length, 2)
  })

  it("enabled again before that, it gets what is outstanding, at the URL that it has by then", async () => {
    const { test } = await house.workspace()
    const { delivery, id } = await withFailed(test)
    await change(test, id, { status: "disabled" })
    const url = receiver.answering((_, response) => response.end("moved"))
    await change(test, id, { status: "enabled", url })
    passUntil(delivery.next_retry_at)
    const done = firstOf(await untilSome(test, id, "succeeded"))
    assert.deepInclude(done, { id: delivery.id, attempt_count: 2 })
    assert.strictEqual(receiver.allAt(url).length, 1)
  })

  it("a change of enabled_events counts for what happens from then on", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, receiver.url("/fine"), ["distill.run.*"])
    await happen(test)
    await change(test, id, { enabled_events: ["distill.upload.succeeded"] })
    await happen(test)
    await untilSome(test, id, "succeeded")
    await change(test, id, { enabled_events: ["distill.upload.failed"] })
    await happen(test)
    assert.strictEqual((await deliveriesOf(test, id)).data.length, 1)
  })

  it("deleted, an endpoint gets nothing more, and everything about it is a 404", async () => {
    const { test } = await house.workspace()
    const url = receiver.answering((_, response) => response.writeHead(500).end())
    const { delivery, id } = await withFailed(test, url)
    const other = await subscribe(test, receiver.url("/fine"))
    expectStatus(await test.delete(`${endpoints}/${id}`), 200)
    passUntil(delivery.next_retry_at)
    await happen(test)
    await untilSome(test, other.id, "succeeded")
    assert.strictEqual(receiver.allAt(url).length, 1)
    const path = `${endpoints}/${id}`
    const since = { since: "2020-01-01T00:00:00Z" }
    for (const [method, at, body] of [
      ["GET", path],
      ["PATCH", path, {}],
      ["DELETE", path],
      ["GET", `${path}/deliveries`],
      ["GET", pathOf(id, delivery.id)],
      ["POST", `${pathOf(id, delivery.id)}/redeliver`],
      ["POST", `${path}/rotate_secret`],
      ["POST", `${path}/ping`],
      ["POST", `${path}/recover`, since]
    ] as const) {
      const options = { headers: { "content-type": "application/json" } }
      const sent = body === undefined ? {} : { ...options, body: JSON.stringify(body) }
      assertRefused(await test.send(method, at, sent), 404, "not_found_error")
    }
  })

  it("an attempt that is not over after 5 s is a timeout, also in the middle of a 2xx", async () => {
    const { test } = await house.workspace()
    for (const begin of [() => {}, (response: ServerResponse) => response.write("so far")]) {
      const arrived = Promise.withResolvers<void>()
      const url = receiver.answering((_, response) => {
        begin(response)
        arrived.resolve()
      })
      const { id } = await subscribe(test, url)
      await happen(test)
      await arrived.promise
      house.passTime(5 * second)
      const failed = firstOf(await untilSome(test, id, "failed"))
      assert.deepInclude(failed.last_response, { error: "timeout" })
      expectStatus(await test.delete(`${endpoints}/${id}`), 200)
    }
  })

  it("many who redeliver one dead letter at once make one new cycle", async () => {
    const { test } = await house.workspace()
    const { delivery, id } = await withFailed(test)
    await change(test, id, { status: "disabled" })
    passUntil(delivery.next_retry_at)
    await untilSome(test, id, "dead_lettered")
    await change(test, id, { status: "enabled", url: receiver.url("/fine") })
    const path = `${pathOf(id, delivery.id)}/redeliver`
    const answers = await Promise.all(Array.from({ length: 8 }, () => test.post<Delivery>(path)))
    const statuses = answers.map(({ status }) => status)
    assert.deepStrictEqual(statuses.toSorted(), [202, ...Array.from({ length: 7 }, () => 409)])
    await untilSome(test, id, "succeeded")
    assert.strictEqual((await detailOf(test, delivery)).attempts.length, 2)
  })

  it("an endpoint that hangs, with more to do than it has room for, delays no other (P21)", async () => {
    const { test } = await house.workspace()
    const hanging = await subscribe(
      test,
      receiver.answering(() => {})
    )
    const fine = await subscribe(test, receiver.url("/fine"))
    for (let index = 0; index < 20; index++) await happen(test)
    await untilSome(test, fine.id, "succeeded", 20)
    // On a slow machine the first of them have run into their time limit: they are not final either.
    assert.strictEqual((await endpointOf(test, hanging.id)).delivery_stats.pending, 20)
    expectStatus(await test.delete(`${endpoints}/${hanging.id}`), 200)
    house.passTime(5 * second)
  })
})

onEachStorage(
  "endpoints that never answer",
  (house) => {
    const receiver = new Receiver()
    beforeAll(() => receiver.open())
    afterAll(() => receiver.close())

    it("after days of failure an endpoint is disabled, and others may hear of it; after an hour of failure none is", async () => {
      const { test } = await house.workspace()
      const { id } = await subscribe(test, receiver.url("/broken"))
      const listener = await subscribe(test, receiver.url("/fine"), ["webhook_endpoint.*"])
      await happen(test)
      await untilSome(test, id, "failed")
      assert.strictEqual((await endpointOf(test, id)).status, "enabled")
      house.passTime(3 * day)
      const told = firstOf(await untilSome(test, listener.id, "succeeded"))
      assert.strictEqual(told.event_type, "webhook_endpoint.disabled")
      const { body } = receiver.allAt(listener.url).at(-1)!
      const disabled = await endpointOf(test, id)
      assert.strictEqual(disabled.status, "disabled")
      assert.deepInclude(JSON.parse(body).data.object, { id, object: "webhook_endpoint", status: "disabled" })
      assert.notInclude(body, "whsec_")

      const young = await subscribe(test, receiver.url("/broken/young"))
      await happen(test)
      const begun = firstOf(await untilSome(test, young.id, "failed"))
      house.passTime(2_000 * second)
      await untilAttempts(test, begun, 6)
      assert.strictEqual((await endpointOf(test, young.id)).status, "enabled")
    })
  },
  { settings: { webhookDisableAfterDays: 3 } }
)
