import { assert, describe, it } from "@effect/vitest"
import { tokensOf } from "../../../src/builtin/internal/Text.ts"
import * as KnownWords from "../../../src/builtin/internal/unlike/KnownWords.ts"

const known = KnownWords.learn(
  ["the parcel was sent to another address last week hello", "hello", "hello", "hello"].map((text) => text.split(" "))
)
const coverage = (text: string) => KnownWords.coverage(known, tokensOf(text))

describe("the coverage of a text by known words (P1423)", () => {
  it("is the share of its characters in known words, at most eight of a word", () => {
    assert.strictEqual(coverage("the parcel"), 1)
    assert.strictEqual(coverage("the paquet"), 3 / 9)
    assert.strictEqual(coverage("address verzögerungsgrund"), 7 / 15)
  })

  it("is that of its best part: what stands around it decides nothing", () => {
    const foreign = Array.from({ length: 40 }, (_, index) => `wort${"x".repeat(index)}`).join(" ")
    const own = Array.from({ length: 2 }, () => "the parcel was sent to another address last week").join(" ")
    assert.strictEqual(coverage(`${foreign} ${own} ${foreign}`), 1)
    assert.strictEqual(coverage(foreign), 0)
  })

  it("leaves out words that many rows have", () => {
    assert.strictEqual(coverage("hello the paquet"), 3 / 9)
  })

  it("leaves out numbers and signs, and covers a short text without a word", () => {
    assert.strictEqual(coverage("the parcel 4711 !"), 1)
    assert.strictEqual(coverage("4711 ? !"), 1)
    assert.strictEqual(coverage(""), 1)
    assert.strictEqual(coverage("1 ? ".repeat(6)), 0)
    assert.strictEqual(coverage(`hello ${"1 ? ".repeat(6)}`), 1)
  })
})

describe("the evidence of known words (P1706)", () => {
  const evidence = (text: string) => KnownWords.evidence(known, tokensOf(text))
  const foreign = "wegen sturm bleibt diese bücherei morgen geschlossen bücher können später zurückgegeben werden"

  it("is above zero for known words, and falls with the length of unknown ones", () => {
    assert.isAbove(evidence("the parcel was sent"), 0)
    assert.isBelow(evidence("wegen"), 0)
    assert.isBelow(evidence("wegen sturm"), evidence("wegen"))
    assert.isBelow(evidence(foreign), evidence("wegen sturm"))
  })

  it("is that of the best part of twelve words", () => {
    const own = Array.from({ length: 2 }, () => "the parcel was sent to another address last week").join(" ")
    assert.strictEqual(evidence(`${foreign} ${own}`), evidence(own))
  })

  it("counts a token that is no word for its length", () => {
    assert.isBelow(evidence("x".repeat(60)), evidence("x".repeat(20)))
  })

  it("is none of a short text without words, and low of a long one, unless the words are common ones", () => {
    assert.strictEqual(evidence(""), 0)
    assert.isBelow(evidence("1 ? ".repeat(6)), -3)
    assert.strictEqual(evidence(`hello ${"1 ? ".repeat(6)}`), 0)
  })

  it("signs and single letters are counted in texts of twelve tokens and more", () => {
    assert.strictEqual(KnownWords.signs(tokensOf("? ! a")), 0)
    assert.strictEqual(KnownWords.signs(tokensOf("%ab".repeat(6))), 1 / 2)
    assert.strictEqual(KnownWords.signs(tokensOf("the parcel ".repeat(6))), 0)
  })
})
