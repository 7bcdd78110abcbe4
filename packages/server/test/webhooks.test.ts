/** Managing webhook endpoints (service-api 2.6, 4.3; contract 8, 14.5, 14.8). */
import { assert, it } from "@effect/vitest"
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@limbeck/api/WebhooksApi"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type WebhookEndpointView = typeof WebhookEndpoint.Type
type WebhookEndpointWithSecretView = typeof WebhookEndpointWithSecret.Type

const endpoints = "/v1/webhook_endpoints"
const hook = { url: "https://receiver.example/hook", enabled_events: ["*"] }

const create = async (caller: Client, fields = {}) =>
  expectStatus(await caller.post<WebhookEndpointWithSecretView>(endpoints, { ...hook, ...fields }), 201)

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
    assert.deepStrictEqual(
      expectStatus(await live.get<WebhookEndpointView>(`${endpoints}/${endpoint.id}`), 200),
      endpoint
    )
    assert.deepStrictEqual(expectStatus(await live.get<ListOf<WebhookEndpointView>>(endpoints), 200).data, [endpoint])
  })

  it("a replay shows the secret again", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const first = await live.post<WebhookEndpointWithSecretView>(endpoints, hook, key)
    assert.strictEqual((await live.post(endpoints, hook, key)).text, first.text)
    assert.strictEqual((await live.get<ListOf<WebhookEndpointView>>(endpoints)).body.data.length, 1)
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
      "https://",
      "https:///receiver.example/",
      "https:receiver.example",
      "https://@receiver.example/",
      "https://:@receiver.example/",
      "https://receiver.example:99999/",
      " https://receiver.example/",
      "https://receiver.exa\nmple/",
      "https://receiver.example/\u0000",
      "https://receiver.example/\ud800",
      "https://receiver.example\\@inside.example/",
      "http://127.0.0.2/",
      "http://0.0.0.0/",
      "http://user@localhost/",
      `https://receiver.example/${"a".repeat(2_048)}`
    ]
    for (const url of everywhere) {
      for (const caller of [live, test]) assertInvalid(await caller.post(endpoints, { ...hook, url }), "url")
    }
    for (const url of ["http://localhost:3000/hook", "http://127.0.0.1:3000/hook"]) {
      assertInvalid(await live.post(endpoints, { ...hook, url }), "url")
      expectStatus(await test.post(endpoints, { ...hook, url }), 201)
    }
    expectStatus(await test.post(endpoints, hook), 201)
    expectStatus(await live.post(endpoints, { ...hook, url: "https://receiver.example:8443/a?b=c#d" }), 201)
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
      [["distill..*"], 0],
      [[".*"], 0],
      [["*.*"], 0],
      [[" distill.*"], 0],
      [["distill.run"], 0],
      [["webhook.ping"], 0],
      [["webhook.*"], 0],
      [["*", null], 1],
      [["*", ["*"]], 1],
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
      [{ ...hook, description: "a".repeat(1_001) }, "description"],
      [{ ...hook, url: null }, "url"],
      [{ ...hook, livemode: false }, "livemode"],
      [{ ...hook, api_version: "2020-01-01" }, "api_version"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.post(endpoints, body), param)
  })

  it("a change keeps what it does not name", async () => {
    const { live } = await house.workspace()
    const { secret: _secret, ...endpoint } = await create(live, { description: "a" })
    house.passTime(1_000)
    const path = `${endpoints}/${endpoint.id}`
    const disabled = expectStatus(await live.patch<WebhookEndpointView>(path, { status: "disabled" }), 200)
    assert.deepStrictEqual({ ...disabled, updated_at: "" }, { ...endpoint, status: "disabled", updated_at: "" })
    assert.isAbove(Date.parse(disabled.updated_at), Date.parse(endpoint.updated_at))
    const change = {
      url: "https://other.example/",
      description: "",
      enabled_events: ["distill.*"],
      status: "enabled"
    } as const
    assert.deepInclude(expectStatus(await live.patch<WebhookEndpointView>(path, change), 200), change)
    assert.deepInclude((await live.get<WebhookEndpointView>(path)).body, change)
  })

  it("a change is held to the rules of creation", async () => {
    const { live } = await house.workspace()
    const path = `${endpoints}/${(await create(live)).id}`
    const cases = [
      [{ url: "http://localhost/" }, "url"],
      [{ enabled_events: [] }, "enabled_events"],
      [{ secret: "whsec_mine" }, "secret"],
      [{ enabled_events: ["distill*"] }, "enabled_events[0]"],
      [{ status: "paused" }, "status"],
      [{ api_version: "1" }, "api_version"],
      [{ livemode: false }, "livemode"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.patch(path, body), param)
    const before = (await live.get<WebhookEndpointView>(path)).body
    assertInvalid(await live.patch(path, { description: "half of it", url: "nowhere" }), "url")
    assertInvalid(await live.send("PATCH", path), null)
    assert.deepStrictEqual((await live.get<WebhookEndpointView>(path)).body, before)
    assertInvalid(await live.send("PATCH", path, { body: "[]", headers: { "content-type": "application/json" } }), null)
  })

  it("a change of nothing changes nothing", async () => {
    const { live } = await house.workspace()
    const { secret: _secret, ...endpoint } = await create(live)
    const path = `${endpoints}/${endpoint.id}`
    const changed = expectStatus(await live.patch<WebhookEndpointView>(path, {}), 200)
    assert.deepStrictEqual({ ...changed, updated_at: endpoint.updated_at }, endpoint)
    expectStatus(await live.patch(path, { api_version: "2026-11-01", status: "enabled" }), 200)
  })

  it("changes that meet are all made (P97)", async () => {
    const { live } = await house.workspace()
    const { id } = await create(live)
    const path = `${endpoints}/${id}`
    const changes = [
      { description: "together" },
      { enabled_events: ["distill.*"] },
      { url: "https://other.example/" },
      { status: "disabled" }
    ]
    const answers = await Promise.all([
      ...changes.map((fields) => live.patch(path, fields)),
      ...changes.map(() => live.post(`${path}/rotate_secret`)),
      ...changes.map(() => live.post(`${path}/rotate_secret`, {}, freshKey()))
    ])
    for (const answer of answers) expectStatus(answer, 200)
    assert.deepInclude((await live.get<WebhookEndpointView>(path)).body, Object.assign({}, ...changes))
  })

  it("a list pages, newest first, and never shows a secret", async () => {
    const { live } = await house.workspace()
    const made: Array<string> = []
    for (let index = 0; index < 3; index++) made.unshift((await create(live)).id)
    const first = expectStatus(await live.get<ListOf<WebhookEndpointView>>(`${endpoints}?limit=2`), 200)
    const cursor = encodeURIComponent(first.next_cursor ?? "")
    const rest = expectStatus(await live.get<ListOf<WebhookEndpointView>>(`${endpoints}?limit=2&cursor=${cursor}`), 200)
    assert.deepStrictEqual(
      [...first.data, ...rest.data].map(({ id }) => id),
      made
    )
    assert.deepStrictEqual([first.has_more, rest.has_more, rest.next_cursor], [true, false, null])
    assert.notInclude(JSON.stringify([first, rest]), "whsec_")
    const head = await live.send("HEAD", endpoints)
    assert.deepStrictEqual([head.status, head.text], [200, ""])
  })

  it("other methods are a 404 like an unknown route", async () => {
    const { live } = await house.workspace()
    const path = `${endpoints}/${(await create(live)).id}`
    for (const [method, at] of [
      ["PUT", endpoints],
      ["DELETE", endpoints],
      ["PUT", path],
      ["POST", path],
      ["GET", `${path}/ping`],
      ["GET", `${path}/rotate_secret`],
      ["DELETE", `${path}/deliveries`],
      ["POST", `${path}/deliveries`],
      ["POST", `${path}/enable`]
    ] as const) {
      assertRefused(await live.send(method, at), 404, "not_found_error")
    }
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
    assert.deepStrictEqual((await live.get<ListOf<WebhookEndpointView>>(endpoints)).body.data, [])
  })
})

const ownTypes = Array.from({ length: 101 }, (_, index) => ({
  type: `order.kind_${index}`,
  domain: "order",
  description: `An order of kind ${index}.`
}))

onEachStorage(
  "webhook endpoints for many types",
  (house) => {
    it("an endpoint names a hundred at most, duplicates not counted", async () => {
      const { live } = await house.workspace()
      const all = ownTypes.map(({ type }) => type)
      const hundred = all.slice(0, 100)
      const refused = await live.post(endpoints, { ...hook, enabled_events: all })
      assertInvalid(refused, "enabled_events")
      const { enabled_events, id } = await create(live, { enabled_events: [...hundred, ...hundred] })
      assert.deepStrictEqual(enabled_events, hundred)
      assertInvalid(await live.patch(`${endpoints}/${id}`, { enabled_events: all }), "enabled_events")
    })
  },
  { eventTypes: ownTypes }
)
