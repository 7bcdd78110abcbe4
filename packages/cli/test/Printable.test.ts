/** How a terminal shows text of strangers. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Printable from "../src/terminal/Printable.ts"
import { wantsJson } from "../src/terminal/Terminal.ts"

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be left.
const dangerous = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

describe("a printable line", () => {
  it.prop(
    "has no character that moves, hides or turns text, and is the same again (P844)",
    [Schema.String],
    ([text]) => {
      const line = Printable.line(text)
      assert.notMatch(line, dangerous)
      assert.isTrue(line.isWellFormed())
      assert.strictEqual(Printable.line(line), line)
    }
  )

  it.each([
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["\u009b31m", "\\u009b31m"],
    ["a\nb\r\tc", "a\\u000ab\\u000d\\u0009c"],
    ["\u202egpj.exe", "\\u202egpj.exe"],
    ["\u2066a\u2069", "\\u2066a\\u2069"],
    ["\u{e0041}", "\\udb40\\udc41"],
    ["\ud800", "\\ud800"]
  ])("shows %j by its code", (text, shown) => assert.strictEqual(Printable.line(text), shown))

  it.each(["Zoë", "日本語", "שלום", "👩‍🔬 café", "ticket #7: 20 €"])("leaves %s as it is", (text) =>
    assert.strictEqual(Printable.line(text), text)
  )
})

describe("printable JSON", () => {
  it.prop("is one line that means the same value (P844)", [Schema.String, Schema.String], ([name, text]) => {
    const value = { [`a${name}`]: [text, { text }], text }
    const json = Printable.json(value)
    assert.notMatch(json, dangerous)
    assert.deepStrictEqual(JSON.parse(json), value)
  })
})

describe("the flag --json", () => {
  it.each([
    [["list", "--json"], true],
    [["--json=true", "list"], true],
    [["--json=false", "list"], false],
    [["upload", "--", "--json"], false],
    [["list", "--jsonl"], false]
  ] as const)("is known before the command is: %j", (argv, wanted) => assert.strictEqual(wantsJson(argv), wanted))
})
