import { assert, describe, it } from "@effect/vitest"
import { sanitize } from "@limbeck/distill/run/Sanitizer"
import { leaks } from "@limbeck/testing/fixtures/Credentials"
import * as Lines from "../../src/process/internal/Lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (text: string, { chunk = 1_000, max = 1_000, offset = 0 } = {}) => {
  const reader = Lines.make(offset, max)
  const whole = bytes(text)
  const lines: Array<Lines.Line> = []
  for (let at = 0; at < whole.length; at += chunk) lines.push(...reader.push(whole.subarray(at, at + chunk)))
  return [...lines, ...reader.rest()]
}

describe("Lines", () => {
  it("are the same in any chunking, each with the place where it ends", () => {
    const text = "one\n\nzwölf 🙂\n\r\nlast"
    const expected = read(text)
    assert.deepStrictEqual(
      expected.map((line) => line.text),
      ["one", "", "zwölf 🙂", "\r", "last"]
    )
    assert.deepStrictEqual(
      expected.map(({ end }) => end),
      [4, 5, 17, 19, 23]
    )
    for (let chunk = 1; chunk < 24; chunk++) assert.deepStrictEqual(read(text, { chunk }), expected)
  })

  it("go on from any of these places as if there had been no break", () => {
    const text = "a\nbb\nccc\ndddd\n"
    for (const { end } of read(text)) {
      const rest = read(text).filter((line) => line.end > end)
      assert.deepStrictEqual(read(text.slice(end), { offset: end }), rest)
    }
  })

  it("that are too long lose their end and the word that was cut, and hold no more memory than the bound", () => {
    const [cut, next] = read(`some words ${"x".repeat(100)}\nnext\n`, { max: 20, chunk: 7 })
    assert.deepStrictEqual(cut, { text: "some words ", end: 112, isCut: true })
    assert.deepStrictEqual(next, { text: "next", end: 117, isCut: false })
    assert.deepStrictEqual(read("x".repeat(100), { max: 20 })[0]?.text, "")
  })

  it("that are cut anywhere show no half of a credential", () => {
    for (const [line, secret] of leaks) {
      if (line.includes("\n")) continue
      const half = secret.slice(0, Math.ceil(secret.length / 2))
      for (let max = 1; max <= line.length; max++) {
        for (const { text } of read(`${line} and more\n`, { max })) assert.notInclude(sanitize(text), half, `${max}`)
      }
    }
  })
})
