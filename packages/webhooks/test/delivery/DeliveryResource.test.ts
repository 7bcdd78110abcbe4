import { assert, describe, it } from "@effect/vitest"
import { pending } from "@limbeck/webhooks/delivery/Delivery"
import * as DeliveryResource from "@limbeck/webhooks/delivery/DeliveryResource"
import { answer } from "../support/Receiver.ts"
import { live } from "../support/World.ts"

const delivery = pending({
  id: "del_00000000000000000000000000",
  endpointId: "wh_00000000000000000000000000",
  eventId: "evt_00000000000000000000000000",
  eventType: "distill.run.succeeded",
  now: 1_000
})

describe("DeliveryResource", () => {
  it("before the first attempt there is neither an answer nor a retry", () =>
    assert.deepStrictEqual(DeliveryResource.render(live, delivery), {
      id: "del_00000000000000000000000000",
      object: "webhook_delivery",
      livemode: true,
      webhook_endpoint_id: "wh_00000000000000000000000000",
      event_id: "evt_00000000000000000000000000",
      event_type: "distill.run.succeeded",
      status: "pending",
      attempt_count: 0,
      last_response: { status_code: null, body_snippet: "", duration_ms: 0, error: null },
      next_retry_at: null,
      created_at: "1970-01-01T00:00:01.000Z",
      updated_at: "1970-01-01T00:00:01.000Z"
    }))

  it("a failed delivery tells when it is tried again", () => {
    const failed = { ...delivery, status: "failed" as const, attemptCount: 1, lastResult: answer(500), dueAt: 6_000 }
    const shown = DeliveryResource.render(live, failed)
    assert.strictEqual(shown.next_retry_at, "1970-01-01T00:00:06.000Z")
    assert.deepStrictEqual(shown.last_response, {
      status_code: 500,
      body_snippet: "answer 500",
      duration_ms: 7,
      error: null
    })
  })

  it("the detail lists every attempt", () => {
    const attempt = {
      id: "att_00000000000000000000000000" as const,
      deliveryId: delivery.id,
      number: 1,
      trigger: "automatic" as const,
      result: answer(200),
      startedAt: 2_000
    }
    assert.deepStrictEqual(DeliveryResource.renderDetail(live, delivery, [attempt]).attempts, [
      {
        id: "att_00000000000000000000000000",
        object: "webhook_delivery_attempt",
        attempt: 1,
        trigger: "automatic",
        status_code: 200,
        body_snippet: "answer 200",
        duration_ms: 7,
        error: null,
        started_at: "1970-01-01T00:00:02.000Z"
      }
    ])
  })
})
