import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as Schema from "effect/Schema"
import * as PromptKey from "../../src/dataset/internal/PromptKey.ts"

const digest = Uint8Array.from({ length: 8 }, (_, index) => index)
const rowOf = (content: NonNullable<Row["messages"][number]["content"]>, completion = "x"): Row => ({
  messages: [{ role: "user", content }],
  completion
})
const keyOf = (row: Row, own = digest) => Buffer.from(Turns.atOnce(PromptKey.keySteps(row, () => own))).toString("hex")

describe("PromptKey", () => {
  it("case, white space, punctuation and Unicode forms make no other prompt, and neither does the completion", () => {
    const same = [
      "What is a still?",
      "what is a  still",
      "WHAT IS\r\nA STILL!?",
      " “What” is: a still… ",
      "Ｗhat is a still"
    ]
    assert.strictEqual(new Set(same.map((text) => keyOf(rowOf(text)))).size, 1)
    assert.strictEqual(keyOf(rowOf("cafe\u0301")), keyOf(rowOf("café")))
    assert.strictEqual(keyOf(rowOf("a", "x")), keyOf(rowOf("a", "y")))
    assert.strictEqual(keyOf(rowOf([{ type: "text", text: "A." }])), keyOf(rowOf("a")))
    const asMessages: Row = {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "x" }
      ]
    }
    assert.strictEqual(keyOf(asMessages), keyOf(rowOf("a")))
  })

  it("words, digits, symbols, roles, images and tool calls do", () => {
    const image = (url: string) => [{ type: "image_url", image_url: { url } }]
    const others = [
      rowOf("ticket 1"),
      rowOf("ticket 2"),
      rowOf("tickets 1"),
      rowOf("1.5"),
      rowOf("15"),
      rowOf("2 + 2"),
      rowOf("2 = 2"),
      rowOf("🙂"),
      rowOf("🙃"),
      rowOf(image("a")),
      rowOf(image("b")),
      { messages: [{ role: "system", content: "ticket 1" }], completion: "x" },
      {
        messages: [
          { role: "user", content: "ticket" },
          { role: "user", content: "1" }
        ],
        completion: "x"
      },
      { messages: [{ role: "user", tool_calls: [{ id: "1" }] }], completion: "x" }
    ] satisfies ReadonlyArray<Row>
    assert.strictEqual(new Set(others.map((row) => keyOf(row))).size, others.length)
  })

  it("a prompt that says nothing has the key of its row", () => {
    const other = digest.toReversed()
    for (const empty of ["", "?!", " \n", [], null]) {
      const row = rowOf(empty as never)
      assert.notStrictEqual(keyOf(row), keyOf(row, other))
    }
  })

  it("keys are pinned: a change of them would move rows between versions (P24)", () =>
    assert.deepStrictEqual(
      ["a", "What is a still?", "é".repeat(1_000)].map((text) => keyOf(rowOf(text))),
      ["2f8473d685f153a0", "828eb19c61011ae1", "4c64b12a4e9eadcf"]
    ))

  it("a long text folds piece by piece as it folds whole", () => {
    const words = Array.from({ length: 20_000 }, (_, n) => `${["Größe", "ÉTÉ", "x-y", "12", "  ", "ﬁn", "…"][n % 7]} `)
    const text = words.join("")
    assert.strictEqual(keyOf(rowOf(text)), keyOf(rowOf(PromptKey.fold(text))))
    assert.notStrictEqual(keyOf(rowOf(text)), keyOf(rowOf(text.replaceAll("12", "13"))))
  })

  it.prop("text of ASCII alone folds as all text does", { text: Schema.String }, ({ text }) => {
    const ascii = text.replace(/[^\p{ASCII}]/gu, ".")
    // An additional non-ASCII letter selects the general path.
    assert.strictEqual(keyOf(rowOf(`x ${ascii} e`)), keyOf(rowOf(`x ${ascii}\u00a0e`)))
    assert.strictEqual(keyOf(rowOf(`x${ascii}`)), keyOf(rowOf(PromptKey.fold(`x${ascii}`))))
  })

  it("no two of many prompts share a key, and their bits are spread", () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => keyOf(rowOf(`ticket ${index}`)))
    assert.strictEqual(new Set(keys).size, keys.length)
    const heads = Map.groupBy(keys, (key) => key[0])
    for (const { length } of heads.values()) assert.closeTo(length, keys.length / 16, 300)
  })
})
