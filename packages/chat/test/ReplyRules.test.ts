/** What a completion means for its message. */
import { assert, describe, it } from "@effect/vitest"
import type { Completion } from "@limbeck/capture/source/Completion"
import type { Agent } from "../src/agent/Agent.ts"
import { AnswerReader } from "../src/answer/internal/AnswerReader.ts"
import { replyOf } from "../src/answer/internal/ReplyRules.ts"

const agent = (handoffUrl: string | null): Agent => ({
  id: `agt_${"0".repeat(26)}`,
  name: "Desk",
  instructions: "",
  source: null,
  model: null,
  handoffUrl,
  createdAt: 0,
  updatedAt: 0
})

const reply = (completion: Partial<Completion>, handoffUrl: string | null = null) =>
  replyOf(
    { text: null, refusal: null, toolCalls: [], usage: {}, ...completion },
    { agent: agent(handoffUrl), call: "call_1", conversation: "conv_1" }
  )

const handOff = (args: string) => ({ toolCalls: [{ name: "hand_off", arguments: args }] })
const desk = "https://desk.example/new"

describe("a completion", () => {
  it("with a text is an answer, an empty one too; a refusal is one in place of a text", () => {
    assert.deepStrictEqual(reply({ text: "Yes" }), { _tag: "Answered", text: "Yes", call: "call_1" })
    assert.deepInclude(reply({ text: "" }), { _tag: "Answered", text: "" })
    assert.deepInclude(reply({ refusal: "I may not" }), { _tag: "Answered", text: "I may not" })
  })

  it("without a text is none", () => {
    assert.isUndefined(reply({}))
    assert.isUndefined(reply({ toolCalls: [{ name: "search", arguments: "{}" }] }, desk))
    // Nobody offered it.
    assert.isUndefined(reply(handOff("{}")))
  })

  it.each([
    ['{"reason":"A refund"}', "A refund"],
    ['{"reason":7}', ""],
    ["[]", ""],
    ["no JSON", ""],
    ["", ""]
  ])("that hands over with %s says %s, at the agent's place", (args, text) => {
    const url = `${desk}?conversation=conv_1`
    assert.deepStrictEqual(reply(handOff(args), desk), { _tag: "HandedOff", text, call: "call_1", url })
  })

  it("that hands over with a text keeps it", () => {
    assert.deepInclude(reply({ ...handOff("{}"), text: "One moment" }, desk), { _tag: "HandedOff", text: "One moment" })
  })
})

describe("a stream", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const chunk = (content: unknown) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

  it("is read wherever its bytes are cut, and what is no text of the first choice adds nothing", () => {
    const odd = 'data: {"choices":[]}\n\ndata: oops\n\n: comment\n\ndata: [DONE]\n\n'
    const whole = bytes(`${chunk("Grüß ")}${chunk(null)}${odd}${chunk("Gott 🌧️")}`)
    for (const size of [1, 2, 3, 7, whole.length]) {
      const reader = new AnswerReader("text/event-stream; charset=utf-8")
      let text = ""
      for (let at = 0; at < whole.length; at += size) text += reader.add(whole.subarray(at, at + size))
      assert.strictEqual(text, "Grüß Gott 🌧️")
      assert.strictEqual(reader.bytes, whole.length)
    }
  })

  it("is none where the type says so", () => {
    assert.strictEqual(new AnswerReader("application/json").add(bytes(chunk("text"))), "")
    assert.strictEqual(new AnswerReader(undefined).add(bytes(chunk("text"))), "")
  })
})
