/** What the palette finds. */
import { assert, describe, it } from "@effect/vitest"
import { findEntries } from "../src/palette/Entries.ts"
import { idIn, placeOf } from "../src/palette/Ids.ts"

const tail = "01m8hn296kepmtcgevn9gze0h1"

describe("the palette", () => {
  it("leads from an id to the page of its kind, and from no other text (P1794)", () => {
    for (const [kind, place] of [
      ["run", `/runs/run_${tail}`],
      ["dsv", `/data/versions/dsv_${tail}`],
      ["evt", `/events/evt_${tail}`],
      ["wh", `/webhooks/wh_${tail}`],
      ["tok", "/tokens"],
      ["msg", null]
    ] as const)
      assert.strictEqual(placeOf(`${kind}_${tail}`, "whole"), place)
    assert.strictEqual(placeOf(`run_${tail}`, "webhooks"), null)
    assert.strictEqual(idIn(` "run_${tail}", `), `run_${tail}`)
    for (const text of ["run_1", `run ${tail}`, `run_${tail}0`, "run", ""]) assert.isNull(idIn(text), text)
  })

  it("finds entries by all words of a query, names that begin with it first (P1794)", () => {
    const entries = ["tickets of May", "all tickets", "orders"].map((name) => ({ kind: "Dataset", name, place: name }))
    const namesOf = (query: string) => findEntries(entries.toReversed(), query).map(({ name }) => name)
    assert.deepStrictEqual(namesOf("TICKETS"), ["tickets of May", "all tickets"])
    assert.deepStrictEqual(namesOf(" dataset  may"), ["tickets of May"])
    assert.deepStrictEqual(namesOf("dataset nothing"), [])
    const many = Array.from({ length: 50 }, () => entries).flat()
    assert.strictEqual(findEntries(many, "").length, 16)
  })
})
