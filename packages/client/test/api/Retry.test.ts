/** Which requests are sent again, and when. */
import { ConnectionError, errorOf, TimeoutError } from "@limbeck/client"
import { assert, describe, it } from "vitest"
import { delayMillis } from "../../src/api/Retry.ts"

const get = { method: "GET", idempotencyKey: undefined }
const patch = { method: "PATCH", idempotencyKey: undefined }
const keyed = { method: "POST", idempotencyKey: "key" }

const refused = (status: number, code: string, more: object = {}) =>
  errorOf(status, JSON.stringify({ error: { type: "t", code, message: "m", param: null, ...more } }), "req_1")

describe("a request", () => {
  it("that got no answer is sent again where that does nothing twice (P221)", () => {
    for (const error of [new ConnectionError("cut"), new TimeoutError("late"), refused(503, "api_error")]) {
      assert.isNumber(delayMillis(get, error, 1, 0))
      assert.isNumber(delayMillis(keyed, error, 1, 0))
      assert.isUndefined(delayMillis(patch, error, 1, 0))
    }
  })

  it("that was not executed is sent again, and one that was refused is not", () => {
    for (const request of [get, patch, keyed]) {
      assert.isNumber(delayMillis(request, refused(429, "rate_limit_error"), 1, 0))
      assert.isNumber(delayMillis(request, refused(409, "idempotency_key_in_flight"), 1, 0))
      for (const status of [400, 401, 402, 403, 404, 409, 410, 413])
        assert.isUndefined(delayMillis(request, refused(status, "some_error"), 1, 0))
      assert.isUndefined(delayMillis(request, new Error("a defect of the caller's"), 1, 0))
    }
  })

  it("waits twice as long each time, up to eight seconds, and never less than half of that", () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 5, 6, 20].map((attempts) => delayMillis(get, new ConnectionError("cut"), attempts, random))
    assert.deepStrictEqual(delays(0), [250, 500, 1000, 2000, 4000, 4000, 4000])
    assert.deepStrictEqual(delays(1), [500, 1000, 2000, 4000, 8000, 8000, 8000])
  })

  it("waits as long as the server asks, and is given up where that is more than a minute", () => {
    assert.strictEqual(delayMillis(get, refused(429, "rate_limit_error", { retry_after_seconds: 7 }), 1, 0.5), 7000)
    assert.isUndefined(delayMillis(get, refused(429, "rate_limit_error", { retry_after_seconds: 61 }), 1, 0.5))
    assert.isAbove(delayMillis(get, refused(429, "rate_limit_error", { retry_after_seconds: 0 }), 1, 0) ?? 0, 0)
  })

  it("that something in between refused tells what it said", () => {
    const error = errorOf(502, "<html>Bad gateway</html>", null)
    assert.deepInclude(error, { name: "ServerError", status: 502, code: "unknown", requestId: null, param: null })
    assert.include(error.message, "<html>Bad gateway")
  })
})
