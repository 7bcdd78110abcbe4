/** The stored form of a call: parsed where possible, kept otherwise, and charged where used. */
import { createHash } from "node:crypto"
import * as zlib from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import * as CallRecords from "@limbeck/testing/fixtures/CallRecords"
import { streams } from "@limbeck/testing/fixtures/streams/Corpus"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CallOf from "../src/call/CallOf.ts"
import type { CallRecord } from "../src/call/CallRecord.ts"
import * as Assembler from "../src/call/internal/Assembler.ts"
import { CaptureLimits } from "../src/Limits.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const sse = "text/event-stream; charset=utf-8"

const record = (fields: Partial<CallRecord> = {}): CallRecord =>
  CallRecords.record(1, {
    sourceName: "teacher",
    tags: ["a"],
    createdAt: 5,
    latencyMillis: 12.4,
    firstTokenMillis: 3.6,
    request: bytes('{"model": "gpt"}'),
    response: [bytes("{}")],
    ...fields
  })

const answered = (text: string, fields: Partial<CallRecord> = {}) => record({ response: [bytes(text)], ...fields })

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const packings = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  "deflate, without its frame": zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync
}

const world = Layer.merge(NodeDecoder.layer, Crypto.layer)

layer(world)("a captured call", (it) => {
  it.effect("says the same of bodies that are long, and has their very text (P135)", () =>
    Effect.gen(function* () {
      const long = JSON.stringify("x\\\n".repeat(CaptureLimits.parsedBytesMax))
      const request = `{"stream": false, "messages": [{"stream": true}], "long": ${long}, "\\u0073tream": true}`
      const response = `{"long": ${long}, "n": 12345678901234567890, "usage": {"prompt_tokens": 3, "completion_tokens": 2}}`
      const call = yield* CallOf.callOf(answered(response, { request: bytes(request) }))
      // Asserts without printing the texts.
      assert.isTrue(call.request === request && call.response === response)
      assert.deepInclude(call, {
        requestIsJson: true,
        responseIsJson: true,
        truncated: false,
        usage: { inputTokens: 3, outputTokens: 2 }
      })
      const streamed = yield* CallOf.callOf(record({ request: bytes(request), response: [] }))
      assert.isTrue(streamed.streamed)
      const broken = yield* CallOf.callOf(answered(response.slice(0, -1), { request: bytes(`${request}]`) }))
      assert.deepInclude(broken, { requestIsJson: false, responseIsJson: false, usage: null, truncated: false })
    })
  )

  it.effect(
    "keeps the text of a stream with an event that is too large to be parsed, and counts its usage (P804)",
    () =>
      Effect.gen(function* () {
        const large = `data: {"choices":[${Array(50_000).fill('{"a":1}').join(",")}]}\n\n`
        const stream = `${large}data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n`
        const call = yield* CallOf.callOf(answered(stream, { contentType: sse }))
        assert.isTrue(call.response === stream)
        assert.deepInclude(call, {
          responseIsJson: false,
          streamed: true,
          assemblerVersion: null,
          usage: { inputTokens: 3, outputTokens: 2 }
        })
      })
  )

  it.effect("makes the same of a long stream as of its parts: texts, members and odd names (P804)", () =>
    Effect.gen(function* () {
      const delta = {
        content: 'x"\\\n\u0000é'.repeat(50_000),
        deep: [[{ __proto__: null, a: [] }], null, 1.5, true, {}]
      }
      const odd = JSON.stringify({ id: "c", choices: [{ index: 0, delta }] }).replace('"deep"', '"__proto__"')
      const call = yield* CallOf.callOf(answered(`data: ${odd}\n\ndata: [DONE]\n\n`, { contentType: sse }))
      const { completion } = Assembler.assemble("chat.completions", `data: ${odd}\n\n`) ?? {}
      assert.isTrue(call.response === JSON.stringify(completion))
      assert.include(call.response ?? "", '"__proto__":[[')
    })
  )

  it.effect("is the same whether its request was read when it came, or is read when it is stored (P433)", () =>
    Effect.gen(function* () {
      for (const [request, asksStream] of [
        ['{"stream": true, "n": 1.0}', true],
        ['\ufeff{"stream": "true"}', false],
        ["[1]", false],
        ["null", false]
      ] as const) {
        for (const response of [[], [bytes('{"usage": {"prompt_tokens": 1}}')], [bytes('data: {"choices": []}\n\n')]]) {
          const fields = { request: bytes(request), contentType: null, response }
          const unread = yield* CallOf.callOf(record(fields))
          assert.deepStrictEqual(yield* CallOf.callOf(record({ ...fields, asksStream })), unread)
          assert.isTrue(unread.requestIsJson)
        }
      }
    })
  )

  it.effect("has the very text of a JSON answer, and of the request", () =>
    Effect.gen(function* () {
      const request = '{ "model":"gpt", "n": 1.0, "é": "\\u00e9\\u0000" }'
      const response = '{"id": 12345678901234567890,\n "a": "\\ud83d"}'
      const call = yield* CallOf.callOf(answered(response, { request: bytes(request) }))
      assert.strictEqual(call.request, request)
      assert.strictEqual(call.response, response)
      assert.deepInclude(call, {
        requestIsJson: true,
        responseIsJson: true,
        streamed: false,
        assemblerVersion: null,
        latencyMillis: 12,
        firstTokenMillis: 4,
        usage: null,
        costMicros: null
      })
    })
  )

  it.effect("keeps as text what is no JSON, and says so", () =>
    Effect.gen(function* () {
      const call = yield* CallOf.callOf(answered("<html>", { request: bytes("[not json"), contentType: "text/html" }))
      assert.deepInclude(call, {
        request: "[not json",
        requestIsJson: false,
        response: "<html>",
        responseIsJson: false
      })
      const cut = yield* CallOf.callOf(answered('{"id":"chatc', { outcome: "aborted" }))
      assert.deepInclude(cut, { response: '{"id":"chatc', responseIsJson: false, outcome: "aborted" })
      const strange = yield* CallOf.callOf(record({ response: [new Uint8Array([0x41, 0xff, 0x00, 0x42])] }))
      assert.deepInclude(strange, { response: "A\ufffd\u0000B", responseIsJson: false })
    })
  )

  it.effect("has no answer where none came", () =>
    Effect.gen(function* () {
      for (const response of [[], [new Uint8Array(0)]]) {
        const streaming = { request: bytes('{"stream":true}'), statusCode: null, contentType: null, response }
        const call = yield* CallOf.callOf(record({ ...streaming, outcome: "failed" }))
        assert.deepInclude(call, { response: null, responseIsJson: false, streamed: true, usage: null })
      }
    })
  )

  it.effect("has a stream put together, wherever its pieces end (P72)", () =>
    Effect.gen(function* () {
      for (const { endpoint, failed, name, text, whole } of streams) {
        const sent = bytes(text)
        const each = Array.from(sent, (_, at) => sent.subarray(at, at + 1))
        const call = yield* CallOf.callOf(record({ endpoint, response: each, contentType: sse }))
        assert.deepStrictEqual(JSON.parse(call.response ?? ""), whole, name)
        assert.deepInclude(call, {
          streamed: true,
          responseIsJson: true,
          assemblerVersion: Assembler.assemblerVersion,
          outcome: failed ? "failed" : "succeeded"
        })
      }
    })
  )

  it.effect("has what came of a stream that broke off, wherever that was (P72)", () =>
    Effect.gen(function* () {
      const [stream] = streams.filter(({ name }) => name.startsWith("letters of many bytes"))
      const sent = bytes(stream?.text ?? "")
      let longest = ""
      for (let length = 1; length <= sent.length; length++) {
        const response = [sent.subarray(0, length)]
        const call = yield* CallOf.callOf(record({ response, contentType: sse, outcome: "aborted" }))
        assert.strictEqual(call.outcome, "aborted")
        if (!call.responseIsJson) continue
        const { content } = JSON.parse(call.response ?? "").choices[0].message
        assert.isTrue((content ?? "").startsWith(longest))
        longest = content ?? ""
      }
      assert.include(longest, "東京")
    })
  )

  it.effect("keeps as text a stream that holds nothing of its endpoint", () =>
    Effect.gen(function* () {
      for (const text of [
        "data: [DONE]\n\n",
        ": nothing\n\n",
        'data: {"type":"message_start"}\n\n',
        "no stream at all"
      ]) {
        const call = yield* CallOf.callOf(answered(text, { contentType: sse }))
        assert.deepInclude(call, { streamed: true, response: text, responseIsJson: false, assemblerVersion: null })
      }
    })
  )

  it.effect("knows a stream that was asked for, whatever its type says", () =>
    Effect.gen(function* () {
      const [stream] = streams
      const asked = { contentType: "application/octet-stream", request: bytes('{"stream":true}') }
      const call = yield* CallOf.callOf(answered(stream?.text ?? "", asked))
      assert.deepStrictEqual(JSON.parse(call.response ?? ""), stream?.whole)
      const refused = yield* CallOf.callOf(answered('{"error":{}}', { ...asked, statusCode: 400, outcome: "failed" }))
      assert.deepInclude(refused, { response: '{"error":{}}', responseIsJson: true, assemblerVersion: null })
    })
  )

  it.effect("is cut where it takes more bytes than are stored, and says so (P119)", () =>
    Effect.gen(function* () {
      const most = CaptureLimits.storedBodyBytesMax
      const nuls = yield* CallOf.callOf(record({ request: new Uint8Array(15 * 2 ** 20) }))
      assert.deepInclude(nuls, { truncated: true, requestIsJson: false, response: "{}", responseIsJson: true })
      // No text: the beginning tells what it is.
      assert.strictEqual(nuls.request, "\0".repeat(CaptureLimits.parsedBytesMax))
      const packedNuls = record({ contentEncoding: "gzip", response: [zlib.gzipSync(Buffer.alloc(300_000))] })
      const none = yield* CallOf.callOf(packedNuls)
      assert.deepInclude(none, { truncated: true, response: nuls.request, responseIsJson: false })
      // Invalid UTF-8 is replaced by three bytes.
      const noText = yield* CallOf.callOf(record({ request: new Uint8Array(15 * 2 ** 20).fill(0xff) }))
      assert.isTrue(noText.truncated && bytes(noText.request).length <= most)
      const packed = zlib.gzipSync(Buffer.alloc(64 * 2 ** 20, "é"))
      const unpacked = yield* CallOf.callOf(record({ contentEncoding: "gzip", response: [packed] }))
      assert.isTrue(unpacked.truncated && bytes(unpacked.response ?? "").length <= most && !unpacked.responseIsJson)
      const whole = JSON.stringify({ messages: ["ü".repeat(8 * 2 ** 20 - 16)] })
      const kept = yield* CallOf.callOf(record({ request: bytes(whole) }))
      assert.isTrue(!kept.truncated && kept.requestIsJson && kept.request === whole)
      // A record of an earlier version, without `isCut`.
      const full = record({ response: [new Uint8Array(CaptureLimits.capturedBytesMax).fill(0x20)] })
      assert.isTrue((yield* CallOf.callOf(full)).truncated)
      assert.isFalse((yield* CallOf.callOf({ ...full, isCut: false })).truncated)
    })
  )

  it.effect("is unpacked, whatever it was packed with (P74)", () =>
    Effect.gen(function* () {
      const [stream] = streams
      for (const [coding, pack] of Object.entries(packings)) {
        const contentEncoding = coding.split(",")[0] ?? ""
        const packed = { contentEncoding, contentType: sse, response: [pack(stream?.text ?? "")] }
        const call = yield* CallOf.callOf(record(packed))
        assert.deepStrictEqual(JSON.parse(call.response ?? ""), stream?.whole, coding)
      }
      const twice = zlib.brotliCompressSync(zlib.gzipSync('{"a":1}'))
      const call = yield* CallOf.callOf(record({ contentEncoding: "GZIP, identity, br", response: [twice] }))
      assert.strictEqual(call.response, '{"a":1}')
    })
  )

  it.effect("has what can be unpacked of what broke off or is damaged, and is kept where that is nothing", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 100_000 }, (_, number) => `${(number * 7_919) % 104_729} `).join("")
      for (const [coding, pack] of Object.entries(packings)) {
        const contentEncoding = coding.split(",")[0] ?? ""
        const packed = Buffer.from(pack(text))
        const half = packed.subarray(0, packed.length / 2)
        const cut = yield* CallOf.callOf(record({ contentEncoding, response: [half] }))
        assert.isAbove(cut.response?.length ?? 0, 1_000, coding)
        assert.isTrue(text.startsWith(cut.response ?? ""), coding)
      }
      for (const contentEncoding of ["gzip", "br", "zstd", "compress", "__proto__"]) {
        const call = yield* CallOf.callOf(answered('{"a":1}', { contentEncoding }))
        assert.strictEqual(call.response, '{"a":1}', contentEncoding)
      }
    })
  )

  it.effect("never fails, whatever the bytes (P74)", () =>
    Effect.gen(function* () {
      const codings = [null, "", "gzip", "deflate", "br", "zstd", "br, gzip", "nonsense"]
      for (let round = 0; round < 800; round++) {
        const noise = createHash("sha512")
          .update(`${round}`)
          .digest()
          .subarray(0, round % 65)
        const contentType = round % 2 === 0 ? sse : null
        const contentEncoding = codings[(round >> 1) % codings.length] ?? null
        const junk = { contentType, contentEncoding, request: noise, response: [noise, noise] }
        const call = yield* CallOf.callOf(record({ ...junk, model: "a".repeat(round) }))
        assert.isAtMost(call.model?.length ?? 0, 255)
        assert.strictEqual(call.responseIsJson, isJson(call.response ?? ""))
      }
      const nested = `data: {"choices":[{"delta":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}]}\n\n`
      const deep = yield* CallOf.callOf(answered(nested, { contentType: sse }))
      assert.deepInclude(deep, { response: nested, responseIsJson: false })
    })
  )
})

