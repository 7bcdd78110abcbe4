/** The charge of a call without the upstream's usage: estimated from bytes, and at most the held amount. */
import { assert, it } from "@effect/vitest"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import { record } from "@limbeck/testing/fixtures/CallRecords"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallOf from "../src/call/CallOf.ts"
import type { CallRecord } from "../src/call/CallRecord.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const sse = "text/event-stream"

/** Of 20 bytes, which are taken for 10 tokens. */
const request = bytes('{"model":"gpt","a":1}'.slice(0, 20))

/** An input token costs 1 micro-dollar, an output token 100. */
const managed = { managed: true, inputPerMillion: 1, outputPerMillion: 100, request, asksStream: true }

const costOf = (text: string, fields: Partial<CallRecord> = {}) =>
  CallOf.callOf(record(1, { ...managed, response: [bytes(text)], ...fields })).pipe(
    Effect.map(({ billed, costMicros, usage }) => ({ billed, costMicros, usage })),
    Effect.provide(Layer.merge(NodeDecoder.layer, Crypto.layer))
  )

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, ...more }] })}\n\n`

const stream = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "four" }),
  chunk({ content: "più" }),
  chunk({}, { finish_reason: "stop" })
].join("")

/** 8 bytes of text. */
const streamed = 10 + 4 * 100

const completion = (content: string, usage?: object) =>
  JSON.stringify({
    id: "chatcmpl-1",
    choices: [{ index: 0, message: { role: "assistant", content }, logprobs: {} }],
    usage
  })

const cases: ReadonlyArray<readonly [name: string, text: string, fields: Partial<CallRecord>, micros: number | null]> =
  [
    ["a stream without usage", `${stream}data: [DONE]\n\n`, { contentType: sse }, streamed],
    ["a stream that its client left", stream, { contentType: sse, outcome: "aborted" }, streamed],
    ["an answer that its client left", '{"choices":[', { outcome: "aborted" }, 10 + 6 * 100],
    ["a client that left before the first byte", "", { outcome: "aborted" }, 10],
    ["an answer without usage", completion("eight by"), {}, streamed],
    ["an answer that counts nothing", completion("eight by", { prompt_tokens: 0, completion_tokens: 0 }), {}, streamed],
    ["an answer that counts", completion("eight by", { prompt_tokens: 3, completion_tokens: 2 }), {}, 203],
    ["an answer without text that counts", completion("", { prompt_tokens: 3, completion_tokens: 0 }), {}, 3],
    ["embeddings", '{"data":[{"embedding":[1,2,3]}]}', { endpoint: "embeddings" }, 10],
    ["more than was held", completion("x".repeat(900)), { hold: "hold_1", heldMicros: 77 }, 77],
    ["an answer that cannot be unpacked", "####", { contentEncoding: "odd", hold: "hold_1", heldMicros: 9_000 }, 9_000],
    [
      "a response in the background",
      '{"object":"response","status":"queued","output":[],"usage":null}',
      { endpoint: "responses", hold: "hold_1", heldMicros: 9_000 },
      9_000
    ],
    ["a call of another source", completion("eight by"), { managed: false }, null],
    ["a model without a price", completion("eight by"), { inputPerMillion: null, outputPerMillion: null }, null]
  ]

it.effect.each(cases)("%s", ([, text, fields, micros]) =>
  Effect.gen(function* () {
    assert.strictEqual((yield* costOf(text, fields)).costMicros, micros)
  })
)

it.effect("a failed call costs nothing, whoever says that it failed", () =>
  Effect.gen(function* () {
    const failing = `${stream}data: {"error":{"message":"no"}}\n\n`
    for (const outcome of ["succeeded", "aborted", "failed"] as const) {
      assert.deepInclude(yield* costOf(failing, { contentType: sse, outcome }), { billed: false, costMicros: null })
    }
  })
)
