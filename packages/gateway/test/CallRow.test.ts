/** What a captured call teaches. */
import { assert, describe, it } from "@effect/vitest"
import * as CallRow from "@limbeck/gateway/capture/CallRow"

const user = { role: "user", content: "Ping?" }

const rowOf = (
  message: unknown,
  request: Readonly<Record<string, unknown>> = {},
  finish_reason: string | null = "stop"
) =>
  CallRow.ofCall({
    request: JSON.stringify({ model: "large", messages: [user], ...request }),
    requestIsJson: true,
    response: JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason }] }),
    responseIsJson: true
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
    const parts = { role: "assistant", content: [{ type: "text", text: "Pong." }] }
    assert.deepStrictEqual(completionOf(parts), parts)
  })

  it("the same question and answer are the same row, however they were asked for and labelled", () => {
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
    assert.isNull(rowOf(cut, {}, "length"))
    assert.isNull(rowOf(cut, {}, "content_filter"))
    assert.isNotNull(rowOf(cut, {}, null))
  })

  it("what shapes the answer is in the row", () => {
    const tools = [{ type: "function", function: { name: "weather" } }]
    const shape = { tools, tool_choice: "auto", response_format: { type: "json_object" } }
    const row = rowOf({ role: "assistant", content: "{}" }, { ...shape, functions: [] })
    assert.deepStrictEqual(JSON.parse(row ?? ""), { messages: [user], ...shape, completion: "{}" })
  })

  it("the first choice is the completion", () => {
    const response = JSON.stringify({
      choices: ["a", "b"].map((content) => ({ message: { role: "assistant", content } }))
    })
    const call = { request: JSON.stringify({ messages: [user] }), requestIsJson: true, response, responseIsJson: true }
    assert.strictEqual(JSON.parse(CallRow.ofCall(call) ?? "").completion, "a")
  })

  it("there is nothing to learn where either side is missing, and nothing throws", () => {
    const good = { request: '{"messages":[{}]}', requestIsJson: true, response: "{}", responseIsJson: true }
    const answered = '{"choices":[{"message":{"content":"a"}}]}'
    const deep = `{"messages":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`
    const cases = [
      good,
      { ...good, response: null },
      { ...good, response: "{" },
      { ...good, response: "[]" },
      { ...good, response: '{"choices":{}}' },
      { ...good, response: '{"choices":[null]}' },
      { ...good, response: '{"choices":[{"message":{"content":null,"tool_calls":[]}}]}' },
      { ...good, response: answered, responseIsJson: false },
      { ...good, response: answered, requestIsJson: false },
      { ...good, response: answered, request: "{}" },
      { ...good, response: answered, request: "null" },
      { ...good, response: answered, request: '{"messages":[]}' },
      { ...good, response: answered, request: '{"messages":"a"}' },
      { ...good, response: answered, request: "{" },
      { ...good, response: answered, request: deep }
    ]
    for (const call of cases) assert.isNull(CallRow.ofCall(call), call.request.slice(0, 80))
    assert.isNotNull(CallRow.ofCall({ ...good, response: answered }))
  })
})