describe("what a call used", () => {
  const usageOf = (usage: unknown, fields: Partial<CallRecord> = {}) =>
    Effect.provide(CallOf.callOf(answered(JSON.stringify({ usage }), fields)), world)

  it.effect("is what the upstream counts, by either pair of names", () =>
    Effect.gen(function* () {
      const cases = [
        [{ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }, [11, 3]],
        [{ input_tokens: 5, output_tokens: 7, total_tokens: 12 }, [5, 7]],
        [{ prompt_tokens: 8, total_tokens: 8 }, [8, 0]],
        [{ prompt_tokens: 0, completion_tokens: 0 }, [0, 0]],
        [{ total_tokens: 8 }, null],
        [{ prompt_tokens: "8" }, null],
        [{ prompt_tokens: -1, completion_tokens: 1 }, null],
        [{ prompt_tokens: 1e300, completion_tokens: 1 }, null],
        [null, null],
        [[], null]
      ] as const
      for (const [usage, expected] of cases) {
        const call = yield* usageOf(usage)
        const counted = call.usage === null ? null : [call.usage.inputTokens, call.usage.outputTokens]
        assert.deepStrictEqual(counted, expected === null ? null : [...expected], JSON.stringify(usage))
      }
    })
  )

  it.effect("costs what the source's prices say, in whole micro-dollars", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 1_001, completion_tokens: 300 }
      const cases = [
        [2.5, 10, 5_503],
        [0.15, null, 150],
        [null, 0.6, 180],
        [0, 0, 0],
        [null, null, null]
      ] as const
      for (const [inputPerMillion, outputPerMillion, micros] of cases) {
        const call = yield* usageOf(usage, { inputPerMillion, outputPerMillion })
        assert.strictEqual(call.costMicros, micros)
      }
      assert.isNull((yield* usageOf(null, { inputPerMillion: 1, outputPerMillion: 1 })).costMicros)
    })
  )

  it.effect("is billed where a managed source answered a live call, and nowhere else", () =>
    Effect.gen(function* () {
      const managed = { managed: true }
      const test = { partition: "ws_00000000000000000000000001.test" }
      assert.isTrue((yield* usageOf(null, managed)).billed)
      assert.isFalse((yield* usageOf(null, { ...managed, outcome: "failed" })).billed)
      // The client has left: while the source answered, or before.
      assert.isTrue((yield* usageOf(null, { ...managed, outcome: "aborted" })).billed)
      assert.isFalse((yield* usageOf(null, { ...managed, outcome: "aborted", statusCode: null })).billed)
      assert.isFalse((yield* usageOf(null, { ...managed, ...test })).billed)
      assert.isFalse((yield* usageOf(null)).billed)
      const broken = answered('data: {"error":{"message":"no"}}\n\n', { ...managed, contentType: sse })
      const call = yield* Effect.provide(CallOf.callOf(broken), world)
      assert.deepInclude(call, { billed: false, outcome: "failed" })
    })
  )
})
