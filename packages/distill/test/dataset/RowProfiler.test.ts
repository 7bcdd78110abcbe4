import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import { exampleOf, textOf, tokensOf } from "@limbeck/distill/dataset/RowText"

const row = (prompt: string, completion: NonNullable<Row["completion"]>): Row => ({
  messages: [{ role: "user", content: prompt }],
  completion
})

const profile = (rows: ReadonlyArray<Row>) => RowProfiler.profileOf(rows.reduce(RowProfiler.add, RowProfiler.begin()))

describe("RowProfiler", () => {
  it("the order of rows does not matter", () => {
    const rows = [
      row("a", "x"),
      row("bb", '{"a":1}'),
      row("ccc", "y"),
      row("d", { role: "assistant", tool_calls: [1] })
    ]
    assert.deepStrictEqual(profile(rows.toReversed()), profile(rows))
  })

  it("few short completions are labels, sorted; many, long or empty ones are not", () => {
    assert.deepStrictEqual(profile([row("a", "yes"), row("b", "no"), row("c", "yes")]).labels, ["no", "yes"])
    const many = (count: number) => Array.from({ length: count }, (_, index) => row("a", `label ${index}`))
    assert.strictEqual(profile(many(64)).labels?.length, 64)
    assert.isNull(profile(many(65)).labels)
    assert.isNull(profile([row("a", "yes"), row("b", "y".repeat(101)), row("c", "yes")]).labels)
    assert.isNull(profile([row("a", "yes"), row("b", { role: "assistant", tool_calls: [] })]).labels)
  })

  it("a few odd completions leave the labels as they are, and are counted; so are other writings (P200)", () => {
    const rows = [...Array.from({ length: 40 }, () => row("a", "yes")), row("b", "Yes."), row("c", "x".repeat(200))]
    assert.deepStrictEqual(profile(rows).labels, ["yes"])
    assert.deepStrictEqual(profile(rows).answers, { odd: 1, variants: 1 })
  })

  it("JSON objects and arrays are structure; numbers, broken JSON and prose are none", () => {
    const completions = ['{"a":1}', " [1]\n", "7", "{a}", "[see above]", "true"]
    assert.strictEqual(profile(completions.map((text) => row("a", text))).structured, 2)
  })

  it("more than one user turn before the completion is a conversation", () => {
    const turn = (content: string) => [
      { role: "user", content },
      { role: "assistant", content }
    ]
    const turns = (count: number): Row => ({
      messages: [
        { role: "system", content: "x" },
        ...Array.from({ length: count }, (_, index) => turn(`${index}`)).flat()
      ]
    })
    assert.strictEqual(profile([turns(1), turns(2), turns(3)]).multiTurn, 2)
  })

  it("tools count wherever they are used", () => {
    const called: Row = {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", tool_calls: [{ id: "1" }] }
      ]
    }
    const answered: Row = { messages: [{ role: "tool", content: "4" }], completion: "four" }
    assert.strictEqual(profile([called, answered, row("a", "b")]).toolUse, 2)
  })

  it("tokens are a quarter of the bytes, rounded up per message", () => {
    const { completionTokens, longestTokens, promptTokens } = profile([row("12345", "1234"), row("ü", "")])
    assert.deepStrictEqual(
      { completionTokens, longestTokens, promptTokens },
      {
        promptTokens: 2 + 1,
        completionTokens: 1,
        longestTokens: 3
      }
    )
  })
})

describe("RowText", () => {
  it("without a completion the last message is it", () => {
    const messages: Row["messages"] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" }
    ]
    const { completion, prompt } = exampleOf({ messages })
    assert.deepStrictEqual([prompt.length, textOf(completion)], [1, "b"])
    assert.strictEqual(exampleOf({ messages, completion: "c" }).prompt.length, 2)
  })

  it("the text of parts is that of their texts, and tool calls count as tokens", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "image_url", image_url: { url: "…" } },
      { type: "text", text: "b" }
    ]
    assert.strictEqual(textOf({ role: "user", content: parts }), "a\nb")
    assert.strictEqual(tokensOf({ role: "assistant", content: null, tool_calls: [{ id: "1" }] }), 3)
  })
})
