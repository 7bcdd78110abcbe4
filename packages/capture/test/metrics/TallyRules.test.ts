import { assert, describe, it } from "@effect/vitest"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import { bucketOf, latencyBounds, startOf, talliesOf } from "../../src/metrics/TallyRules.ts"

describe("the buckets of latencies", () => {
  it("ascend, and hold values that differ by a fifth at most (P1302)", () => {
    for (const [index, bound] of latencyBounds.entries()) {
      if (index === 0) assert.strictEqual(bound, 1)
      else assert.isAbove(bound, latencyBounds[index - 1]!)
      const last = (latencyBounds[index + 1] ?? bound + 1) - 1
      assert.isAtMost(last / bound, 1.2, `from ${bound}`)
    }
    assert.strictEqual(latencyBounds.at(-1), 2 ** 22)
  })

  it("begin at their bounds", () => {
    assert.strictEqual(bucketOf(0), 0)
    for (const [index, bound] of latencyBounds.entries()) {
      assert.strictEqual(bucketOf(bound), index + 1)
      assert.strictEqual(bucketOf(bound - 1), index)
    }
    assert.strictEqual(bucketOf(Number.MAX_SAFE_INTEGER), latencyBounds.length)
  })
})

describe("a call", () => {
  it("is in the hour and the day of UTC that hold it", () => {
    const at = Date.parse("2026-11-28T23:59:59.999Z")
    assert.strictEqual(startOf("hour", at), Date.parse("2026-11-28T23:00:00Z"))
    assert.strictEqual(startOf("day", at), Date.parse("2026-11-28T00:00:00Z"))
    assert.strictEqual(startOf("day", at + 1), at + 1)
  })

  const widthsOf = (fields: Parameters<typeof Calls.call>[0]) => talliesOf(Calls.call(fields)).map(([width]) => width)

  it("of a deployment that the upstream answered for a price is among all of these, and one that verifies in none", () => {
    const deployment = "dep_1"
    assert.deepStrictEqual(widthsOf({ deployment, costMicros: 0 }), ["hour", "day", "all"])
    assert.deepStrictEqual(widthsOf({ deployment, servedBy: "upstream_fallback" }), ["hour", "day", "all"])
    for (const fields of [{}, { deployment, costMicros: null }, { deployment, servedBy: "student" as const }]) {
      assert.deepStrictEqual(widthsOf(fields), ["hour", "day"])
    }
    assert.deepStrictEqual(widthsOf({ deployment, verifies: { call: Calls.call().id, deployment } }), [])
  })

  it.each([
    [{}, 0],
    [{ costMicros: null }, 1],
    [{ costMicros: null, outcome: "aborted" as const }, 1],
    [{ costMicros: null, outcome: "failed" as const }, 0],
    [{ costMicros: null, servedBy: "student" as const }, 0]
  ])("with %j counts as so many calls without a price: %i", (fields, unpricedCalls) => {
    assert.strictEqual(talliesOf(Calls.call(fields))[0]?.[1].unpricedCalls, unpricedCalls)
  })
})
