/** What a captured call teaches. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import * as CallRow from "../../src/dataset/internal/CallRow.ts"
import * as TrafficWeights from "../../src/dataset/internal/TrafficWeights.ts"

const user = { role: "user", content: "Ping?" }

const bodies = {
  endpoint: "chat.completions",
  request: '{"messages":[{}]}',
  requestIsJson: true,
  response: '{"choices":[{"message":{"content":"a"}}]}',
  responseIsJson: true,
  truncated: false,
  servedBy: "upstream"
} as const

const lineOf = (call: Parameters<typeof CallRow.reading>[0]) => Turns.atOnce(CallRow.reading(call, TrafficWeights.none))

/** The row's text without its weight, which is 1; the reason where there is none. */
const rowOfCall = (call: Parameters<typeof CallRow.reading>[0]): string | null => {
  const line = lineOf(call)
  if (CallRow.isUnsupported(line)) return line.reason
  assert.isTrue("text" in line)
  return "text" in line && line.text !== null ? line.text.replace(/,"weight":1\}$/, "}") : null
}

const rowOf = (
  message: unknown,
  request: Readonly<Record<string, unknown>> = {},
  finish_reason: string | null = "stop"
) =>
  rowOfCall({
    ...bodies,
    request: JSON.stringify({ model: "large", messages: [user], ...request }),
    response: JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason }] })
  })

const completionOf = (message: unknown): unknown => JSON.parse(rowOf(message) ?? "{}").completion

describe("CallRow", () => {
  it("a message that is only text is its text, whatever empty members came with it", () => {
    const bare = { role: "assistant", content: "Pong." }
    assert.strictEqual(completionOf(bare), "Pong.")
    const dressed = { ...bare, refusal: null, annotations: [], tool_calls: [], audio: null, function_call: null }
    assert.strictEqual(completionOf(dressed), "Pong.")
    assert.strictEqual(completionOf({ ...bare, id: "msg_1", reasoning_content: "Hm." }), "Pong.")
    assert.strictEqual(completionOf({ ...bare, content: "" }), "")
  })

  it("a message that is more, or other than text stays a message", () => {
    const tool_calls = [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }]
    const calling = { role: "assistant", content: null, tool_calls }
    assert.deepStrictEqual(completionOf(calling), { role: "assistant", tool_calls })
    const both = { role: "assistant", content: "Let me see.", tool_calls }
    assert.deepStrictEqual(completionOf(both), both)
    const refusing = { role: "assistant", content: null, refusal: "No." }
    assert.deepStrictEqual(completionOf(refusing), { role: "assistant", refusal: "No." })
    const parts = {
      role: "assistant",
      content: [
        { type: "text", text: "Pong" },
        { type: "text", text: "." }
      ]
    }
    assert.strictEqual(completionOf(parts), "Pong.")
  })

  it("the same question and answer are the same row, however they were asked for and labelled (P63)", () => {
    const message = { role: "assistant", content: "Pong." }
    const plain = rowOf(message)
    const tuned = rowOf(message, {
      model: "other",
      temperature: 0.1,
      stream: true,
      user: "u",
      metadata: { a: "b" },
      n: 1
    })
    assert.strictEqual(tuned, plain)
    assert.deepStrictEqual(JSON.parse(plain ?? ""), { messages: [user], completion: "Pong." })
  })

  it("an answer that was cut off teaches nothing", () => {
    const cut = { role: "assistant", content: "Po" }
    assert.strictEqual(rowOf(cut, {}, "length"), "cut_off")
    assert.strictEqual(rowOf(cut, {}, "content_filter"), "cut_off")
    assert.include(rowOf(cut, {}, null), "Po")
  })

  it("what shapes the answer is in the row", () => {
    const tools = [{ type: "function", function: { name: "weather" } }]
    const shape = { tools, tool_choice: "required", response_format: { type: "json_object" } }
    const row = rowOf({ role: "assistant", content: "{}" }, { ...shape, functions: [] })
    assert.deepStrictEqual(JSON.parse(row ?? ""), { messages: [user], ...shape, completion: "{}" })
  })

  it("the first choice is the completion", () => {
    const response = JSON.stringify({
      choices: ["a", "b"].map((content) => ({ message: { role: "assistant", content } }))
    })
    const call = { ...bodies, request: JSON.stringify({ messages: [user] }), response }
    assert.strictEqual(JSON.parse(rowOfCall(call) ?? "").completion, "a")
  })

  it("there is nothing to learn where either side is missing, and nothing throws", () => {
    const good = { ...bodies, response: "{}" }
    const answered = '{"choices":[{"message":{"content":"a"}}]}'
    const cases = [
      [good, "no_answer"],
      [{ ...good, response: null }, "no_answer"],
      [{ ...good, response: "{" }, "unreadable"],
      [{ ...good, response: "[]" }, "unreadable"],
      [{ ...good, response: '{"choices":{}}' }, "no_answer"],
      [{ ...good, response: '{"choices":[null]}' }, "no_answer"],
      [{ ...good, response: '{"choices":[{"message":{"content":null,"tool_calls":[]}}]}' }, "no_answer"],
      [{ ...good, response: answered, responseIsJson: false }, "unreadable"],
      [{ ...good, response: answered, requestIsJson: false }, "unreadable"],
      [{ ...good, response: answered, request: "{}" }, "unreadable"],
      [{ ...good, response: answered, request: "null" }, "unreadable"],
      [{ ...good, response: answered, request: '{"messages":[]}' }, "unreadable"],
      [{ ...good, response: answered, request: '{"messages":"a"}' }, "unreadable"],
      [{ ...good, response: answered, request: "{" }, "unreadable"],
      [{ ...good, endpoint: "embeddings" as const }, "embedding"],
      [{ ...good, endpoint: "decisions" as const }, "unreadable"],
      [{ ...good, endpoint: "completions" as const }, "legacy_completion"]
    ] as const
    for (const [call, reason] of cases) {
      assert.deepStrictEqual(lineOf(call), { reason, calls: 1 }, call.request.slice(0, 80))
    }
    assert.isString(rowOfCall({ ...good, response: answered }))
  })

  it("what was cut, nests too deep or has too many members is no row, and is told apart", () => {
    const nested = (levels: number) => `{"messages":[${"[".repeat(levels)}${"]".repeat(levels)}]}`
    const listing = (items: number) => `{"messages":[{}],"x":[${"0,".repeat(items - 1)}0]}`
    assert.isString(rowOfCall({ ...bodies, request: nested(998) }))
    assert.isString(rowOfCall({ ...bodies, request: listing(99_997) }))
    const cases = [
      { ...bodies, truncated: true },
      { ...bodies, request: nested(999) },
      { ...bodies, request: nested(100_000) },
      { ...bodies, request: listing(99_998) },
      { ...bodies, response: listing(1_000_000) }
    ]
    for (const call of cases) assert.isNull(rowOfCall(call))
  })
})
