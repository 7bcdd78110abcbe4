/** What is put aside for a call: never less than it may cost, however its upstream reads the request. */
import { assert, describe, it } from "@effect/vitest"
import { isObject } from "@limbeck/core/json/Json"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Result from "effect/Result"
import type { CallEndpoint } from "../src/call/CapturedCall.ts"
import { CaptureLimits } from "../src/Limits.ts"
import type { StatedPrices } from "../src/price/Price.ts"
import * as PriceRules from "../src/price/PriceRules.ts"
import * as CallEstimate from "../src/source/CallEstimate.ts"
import * as RequestRules from "../src/source/RequestRules.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const read = (text: string, endpoint: CallEndpoint = "chat.completions") =>
  Result.flatMap(Turns.atOnce(RequestRules.membersOf(bytesOf(text))), (members) =>
    Turns.atOnce(RequestRules.boundsOf(endpoint, members))
  )

const modelOf = (stated: StatedPrices, outputTokensMax: number | null = null): CallEstimate.PricedModel => ({
  prices: PriceRules.pricesOf(stated, undefined),
  outputTokensMax
})

const stated = { input_per_million: 2, output_per_million: 10 }
const prices = modelOf(stated)

const costMax = (
  model: CallEstimate.PricedModel,
  text: string,
  endpoint: CallEndpoint = "chat.completions"
): number | string =>
  Result.match(read(text, endpoint), {
    onSuccess: (bounds) => CallEstimate.costMax(model, endpoint, bytesOf(text).length, bounds),
    onFailure: ({ param }) => `refused: ${param}`
  })

const { outputTokensAssumed: assumed, referredTokensAssumed: referred } = CaptureLimits

describe("output tokens that are held for", () => {
  const cases: ReadonlyArray<readonly [body: string, tokens: number, endpoint?: CallEndpoint]> = [
    ['{"max_tokens":7}', 7],
    ['{"max_completion_tokens":8,"max_tokens":7}', 8],
    ['{"max_completion_tokens":1,"max_tokens":5000}', 5000],
    ['{"max_tokens":7,"max_new_tokens":9}', 9],
    ['{"max_tokens":7,"n":3}', 21],
    ['{"max_tokens":7,"n":1,"best_of":4}', 28],
    ['{"max_tokens":null}', assumed],
    ['{"messages":"ü"}', assumed],
    ['{"n":2}', 2 * assumed],
    // Limits of another endpoint, which the upstream may pass over.
    ['{"max_output_tokens":9}', assumed],
    ['{"n_predict":9000}', 9000],
    ['{"max_output_tokens":9}', 9, "responses"],
    ['{"max_tokens":9}', assumed, "responses"],
    ['{"max_tokens":9,"prompt":"a, b"}', 9, "completions"],
    ['{"max_tokens":9,"prompt":["a, [b","c\\"],","d"],"n":2}', 54, "completions"],
    ['{"max_tokens":9,"prompt":[1,2,3]}', 9, "completions"],
    ['{"max_tokens":9,"prompt":[[1,2],[3]]}', 18, "completions"],
    ['{"input":["a","b"],"max_tokens":9}', 0, "embeddings"]
  ]
  it("are those of the largest limit that the endpoint knows, times all choices", () => {
    for (const [body, tokens, endpoint] of cases) {
      assert.strictEqual(costMax(prices, body, endpoint), bytesOf(body).length * 2 + tokens * 10, body)
    }
  })

  it("are those that the model writes at most, where the request sets no limit or a larger one", () => {
    const model = modelOf({ output_per_million: 10 }, 100)
    assert.strictEqual(costMax(model, "{}"), 1_000)
    assert.strictEqual(costMax(model, '{"max_tokens":5000,"n":2}'), 2_000)
    assert.strictEqual(costMax(model, '{"max_tokens":5}'), 50)
  })

  it("are more by a predicted output, and input tokens by what the request refers to", () => {
    const predicted = '{"max_tokens":1,"prediction":{"type":"content","content":"abc"}}'
    assert.strictEqual(costMax(modelOf({ output_per_million: 10 }), predicted), (1 + predicted.length) * 10)
    const referring = '{"max_output_tokens":1,"previous_response_id":"resp_1"}'
    const held = (referring.length + referred) * 2 + 10
    assert.strictEqual(costMax(prices, referring, "responses"), held)
  })
})

describe("a request that upstreams read differently is refused by the member", () => {
  const cases: ReadonlyArray<readonly [body: string, param: string]> = [
    ['{"max_tokens":1,"max_tokens":5000}', "max_tokens"],
    ['{"max_tokens":1,"max\\u005ftokens":5000}', "max_tokens"],
    ['{"max_tokens":1,"Max_Tokens":5000}', "max_tokens"],
    ['{"MAX_TOKENS":1}', "max_tokens"],
    ['{"max_to\u212aens":1}', "max_tokens"],
    ['{"model":"cheap","model":"dear"}', "model"],
    ['{"n":1,"n":1}', "n"],
    ['{"max_tokens":-1}', "max_tokens"],
    ['{"max_tokens":0}', "max_tokens"],
    ['{"max_tokens":"7"}', "max_tokens"],
    ['{"max_tokens":7.5}', "max_tokens"],
    ['{"max_tokens":[7]}', "max_tokens"],
    ['{"max_tokens":1e400}', "max_tokens"],
    ['{"n":"2"}', "n"]
  ]
  it.each(cases)("%s", (body, param) => {
    assert.strictEqual(costMax(prices, body), `refused: ${param}`)
  })

  it("but not members of those names that stand deeper", () => {
    assert.isNumber(costMax(prices, '{"max_tokens":1,"metadata":{"max_tokens":1,"MAX_TOKENS":2},"tools":[{"n":"x"}]}'))
  })
})

