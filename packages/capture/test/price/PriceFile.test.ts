/** Price files in the shape of litellm's, and what holds for a model of a source (contract 16.10, 16.12). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as PriceFile from "../../src/price/PriceFile.ts"
import * as PriceList from "../../src/price/PriceList.ts"
import * as Snapshot from "../../src/price/Snapshot.ts"
import type { Source, SourceModel } from "../../src/source/Source.ts"

/** As litellm writes them: the explaining entry, exponents, a model by the second, and members that we do not read. */
const file = {
  sample_spec: { input_cost_per_token: 0, output_cost_per_token: 0, mode: "one of: chat, embedding" },
  "gpt-4o-mini": {
    cache_read_input_token_cost: 7.5e-8,
    input_cost_per_token: 1.5e-7,
    input_cost_per_token_batches: 7.5e-8,
    output_cost_per_token: 6e-7,
    output_cost_per_token_batches: 3e-7,
    input_cost_per_token_priority: 2.5e-7,
    output_cost_per_token_priority: 1e-6,
    max_output_tokens: 16_384,
    litellm_provider: "openai",
    mode: "chat",
    supports_vision: true
  },
  "claude-sonnet-4-5": {
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    cache_read_input_token_cost: 3e-7,
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    max_output_tokens: 64_000
  },
  "whisper-1": { input_cost_per_second: 0.0001, mode: "audio_transcription" },
  "text-embedding-3-small": { input_cost_per_token: 2e-8, output_cost_per_token: null, mode: "embedding" }
}

const table = { entries: Result.getOrThrow(PriceFile.read(file)), isChosen: true }

const of = (model: SourceModel, kind: Source["kind"] = "byok", from: PriceList.PriceTable = table) =>
  PriceList.ofEntry(from, kind, model)

describe("a price file (P1110)", () => {
  it("says what each kind of token costs, by the million, and the factors of tiers", () => {
    assert.deepEqual(of("gpt-4o-mini"), {
      prices: {
        inputPerMillion: 0.15,
        outputPerMillion: 0.6,
        cachedInputPerMillion: 0.075,
        cacheWritePerMillion: 0.15,
        cacheWrite1hPerMillion: 0.24,
        tiers: { batch: 0.5, priority: 1.666667 }
      },
      from: "price_file",
      outputTokensMax: 16_384
    })
    assert.deepInclude(of("claude-sonnet-4-5").prices, {
      cachedInputPerMillion: 0.3,
      cacheWritePerMillion: 3.75,
      cacheWrite1hPerMillion: 6
    })
    assert.deepInclude(of("text-embedding-3-small").prices, { inputPerMillion: 0.02, outputPerMillion: null })
  })

  it("is read by ids alone, exactly, and knows no model that has no price for tokens", () => {
    for (const id of ["GPT-4o-mini", "openai/gpt-4o-mini", "gpt-4o", "whisper-1", "sample_spec", "toString"]) {
      assert.strictEqual(of(id).from, "none", id)
      assert.deepInclude(of(id).prices, { inputPerMillion: null, outputPerMillion: null })
    }
  })

  it("fills in what a source does not say of cached input and tiers; the source's own prices come first", () => {
    const stated = { id: "claude-sonnet-4-5", input_per_million: 2, output_per_million: 9 }
    assert.deepInclude(of(stated), { from: "source" })
    assert.deepInclude(of(stated).prices, {
      inputPerMillion: 2,
      outputPerMillion: 9,
      cachedInputPerMillion: 0.3,
      cacheWritePerMillion: 3.75,
      cacheWrite1hPerMillion: 6
    })
    const own = { ...stated, cached_input_per_million: 0.2, cache_write_per_million: 2.5 }
    assert.deepInclude(of(own).prices, {
      cachedInputPerMillion: 0.2,
      cacheWritePerMillion: 2.5,
      cacheWrite1hPerMillion: 4
    })
    // A source that says one of the two prices says that the other is free.
    assert.isNull(of({ id: "gpt-4o-mini", input_per_million: 1 }).prices.outputPerMillion)
    assert.strictEqual(of({ id: "gpt-4o-mini", max_output_tokens: 9 }).outputTokensMax, 9)
  })

  it("prices managed sources where the operator chose it, and what ships with the program never does", () => {
    assert.strictEqual(of("gpt-4o-mini", "managed").from, "price_file")
    assert.strictEqual(of("gpt-4o-mini", "byok", Snapshot.prices.current()).from, "price_file")
    assert.strictEqual(of("gpt-4o-mini", "managed", Snapshot.prices.current()).from, "none")
  })

  it("that is no such file is refused with the reason", () => {
    const refused: ReadonlyArray<readonly [value: unknown, reason: RegExp]> = [
      [[], /must be an object of models/],
      ["{}", /must be an object of models/],
      [{}, /names no model/],
      [{ a: { input_cost_per_second: 1 } }, /names no model/],
      [{ "gpt-x": { input_cost_per_token: -1 } }, /"gpt-x": input_cost_per_token must be a number/],
      [{ "gpt-x": { output_cost_per_token: "1e-6" } }, /"gpt-x": output_cost_per_token must be a number/]
    ]
    for (const [value, reason] of refused) {
      const read = PriceFile.read(value)
      assert.isTrue(Result.isFailure(read) && reason.test(read.failure), JSON.stringify(value))
    }
  })

  it("that ships has dozens of models, each of which costs no less for output than for input", () => {
    assert.isAbove(Snapshot.prices.current().entries.size, 40)
    assert.match(Snapshot.snapshotDate, /^\d{4}-\d\d-\d\d$/)
    for (const [id, { prices }] of Snapshot.prices.current().entries) {
      const { cached_input_per_million: cached, input_per_million: input = 0, output_per_million: output = 0 } = prices
      assert.isTrue(input > 0 && output >= input && (cached ?? 0) < input, id)
    }
  })
})
