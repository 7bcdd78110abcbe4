/** What stored calls add to the metrics of the process. */
import { assert, describe, it } from "@effect/vitest"
import * as Counters from "@limbeck/testing/telemetry/Counters"
import * as Effect from "effect/Effect"
import type { CapturedCall } from "../../src/call/CapturedCall.ts"
import * as CallMeter from "../../src/journal/internal/CallMeter.ts"
import { CaptureLimits } from "../../src/Limits.ts"

const usage = { inputTokens: 10, outputTokens: 2 }

/** The fields that metrics read. */
const callOf = (fields: Partial<CapturedCall>): CapturedCall =>
  ({
    source: "src_1",
    sourceName: "openai",
    model: "m",
    servedBy: "upstream",
    outcome: "succeeded",
    costMicros: 3_000_000,
    usage,
    ...fields
  }) as CapturedCall

describe("the meter of calls", () => {
  it.effect("adds calls, tokens, cost and calls without a price, by who answered", () =>
    Effect.gen(function* () {
      const count = CallMeter.make()
      yield* count([
        callOf({ model: "a" }),
        callOf({ model: "a", costMicros: null }),
        callOf({ model: "a", servedBy: "student", costMicros: null, usage: null })
      ])
      assert.deepStrictEqual(
        yield* Counters.valuesOf("limbeck_calls_total", { model: "a", served_by: "upstream" }),
        [2]
      )
      assert.deepStrictEqual(yield* Counters.valuesOf("limbeck_calls_total", { model: "a", served_by: "student" }), [1])
      assert.strictEqual(yield* Counters.total("limbeck_call_tokens_total", { model: "a", direction: "input" }), 20)
      assert.strictEqual(yield* Counters.total("limbeck_call_cost_usd_total", { model: "a" }), 3)
      assert.strictEqual(yield* Counters.total("limbeck_calls_unpriced_total", { model: "a" }), 1)
    })
  )

  it.effect("counts pairs of source and model beyond the limit as other (P1669)", () =>
    Effect.gen(function* () {
      const count = CallMeter.make()
      const extra = 7
      const calls = Array.from({ length: CaptureLimits.meteredModelsMax + extra }, (_, index) =>
        callOf({ sourceName: "many", model: `m${index}` })
      )
      yield* count(calls)
      const named = yield* Counters.valuesOf("limbeck_calls_total", { source: "many" })
      assert.deepStrictEqual(
        [named.length, yield* Counters.total("limbeck_calls_total", { source: "many" })],
        [CaptureLimits.meteredModelsMax, CaptureLimits.meteredModelsMax]
      )
      assert.deepStrictEqual(yield* Counters.valuesOf("limbeck_calls_total", { source: "other" }), [extra])
    })
  )
})
