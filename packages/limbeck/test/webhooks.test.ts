/** The webhook engine alone. */
import { assert, describe, it } from "@effect/vitest"
import { inMemory, type ListBody } from "./support/Shop.ts"

describe("the engine alone", () => {
  it("serves endpoints, events and tokens, and knows no other route", async () => {
    const { call, webhooks } = await inMemory()
    for (const path of [
      "/healthz",
      "/v1/whoami",
      "/v1/tokens",
      "/v1/events",
      "/v1/event_types",
      "/v1/webhook_endpoints"
    ]) {
      assert.strictEqual((await call("GET", path)).status, 200, path)
    }
    for (const path of [
      "/v1/distill/runs",
      "/v1/distill/datasets",
      "/v1/distill/student_catalog",
      "/v1/proxy/models"
    ]) {
      assert.strictEqual((await call("GET", path)).status, 404, path)
    }
    assert.strictEqual((await call("POST", "/v1/workspaces", {})).status, 404)
    await webhooks.close()
  })

  it("describes what it serves, and nothing else", async () => {
    const { call, webhooks } = await inMemory()
    const { body } = await call<{ readonly paths: object; readonly components: object }>("GET", "/v1/openapi.json")
    const paths = Object.keys(body.paths)
    assert.include(paths, "/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries")
    assert.deepStrictEqual(
      paths.filter((path) => !/^\/(?:healthz|v1\/(?:openapi|whoami|tokens|event|webhook_endpoints))/.test(path)),
      []
    )
    assert.notInclude(JSON.stringify(body), "distill.run")
    await webhooks.close()
  })

  it("has event types of its own and the host's, and no others", async () => {
    const { call, webhooks } = await inMemory()
    const { body } = await call<ListBody<{ readonly type: string }>>("GET", "/v1/event_types")
    assert.deepStrictEqual(
      body.data.map(({ type }) => type),
      ["webhook_endpoint.disabled", "order.paid"]
    )
    const endpoint = { url: "http://127.0.0.1:1/", enabled_events: ["distill.*"] }
    assert.strictEqual((await call("POST", "/v1/webhook_endpoints", endpoint)).status, 400)
    await webhooks.close()
  })
})
