/** What calls cost by the usage that each provider states, whole and as a stream (contract 16.4, 16.10, 16.11). */
import { assert, describe, it } from "@effect/vitest"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as Ledger from "@limbeck/billing/ledger/Ledger"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import * as Id from "@limbeck/core/ids/Id"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { audit } from "@limbeck/testing/fixtures/Audits"
import { record } from "@limbeck/testing/fixtures/CallRecords"
import * as Generator from "@limbeck/testing/random/Generator"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallOf from "../../src/call/CallOf.ts"
import type { CallRecord } from "../../src/call/CallRecord.ts"
import type { CallEndpoint, Usage } from "../../src/call/CapturedCall.ts"
import * as CallCharges from "../../src/journal/internal/CallCharges.ts"
import type { StatedPrices } from "../../src/price/Price.ts"
import * as PriceRules from "../../src/price/PriceRules.ts"

const encoder = new TextEncoder()

const priced = (stated: StatedPrices): Partial<CallRecord> => {
  const { inputPerMillion, outputPerMillion, ...cachePrices } = PriceRules.pricesOf(stated, undefined)
  return { inputPerMillion, outputPerMillion, cachePrices }
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`

/** An answer with a usage, whole and as a stream, in the form of each endpoint. */
const answers: Readonly<
  Partial<Record<CallEndpoint, (usage: object, tier?: string) => { readonly whole: object; readonly stream: string }>>
> = {
  "chat.completions": (usage, service_tier) => {
    const top = { id: "chatcmpl-1", service_tier, usage }
    const choice = { index: 0, finish_reason: "stop" }
    return {
      whole: { ...top, choices: [{ ...choice, message: { role: "assistant", content: "Yes" } }] },
      stream: [
        { id: "chatcmpl-1", service_tier, choices: [{ ...choice, delta: { content: "Yes" } }], usage: null },
        { ...top, choices: [] }
      ]
        .map((chunk) => `data: ${JSON.stringify({ object: "chat.completion.chunk", ...chunk })}\n\n`)
        .join("")
        .concat("data: [DONE]\n\n")
    }
  },
  responses: (usage, service_tier) => {
    const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes" }] }]
    const response = { id: "resp_1", object: "response", status: "completed", service_tier, output, usage }
    const started = { response: { ...response, service_tier: "auto", status: "in_progress", output: [], usage: null } }
    return { whole: response, stream: event("response.created", started) + event("response.completed", { response }) }
  },
  messages: (usage) => {
    const { output_tokens, ...input } = usage as { readonly output_tokens: number }
    const message = { id: "msg_1", type: "message", role: "assistant", content: [{ type: "text", text: "Yes" }] }
    return {
      whole: { ...message, usage },
      stream: [
        event("message_start", { message: { ...message, content: [], usage: { ...input, output_tokens: 1 } } }),
        event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
        event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Yes" } }),
        event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens } }),
        event("message_stop", {})
      ].join("")
    }
  }
}

interface Case {
  readonly endpoint: CallEndpoint
  readonly prices: StatedPrices
  readonly usage: object
  readonly tier?: string
  readonly read: Usage
  readonly micros: number
}

const gpt = { input_per_million: 2, output_per_million: 8, cached_input_per_million: 0.2 }
const tiered = { ...gpt, tiers: { flex: 0.5, priority: 1.75, batch: 0.5 } }
const claude = {
  input_per_million: 3,
  output_per_million: 15,
  cached_input_per_million: 0.3,
  cache_write_per_million: 3.75
}
const chatUsage = {
  prompt_tokens: 1_000,
  completion_tokens: 1,
  total_tokens: 1_001,
  prompt_tokens_details: { cached_tokens: 960, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 }
}
const chatRead: Usage = {
  inputTokens: 1_000,
  outputTokens: 1,
  cachedTokens: 960,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0
}

const cases: Readonly<Record<string, Case>> = {
  "OpenAI chat, input from the cache": {
    endpoint: "chat.completions",
    prices: gpt,
    usage: chatUsage,
    read: chatRead,
    micros: 280
  },
  "OpenAI chat in the flex tier": {
    endpoint: "chat.completions",
    prices: tiered,
    usage: chatUsage,
    tier: "flex",
    read: chatRead,
    micros: 140
  },
  "OpenAI chat in the priority tier": {
    endpoint: "chat.completions",
    prices: tiered,
    usage: chatUsage,
    tier: "priority",
    read: chatRead,
    micros: 490
  },
  "OpenAI chat in a tier without a price of its own": {
    endpoint: "chat.completions",
    prices: tiered,
    usage: chatUsage,
    tier: "default",
    read: chatRead,
    micros: 280
  },
  "OpenAI chat of a model without a price for cached input": {
    endpoint: "chat.completions",
    prices: { input_per_million: 2, output_per_million: 8 },
    usage: chatUsage,
    read: chatRead,
    micros: 2_008
  },
  "OpenAI chat with reasoning": {
    endpoint: "chat.completions",
    prices: { input_per_million: 1.1, output_per_million: 4.4 },
    usage: {
      prompt_tokens: 75,
      completion_tokens: 1_186,
      total_tokens: 1_261,
      completion_tokens_details: { reasoning_tokens: 1_024 }
    },
    read: { inputTokens: 75, outputTokens: 1_186, reasoningTokens: 1_024 },
    micros: 5_301
  },
  "OpenAI Responses": {
    endpoint: "responses",
    prices: { input_per_million: 2.5, output_per_million: 10, cached_input_per_million: 1.25 },
    usage: {
      input_tokens: 328,
      input_tokens_details: { cached_tokens: 128 },
      output_tokens: 52,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 380
    },
    read: { inputTokens: 328, outputTokens: 52, cachedTokens: 128, reasoningTokens: 20 },
    micros: 1_180
  },
  "OpenAI Responses in the flex tier": {
    endpoint: "responses",
    prices: { ...gpt, tiers: { flex: 0.5 } },
    usage: { input_tokens: 1_000, input_tokens_details: { cached_tokens: 960 }, output_tokens: 1 },
    tier: "flex",
    read: { inputTokens: 1_000, outputTokens: 1, cachedTokens: 960 },
    micros: 140
  },
  "Anthropic, input that was written to the cache": {
    endpoint: "messages",
    prices: claude,
    usage: {
      input_tokens: 21,
      cache_creation_input_tokens: 188_086,
      cache_read_input_tokens: 0,
      output_tokens: 393,
      service_tier: "standard"
    },
    read: { inputTokens: 188_107, outputTokens: 393, cachedTokens: 0, cacheWriteTokens: 188_086 },
    // 711,280.5 micro-dollars.
    micros: 711_281
  },
  "Anthropic, input that is cached for an hour": {
    endpoint: "messages",
    prices: claude,
    usage: {
      input_tokens: 2_048,
      cache_read_input_tokens: 1_800,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503
    },
    read: {
      inputTokens: 4_096,
      outputTokens: 503,
      cachedTokens: 1_800,
      cacheWriteTokens: 248,
      cacheWrite1hTokens: 100
    },
    micros: 15_384
  },
  "Anthropic, a batch with a stated price of an hour": {
    endpoint: "messages",
    prices: { ...claude, cache_write_1h_per_million: 7, tiers: { batch: 0.5 } },
    usage: {
      input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_1h_input_tokens: 100 },
      output_tokens: 100,
      service_tier: "batch"
    },
    read: { inputTokens: 100, outputTokens: 100, cachedTokens: 0, cacheWriteTokens: 100, cacheWrite1hTokens: 100 },
    micros: 1_100
  },
  "DeepSeek, whose hits stand at the top": {
    endpoint: "chat.completions",
    prices: { input_per_million: 0.28, output_per_million: 0.42, cached_input_per_million: 0.028 },
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 10,
      total_tokens: 1_010,
      prompt_cache_hit_tokens: 960,
      prompt_cache_miss_tokens: 40
    },
    read: { inputTokens: 1_000, outputTokens: 10, cachedTokens: 960 },
    micros: 42
  },
  "xAI, whose reasoning is counted beside the completion": {
    endpoint: "chat.completions",
    prices: { input_per_million: 3, output_per_million: 15 },
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 129,
      completion_tokens_details: { reasoning_tokens: 100 }
    },
    read: { inputTokens: 20, outputTokens: 109, reasoningTokens: 100 },
    micros: 1_695
  },
  "a server that counts more cached tokens than input": {
    endpoint: "chat.completions",
    prices: gpt,
    usage: { ...chatUsage, prompt_tokens_details: { cached_tokens: 5_000, cache_write_tokens: 9 } },
    read: {
      inputTokens: 1_000,
      outputTokens: 1,
      cachedTokens: 5_000,
      cacheWriteTokens: 9,
      reasoningTokens: 0,
      audioOutputTokens: 0
    },
    micros: 208
  },
  "half a micro-dollar, which no binary fraction holds": {
    endpoint: "chat.completions",
    prices: { input_per_million: 0.145, output_per_million: 0 },
    usage: { prompt_tokens: 100, completion_tokens: 1 },
    read: { inputTokens: 100, outputTokens: 1 },
    micros: 15
  }
}

const called = (fields: Partial<CallRecord>, text: string) =>
  Effect.provide(
    CallOf.callOf(record(1, { ...fields, response: [encoder.encode(text)] })),
    Layer.merge(NodeDecoder.layer, Crypto.layer)
  )

describe("the cost of a call is exact by the usage of each provider (P1100)", () => {
  it.effect.each(Object.entries(cases))("%s", ([, { endpoint, micros, prices, read, tier, usage }]) =>
    Effect.gen(function* () {
      const answer = answers[endpoint]?.(usage, tier)
      if (answer === undefined) return assert.fail(endpoint)
      const fields = { endpoint, ...priced(prices) }
      const whole = yield* called(fields, JSON.stringify(answer.whole))
      assert.deepInclude(whole, { costMicros: micros, outcome: "succeeded" })
      assert.deepEqual(whole.usage, read)
      const streamed = yield* called({ ...fields, contentType: "text/event-stream" }, answer.stream)
      assert.deepInclude(streamed, { costMicros: micros, outcome: "succeeded", streamed: true })
      assert.deepEqual(streamed.usage, read)
    })
  )
})

const world = Layer.merge(CallHolds.layer, TokenUses.none).pipe(
  Layer.provideMerge(Ledger.layer),
  Layer.provideMerge(World.events),
  Layer.provideMerge(Layer.merge(StorageMemory.layer, Ids.layer)),
  Layer.provideMerge(Crypto.layer)
)

it.effect("a ledger that is charged for 10,000 calls of all kinds adds up to the micro-dollar (P1101)", () =>
  Effect.gen(function* () {
    const { append } = yield* CallCharges.make
    const { pick } = Generator.make(20_261_129)
    const kinds = Object.values(cases)
    let expected = 0
    for (let batch = 0; batch < 20; batch++) {
      const charged = yield* Effect.forEach(Array.from({ length: 500 }), (_, index) => {
        const { endpoint, micros, prices, tier, usage } = pick(kinds)
        expected += micros
        const answer = answers[endpoint]?.(usage, tier)
        const bytes = new Uint8Array(16)
        new DataView(bytes.buffer).setUint32(12, batch * 500 + index)
        const made = record(1, {
          id: Id.fromBytes("call", bytes),
          partition: World.live.key,
          endpoint,
          managed: true,
          ...priced(prices),
          response: [encoder.encode(JSON.stringify(answer?.whole))]
        })
        return Effect.map(CallOf.callOf(made), (call) => ({ call, record: made }))
      })
      yield* append(charged)
    }
    assert.strictEqual((yield* audit(World.live)).spent, expected)
  }).pipe(Effect.provide(Layer.mergeAll(world, NodeDecoder.layer, Crypto.layer)))
)
