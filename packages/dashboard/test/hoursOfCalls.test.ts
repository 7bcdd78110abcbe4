/** The calls of a deployment by hour. */
import { assert, describe, it } from "@effect/vitest"
import * as HoursOfCalls from "../src/deployments/HoursOfCalls.ts"

const row = (start: string, group: string, calls: number) => ({
  start,
  group,
  calls,
  failed: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: null,
  unpriced_calls: 0,
  saved_usd: null,
  latency_ms: null
})

describe("answers by hour", () => {
  it("have the shares of fallback and student among all calls of the hour (P1533)", () => {
    const [first, second] = ["2026-11-28T09:00:00.000Z", "2026-11-28T11:00:00.000Z"]
    assert.deepStrictEqual(
      HoursOfCalls.from([
        row(first, "student", 6),
        row(first, "upstream", 2),
        row(first, "upstream_fallback", 2),
        row(second, "student", 3)
      ]),
      [
        { start: Date.parse(first), calls: 10, fallback: 0.2, student: 0.6 },
        { start: Date.parse(second), calls: 3, fallback: 0, student: 1 }
      ]
    )
  })
})
