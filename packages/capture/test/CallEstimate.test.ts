/** What is put aside for a call: never less than it may cost, as far as its request tells. */
import { assert, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import { CaptureLimits } from "../src/Limits.ts"
import * as CallEstimate from "../src/source/CallEstimate.ts"

const costMax = (...asked: Parameters<typeof CallEstimate.costMax>) => Turns.atOnce(CallEstimate.costMax(...asked))

const prices = { inputPerMillion: 2, outputPerMillion: 10 }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const assumed = CaptureLimits.outputTokensAssumed * 10

const cases: ReadonlyArray<readonly [body: string, output: number]> = [
  ['{"max_tokens":7}', 70],
  ['{"max_completion_tokens":8,"max_tokens":7}', 80],
  ['{"max_output_tokens":9}', 90],
  ['{"max_tokens":7,"n":3}', 210],
  ['{"messages":"ü"}', assumed],
  ['{"n":2}', 2 * assumed],
  ['{"max_tokens":-1}', assumed],
  ['{"max_tokens":"7"}', assumed],
  ["[]", assumed],
  ["no JSON", assumed]
]

it.each(cases)("%s", (body, output) => {
  assert.strictEqual(costMax(prices, bytesOf(body)), bytesOf(body).length * 2 + output)
})

it("what has no price costs nothing; parts of a micro-dollar count as one", () => {
  const body = bytesOf('{"max_tokens":1}')
  assert.strictEqual(costMax({ inputPerMillion: null, outputPerMillion: null }, body), 0)
  assert.strictEqual(costMax({ inputPerMillion: null, outputPerMillion: 0.1 }, body), 1)
  assert.strictEqual(costMax({ inputPerMillion: 0.1, outputPerMillion: null }, body), 2)
})

it("a bound that nobody can pay stays a whole number", () => {
  const body = bytesOf(`{"max_tokens":${Number.MAX_SAFE_INTEGER},"n":1000}`)
  assert.strictEqual(costMax(prices, body), Number.MAX_SAFE_INTEGER)
})
