/** What the pages of webhooks work out themselves. */
import { assert, describe, it } from "@effect/vitest"
import type { WebhookDelivery } from "@limbeck/client"
import { attemptedOf, successOf } from "../src/webhooks/DeliveryFigures.ts"
import { stateOf } from "../src/webhooks/EndpointState.ts"
import { includes, patternsOf, toggled } from "../src/webhooks/EventPatterns.ts"
import { prefixIn } from "../src/webhooks/RequestHeaders.ts"

describe("event types of a subscription", () => {
  it("are offered with their families, and a family replaces what it includes (P1790)", () => {
    assert.deepStrictEqual(patternsOf(["order.paid", "order.item.added", "order.item.gone", "ping"]), [
      "*",
      "order.*",
      "order.paid",
      "order.item.*",
      "order.item.added",
      "order.item.gone",
      "ping"
    ])
    assert.isTrue(includes("order.*", "order.item.*"))
    assert.isFalse(includes("order.*", "orders.paid"))
    assert.deepStrictEqual(toggled(["order.item.added", "ping"], "order.*"), ["ping", "order.*"])
    assert.deepStrictEqual(toggled(["ping", "order.*"], "ping"), ["order.*"])
    assert.deepStrictEqual(toggled(["ping"], "*"), ["*"])
  })
})

describe("an endpoint", () => {
  it("is failing while it is enabled and too few attempts succeed", () => {
    const of = (status: "enabled" | "disabled", success_rate_24h: number | null) =>
      stateOf({ status, delivery_stats: { success_rate_24h, pending: 0, dead_lettered: 0 } })
    assert.deepStrictEqual(
      [of("enabled", null), of("enabled", 0.95), of("enabled", 0.94), of("disabled", 0)],
      ["enabled", "enabled", "failing", "disabled"]
    )
  })
})

describe("the charts of deliveries", () => {
  it("show attempted deliveries by time, and the success of ten at a time", () => {
    // Newest first. The cast: the charts read only these members of a delivery.
    const deliveries = Array.from({ length: 20 }, (_, number) => ({
      attempt_count: number === 0 ? 0 : 1,
      status: number > 9 ? "succeeded" : "failed",
      updated_at: `2026-11-28T10:00:00.${String(100 - number).padStart(3, "0")}Z`,
      last_response: { duration_ms: number }
    })) as unknown as ReadonlyArray<WebhookDelivery>
    const attempted = attemptedOf(deliveries)
    assert.deepStrictEqual(attempted[0], { at: Date.parse("2026-11-28T10:00:00.081Z"), isSuccess: true, millis: 19 })
    assert.lengthOf(attempted, 19)
    const success = successOf(attempted)
    assert.deepStrictEqual([success[0], success[9], success[14], success[18]], [1, 1, 0.5, 0.1])
  })
})

describe("the prefix of header names", () => {
  it("is the one of the server's own responses", () => {
    assert.strictEqual(prefixIn(["content-type", "acme-shop-version", "x-request-id"]), "Acme-Shop")
    assert.strictEqual(prefixIn(["content-type"]), "Service")
  })
})
