/** Webhook endpoints as callers manage them (service-api 2.6, 4.3; contract 8, 14.5, 14.8). */
import { assert, it } from "@effect/vitest"
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@limbeck/api/WebhooksApi"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { freshKey } from "./support/Data.ts"
import { onEachStorage } from "./support/House.ts"

type Shown = typeof WebhookEndpoint.Type
type Created = typeof WebhookEndpointWithSecret.Type

const endpoints = "/v1/webhook_endpoints"
const hook = { url: "https://receiver.example/hook", enabled_events: ["*"] }

const create = async (caller: Client, fields = {}) =>
  expectStatus(await caller.post<Created>(endpoints, { ...hook, ...fields }), 201)

onEachStorage("webhook endpoints", (house) => {
  it("a new endpoint says all about itself, and its secret this once", async () => {
    const { live } = await house.workspace()
    const { secret, ...endpoint } = await create(live, { description: "orders", enabled_events: ["distill.run.*"] })
    assert.match(secret, /^whsec_[0-9A-Za-z]{43}$/)
    assert.match(endpoint.id, /^wh_[0-9a-hjkmnp-tv-z]{26}$/)
    const { created_at: _created, id: _id, updated_at: _updated, ...rest } = endpoint
    assert.deepStrictEqual(rest, {
      object: "webhook_endpoint",
      livemode: true,
      url: hook.url,
      description: "orders",
      enabled_events: ["distill.run.*"],
      api_version: "2026-11-01",
      status: "enabled",
      previous_secret_expires_at: null,
      delivery_stats: { success_rate_24h: null, pending: 0, dead_lettered: 0 }
    })
    assert.deepStrictEqual(expectStatus(await live.get<Shown>(`${endpoints}/${endpoint.id}`), 200), endpoint)
    assert.deepStrictEqual(expectStatus(await live.get<ListOf<Shown>>(endpoints), 200).data, [endpoint])
  })

  it("a replay shows the secret again", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const first = await live.post<Created>(endpoints, hook, key)
    assert.strictEqual((await live.post(endpoints, hook, key)).text, first.text)
    assert.strictEqual((await live.get<ListOf<Shown>>(endpoints)).body.data.length, 1)
  })

  it("a live endpoint is HTTPS, and none carries credentials or leads inside", async () => {
    const { live, test } = await house.workspace()
    const everywhere = [
      "",
      "receiver.example",
      "ftp://receiver.example/",
      "javascript:alert(1)",
      "https://user:password@receiver.example/",
      "https://user@receiver.example/",
      "http://receiver.example/",
      "http://[::1]/",
      "https://"
    ]
    for (const url of everywhere) {
      for (const caller of [live, test]) assertInvalid(await caller.post(endpoints, { ...hook, url }), "url")
    }
    for (const url of ["http://localhost:3000/hook", "http://127.0.0.1:3000/hook"]) {
      assertInvalid(await live.post(endpoints, { ...hook, url }), "url")
      expectStatus(await test.post(endpoints, { ...hook, url }), 201)
    }
    expectStatus(await test.post(endpoints, hook), 201)
  })

  it("events are named by type, by wildcard, or all", async () => {
    const { live } = await house.workspace()
    const refusals = [
      [["distill*"], 0],
      [["*.run"], 0],
      [["distill.run.succeeded", "distill.run.finished"], 1],
      [["*", ""], 1],
      [["**"], 0],
      [["distill."], 0],
      [["distill.run.succeeded.*"], 0],
      [["nothing.*"], 0],
      [["distill.*.failed"], 0],
      [["DISTILL.RUN.FAILED"], 0],
      [["*", 1], 1]
    ] as const
    for (const [enabled_events, at] of refusals) {
      assertInvalid(await live.post(endpoints, { ...hook, enabled_events }), `enabled_events[${at}]`)
    }
    for (const enabled_events of [[], "*", null]) {
      assertInvalid(await live.post(endpoints, { ...hook, enabled_events }), "enabled_events")
    }
    const folded = await create(live, { enabled_events: ["distill.*", "*", "distill.*", "webhook_endpoint.disabled"] })
    assert.deepStrictEqual(folded.enabled_events, ["distill.*", "*", "webhook_endpoint.disabled"])
    await create(live, { enabled_events: Array.from({ length: 101 }, () => "*") })
  })

  it("what is wrong with a request is named", async () => {
    const { live } = await house.workspace()
    const cases = [
      [{ enabled_events: ["*"] }, "url"],
      [{ url: hook.url }, "enabled_events"],
      [{ ...hook, secret: "whsec_mine" }, "secret"],
      [{ ...hook, status: "disabled" }, "status"],
      [{ ...hook, description: 1 }, "description"],
      [{ ...hook, api_version: "2020-01-01" }, "api_version"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.post(endpoints, body), param)
  })

  it("a change keeps what it does not name", async () => {
    const { live } = await house.workspace()
    const { secret: _secret, ...endpoint } = await create(live, { description: "a" })
    house.passTime(1_000)
    const path = `${endpoints}/${endpoint.id}`
    const disabled = expectStatus(await live.patch<Shown>(path, { status: "disabled" }), 200)
    assert.deepStrictEqual({ ...disabled, updated_at: "" }, { ...endpoint, status: "disabled", updated_at: "" })
    assert.isAbove(Date.parse(disabled.updated_at), Date.parse(endpoint.updated_at))
    const change = {
      url: "https://other.example/",
      description: "",
      enabled_events: ["distill.*"],
      status: "enabled"
    } as const
    assert.deepInclude(expectStatus(await live.patch<Shown>(path, change), 200), change)
    assert.deepInclude((await live.get<Shown>(path)).body, change)
  })

  it("a change is held to the rules of creation", async () => {
    const { live } = await house.workspace()
    const path = `${endpoints}/${(await create(live)).id}`
    const cases = [
      [{ url: "http://localhost/" }, "url"],
      [{ enabled_events: ["distill*"] }, "enabled_events[0]"],
      [{ status: "paused" }, "status"],
      [{ api_version: "1" }, "api_version"],
      [{ livemode: false }, "livemode"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.patch(path, body), param)
    assertInvalid(await live.send("PATCH", path, { body: "[]", headers: { "content-type": "application/json" } }), null)
  })

  it("a deleted endpoint is a 404 from then on", async () => {
    const { live } = await house.workspace()
    const { id } = await create(live)
    const deleted = expectStatus(await live.delete(`${endpoints}/${id}`), 200)
    assert.deepStrictEqual<unknown>(deleted, { id, object: "webhook_endpoint", deleted: true })
    const paths = [`${endpoints}/${id}`, `${endpoints}/${id}/deliveries`]
    for (const path of paths) assertRefused(await live.get(path), 404, "not_found_error")
    assertRefused(await live.delete(`${endpoints}/${id}`), 404, "not_found_error")
    assertRefused(await live.patch(`${endpoints}/${id}`, { status: "disabled" }), 404, "not_found_error")
    assert.deepStrictEqual((await live.get<ListOf<Shown>>(endpoints)).body.data, [])
  })
})
