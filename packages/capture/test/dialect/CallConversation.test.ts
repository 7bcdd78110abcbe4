/** The same conversation gives the same row, whatever dialect it came in (contract 16.6). */
import { assert, describe, it } from "@effect/vitest"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type ConversationForms, inChat, inMessages, inResponses, talkOf } from "./Conversations.ts"

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Schema.Json

const rowOf = (endpoint: CallConversation.ConversationEndpoint, { answer, request }: ConversationForms) =>
  Result.getOrThrow(CallConversation.rowOf(endpoint, json(request), json(answer)))

const reasonOf = (endpoint: CallConversation.ConversationEndpoint, request: unknown, answer: unknown = {}) => {
  const row = CallConversation.rowOf(endpoint, json(request), json(answer))
  return Result.isFailure(row) ? row.failure : row.success
}

const hi = [{ role: "user", content: "Hi" }]
const text = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }
const response = { status: "completed", output: [text] }

describe("rows of conversations", () => {
  it("are the same in chat, Responses and Messages for 1,000 generated conversations (P1064)", () => {
    for (let seed = 0; seed < 1_000; seed++) {
      const talk = talkOf(Generator.make(seed))
      const chat = rowOf("chat.completions", inChat(talk, Generator.make(seed + 1)))
      assert.deepStrictEqual(rowOf("responses", inResponses(talk, Generator.make(seed + 2))), chat, `seed ${seed}`)
      assert.deepStrictEqual(rowOf("messages", inMessages(talk, Generator.make(seed + 3))), chat, `seed ${seed}`)
      assert.notMatch(JSON.stringify(chat), /cache_control|reasoning|thinking|toolu|strict/)
    }
  })

  it("differ where the conversations differ (P1064)", () => {
    const rows = Array.from({ length: 300 }, (_, seed) => {
      const talk = talkOf(Generator.make(seed))
      const row = (made: typeof talk) => JSON.stringify(rowOf("responses", inResponses(made, Generator.make(seed))))
      const asked = { role: "user" as const, parts: [{ text: `And now ${seed}?` }] }
      assert.notStrictEqual(row({ ...talk, turns: [...talk.turns.slice(0, -1), asked] }), row(talk))
      assert.notStrictEqual(row({ ...talk, answer: { text: "Otherwise", refusal: null, calls: [] } }), row(talk))
      return row(talk)
    })
    assert.isAbove(new Set(rows).size, 250)
  })

  it("are in the form of a chat completion, with the parts that it has", () => {
    const request = {
      instructions: "Be brief.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_file", file_id: "file_1" },
            { type: "input_text", text: "Read." }
          ]
        },
        { type: "function_call", call_id: "a", name: "map", arguments: '{ "n": 12345678901234567890 }' },
        { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "Far" }] }
      ],
      tools: [{ type: "function", name: "map", parameters: null, strict: true }, { type: "web_search" }]
    }
    assert.deepStrictEqual<unknown>(reasonOf("responses", request, response), {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "file", file: { file_id: "file_1" } },
            { type: "text", text: "Read." }
          ]
        },
        {
          role: "assistant",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "map", arguments: '{ "n": 12345678901234567890 }' } }
          ]
        },
        { role: "tool", tool_call_id: "call_1", content: "Far" }
      ],
      tools: [{ type: "function", function: { name: "map" } }],
      completion: "Hello"
    })
  })

  it("are missing for a reason where a call is no conversation on its own (P1065)", () => {
    const answered = { content: [{ type: "text", text: "Hello" }], stop_reason: "end_turn" }
    const block = (content: ReadonlyArray<unknown>) => ({ messages: [{ role: "user", content }] })
    const input = [{ type: "item_reference", id: "msg_1" }]
    const cases = [
      ["continues_stored_conversation", "responses", { input: "Hi", previous_response_id: "resp_1" }, response],
      ["continues_stored_conversation", "responses", { input: "Hi", conversation: "conv_1" }, response],
      ["continues_stored_conversation", "responses", { input }, response],
      ["stored_prompt", "responses", { input: "Hi", prompt: { id: "pmpt_1" } }, response],
      ["provider_tool", "responses", { input: "Hi" }, { ...response, output: [{ type: "web_search_call" }, text] }],
      ["not_finished", "responses", { input: "Hi", background: true }, { status: "queued", output: [] }],
      ["cut_off", "responses", { input: "Hi" }, { ...response, status: "incomplete" }],
      ["no_answer", "responses", { input: "Hi" }, { status: "failed", output: [] }],
      ["no_answer", "responses", { input: "Hi" }, {}],
      ["unreadable", "responses", { input: 1 }, response],
      ["unreadable", "responses", "Hi", response],
      ["provider_tool", "messages", { messages: hi }, { content: [{ type: "server_tool_use" }] }],
      ["not_finished", "messages", { messages: hi }, { ...answered, stop_reason: "pause_turn" }],
      ["cut_off", "messages", { messages: hi }, { ...answered, stop_reason: "max_tokens" }],
      ["no_answer", "messages", { messages: hi }, { content: [] }],
      ["no_answer", "messages", { messages: hi }, { type: "error" }],
      ["unreadable", "messages", { messages: [] }, answered],
      ["unreadable", "messages", block([{ type: "search_result" }]), answered],
      ["unreadable", "messages", block([7]), answered],
      ["cut_off", "chat.completions", { messages: hi }, { choices: [{ finish_reason: "length", message: {} }] }],
      ["no_answer", "chat.completions", { messages: hi }, { choices: [] }],
      ["unreadable", "chat.completions", { messages: [] }, { choices: [{ message: { content: "a" } }] }]
    ] as const
    for (const [reason, endpoint, request, answer] of cases) {
      assert.strictEqual(reasonOf(endpoint, request, answer), reason, JSON.stringify([request, answer]))
    }
  })
})