it("what has no price costs nothing; parts of a micro-dollar count as one; what nobody can pay stays a whole number", () => {
  const body = '{"max_tokens":1}'
  assert.strictEqual(costMax(modelOf({}), body), 0)
  assert.strictEqual(costMax(modelOf({ output_per_million: 0.1 }), body), 1)
  assert.strictEqual(costMax(modelOf({ input_per_million: 0.1 }), body), 2)
  const large = `{"max_tokens":${Number.MAX_SAFE_INTEGER},"n":1000}`
  assert.strictEqual(costMax(prices, large), Number.MAX_SAFE_INTEGER)
})

it("what is held covers the dearest input and the dearest tier of a model (P1103)", () => {
  const body = '{"max_tokens":100}'
  const bytes = bytesOf(body).length
  const written = { ...stated, cached_input_per_million: 0.5, cache_write_per_million: 2.5 }
  assert.strictEqual(costMax(modelOf(written), body), Math.ceil(bytes * 4 + 1_000))
  assert.strictEqual(costMax(modelOf({ ...written, cache_write_1h_per_million: 6 }), body), bytes * 6 + 1_000)
  const tiers = { flex: 0.5, priority: 2 }
  assert.strictEqual(costMax(modelOf({ ...written, tiers }), body), Math.ceil((bytes * 4 + 1_000) * 2))
  assert.strictEqual(costMax(modelOf({ ...written, tiers: { flex: 0.5 } }), body), bytes * 4 + 1_000)
})

/** How a server reads the members of a text: which of two of one name counts, and whether the case of names does. All know both limits. */
interface Reader {
  readonly takesFirst: boolean
  readonly ignoresCase: boolean
  /** The limits that the reader knows, in its order of look-up. */
  readonly limits: ReadonlyArray<string>
}

const memberOf = (
  { ignoresCase, takesFirst }: Reader,
  members: ReadonlyArray<readonly [string, unknown]>,
  name: string
) => {
  const named = members.filter(([own]) => (ignoresCase ? own.toLowerCase() : own) === name)
  return (takesFirst ? named[0] : named.at(-1))?.[1]
}

/** As forgiving servers do: texts of digits are numbers. */
const numberOf = (value: unknown) => (value === null || value === undefined ? undefined : Number(value))

/** Tokens that the server writes at most; undefined where it refuses the request. */
const writtenBy = (reader: Reader, members: ReadonlyArray<readonly [string, unknown]>): number | undefined => {
  const bound = reader.limits
    .map((name) => numberOf(memberOf(reader, members, name)))
    .find((count) => count !== undefined)
  const choices = Math.max(...["n", "best_of"].map((name) => numberOf(memberOf(reader, members, name)) ?? 1))
  const tokens = bound ?? assumed
  // A limit below zero stands for none.
  const written = (tokens < 0 ? assumed : tokens) * choices
  return Number.isFinite(written) && written >= 0 ? written : undefined
}

const memberNames = [
  ...["max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "n_predict"],
  ...["MAX_TOKENS", "Max_Completion_Tokens", "n", "N", "best_of", "messages", "metadata"]
]
const memberValues = [1, 2, 7, 5_000, 90_000, "7", "5000", null, -1, 1.5, { max_tokens: 9 }, [1], "ü"]
const limitsOfServers = [
  ["max_completion_tokens", "max_tokens"],
  ["max_tokens", "max_completion_tokens"],
  ["n_predict", "max_tokens", "max_completion_tokens"],
  ["max_completion_tokens", "max_new_tokens", "max_tokens"]
]

it("no server reads a request that is let through so that it costs more than is held (P881)", () => {
  const { below, pick, some } = Generator.make(20_261_126)
  let passed = 0
  for (let round = 0; round < 20_000; round++) {
    const members = some(4, () => [pick(memberNames), pick(memberValues)] as const)
    const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`
    assert.isTrue(isObject(JSON.parse(text)))
    const held = costMax(prices, text)
    if (typeof held === "string") continue
    passed++
    const reader = { takesFirst: below(2) === 0, ignoresCase: below(2) === 0, limits: pick(limitsOfServers) }
    const written = writtenBy(reader, members)
    // The most tokens that the bytes can be.
    const cost = bytesOf(text).length * stated.input_per_million + (written ?? 0) * stated.output_per_million
    assert.isAtMost(cost, held, `${text} read by ${JSON.stringify(reader)}`)
  }
  assert.isAbove(passed, 5_000)
})
