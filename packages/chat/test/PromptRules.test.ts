/** What a model is sent. */
import { assert, describe, it } from "@effect/vitest"
import type { Agent } from "../src/agent/Agent.ts"
import * as PromptRules from "../src/answer/internal/PromptRules.ts"
import { ChatLimits } from "../src/Limits.ts"
import { answer, message } from "./Messages.ts"

const agent: Agent = {
  id: `agt_${"0".repeat(26)}`,
  name: "Desk",
  instructions: "Be brief.",
  source: null,
  model: null,
  handoffUrl: null,
  createdAt: 0,
  updatedAt: 0
}

const bodyOf = (fields: Partial<PromptRules.Prompt>) =>
  JSON.parse(
    new TextDecoder().decode(
      PromptRules.bodyOf({ model: "gpt", agent: null, before: [], question: "?", stream: false, ...fields })
    )
  )

describe("history", () => {
  it("is what was said and answered, oldest first; a question without an answer is left out with it", () => {
    const newestFirst = [
      answer(6, { status: "handed_off" }),
      message(5),
      answer(4, { status: "failed", text: "half" }),
      message(3),
      answer(2),
      message(1)
    ]
    assert.deepStrictEqual(PromptRules.history(newestFirst), [
      { role: "user", content: "said 1" },
      { role: "assistant", content: "said 2" },
      { role: "user", content: "said 5" },
      { role: "assistant", content: "said 6" }
    ])
  })

  it("ends where there is no more room, with the newest kept", () => {
    const half = "x".repeat(ChatLimits.historyCharactersMax / 2)
    const newestFirst = [
      answer(6, { text: half }),
      { ...message(5), text: half },
      answer(4, { text: "small" }),
      message(3)
    ]
    assert.deepStrictEqual(
      PromptRules.history(newestFirst).map(({ content }) => content.length),
      [half.length, half.length]
    )
  })
})

describe("a request", () => {
  it("has the instructions first and the question last, and nothing that was not asked for", () => {
    assert.deepStrictEqual(bodyOf({ agent, before: [answer(2), message(1)] }), {
      model: "gpt",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "said 1" },
        { role: "assistant", content: "said 2" },
        { role: "user", content: "?" }
      ]
    })
    assert.deepStrictEqual(bodyOf({ agent: { ...agent, instructions: "" } }).messages, [{ role: "user", content: "?" }])
  })

  it("offers a hand-over exactly where the agent has a place for it, and counts what is streamed", () => {
    const { tools } = bodyOf({ agent: { ...agent, handoffUrl: "https://desk.example" } })
    assert.deepStrictEqual(
      tools.map((tool: { readonly function: { readonly name: string } }) => tool.function.name),
      [PromptRules.handOffTool]
    )
    assert.notProperty(bodyOf({ agent }), "tools")
    assert.deepInclude(bodyOf({ stream: true }), { stream: true, stream_options: { include_usage: true } })
  })
})
