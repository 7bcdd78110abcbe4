import { assert, describe, it } from "@effect/vitest"
import * as Surroundings from "../../../src/builtin/internal/unlike/Surroundings.ts"

const remove = Surroundings.remover([])
const text = "the parcel never came\nand nobody answers"

describe("what stands around a text (P1705)", () => {
  it.each([
    ["a greeting", `Good morning everyone,\n\n${text}`, text],
    [
      "a header",
      `Begin forwarded message:\n\nFrom: Lucy Hale <l@example.com>\nSubject: Re: hello\n\n${text}`,
      `\n${text}`
    ],
    [
      "a form",
      "Name: Olga\nCountry: Norway\nYour comment: the parcel never came\nConsent: yes",
      "the parcel never came"
    ],
    ["a signature", `${text}\n\n-- \nDr. Emily Clark\nHead of Procurement`, `${text}\n`]
  ])("is removed: %s", (_, whole, own) => {
    assert.strictEqual(remove(whole), own)
  })

  it.each([
    ["one line", "Hello,"],
    ["a single key", "Question: where is my parcel?\nit is late"],
    ["lines behind a ruler in front", "---\nthe parcel\nnever came"],
    ["a first line that is no greeting", "the parcel never came\n\nplease help"]
  ])("is part of the text: %s", (name, whole) => {
    assert.strictEqual(remove(whole), name.startsWith("lines") ? "the parcel\nnever came" : whole)
  })

  it("is a line that most rows have, whatever its numbers are; a text of nothing else stays", () => {
    const lines = Surroundings.commonLines(["one\nTicket 17", "two\nTicket 18", "three\nTicket 19", "four"])
    assert.deepStrictEqual(lines, ["ticket 00"])
    const without = Surroundings.remover(lines)
    assert.strictEqual(without("where is it?\nTICKET 99"), "where is it?")
    assert.strictEqual(without("Ticket 12\n"), "Ticket 12\n")
  })
})
