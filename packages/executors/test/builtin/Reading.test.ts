import { assert, describe, it } from "@effect/vitest"
import * as Reading from "../../src/builtin/internal/Reading.ts"
import type { Turn } from "../../src/builtin/internal/Text.ts"
import { examples } from "./Sets.ts"

const texts = examples(60).map(({ turns }) => turns.at(-1)!.text)
const rules = "Rule: answer with one of the labels only. ".repeat(500)

const wrappings: Readonly<Record<string, (text: string) => ReadonlyArray<Turn>>> = {
  alone: (text) => [{ role: "user", text }],
  system: (text) => [
    { role: "system", text: rules },
    { role: "user", text }
  ],
  "in front and behind": (text) => [{ role: "user", text: `${rules}\nMessage: ${text}\n\nLabel, please:` }],
  "a question last": (text) => [
    { role: "user", text },
    { role: "assistant", text: "I have read it." },
    { role: "user", text: "Which of the labels is it?" }
  ]
}

const requestOf = (turns: ReadonlyArray<Turn>) => turns.find(({ role }) => role === "user")?.text.trim()

describe("Reading", () => {
  it("what all rows say alike is left out wherever it stands, so the student reads the same of each wrapping (P204)", () => {
    for (const [name, wrap] of Object.entries(wrappings)) {
      const template = Reading.find(texts.map(wrap))
      for (const text of [...texts, "a new one"]) {
        const { isCut, isFramed, turns } = Reading.read(wrap(text), template, 16_384)
        assert.deepStrictEqual([requestOf(turns), isCut, isFramed], [text.trim(), false, true], name)
      }
    }
  })

  it("half a word is not cut, a few odd rows do not matter, and few rows have no template", () => {
    const words = texts.map((text, index) => [{ role: "user", text: `Is it spam${index % 2 ? "my" : "bot"}? ${text}` }])
    assert.strictEqual(Reading.find(words).prefix, "Is it ")
    const odd = [...texts.map(wrappings["in front and behind"]!), wrappings["alone"]!("another")]
    assert.isAbove(Reading.find(odd).prefix.length, rules.length)
    assert.deepStrictEqual(Reading.find(words.slice(0, 19)), Reading.nothing)
  })

  it("a request without what all rows have is of another task", () => {
    const framedIn = (name: string, turns: ReadonlyArray<Turn>) =>
      Reading.read(turns, Reading.find(texts.map(wrappings[name]!)), 100).isFramed
    const [text = ""] = texts
    assert.isFalse(framedIn("in front and behind", [{ role: "user", text }]))
    const system = [{ role: "system", text: "Translate it." }, ...wrappings["alone"]!(text)]
    assert.isFalse(framedIn("system", system))
    assert.isFalse(framedIn("alone", system))
    assert.isTrue(framedIn("system", [{ role: "user", text }]))
  })

  it("what is still too long is read at both ends, and said to be cut", () => {
    const { isCut, turns } = Reading.read(
      [{ role: "user", text: `${"a".repeat(80)}${"b".repeat(80)}` }],
      Reading.nothing,
      100
    )
    assert.deepStrictEqual([isCut, turns[0]?.text], [true, `${"a".repeat(50)} ${"b".repeat(49)}`])
  })
})
