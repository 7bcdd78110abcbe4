/** The filter of the calls page, and the words of its times. */
import { assert, describe, it } from "@effect/vitest"
import { filterOf, rangeOf, within } from "../src/calls/Filter.ts"
import { agoOf } from "../src/parts/AgoWords.ts"

const now = Date.parse("2026-11-28T12:00:00.000Z")
const read = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name] ?? null

describe("the filter of calls", () => {
  it("begins as long ago as its range says, and has no beginning without one (P1750)", () => {
    const address = read({ model: "gpt", range: "day", text: "", other: "x" })
    assert.strictEqual(rangeOf(address), "day")
    assert.deepStrictEqual(within(filterOf(address), "day", now), {
      model: "gpt",
      created_after: "2026-11-27T12:00:00.000Z"
    })
    assert.deepStrictEqual(within(filterOf(address), null, now), { model: "gpt" })
    for (const range of ["", "year", "toString"]) assert.isNull(rangeOf(read({ range })))
  })

  it("has times by their distance, and dates beyond a month (P1751)", () => {
    const ago = (millis: number) => agoOf(now - millis, now)
    const minute = 60_000
    assert.deepStrictEqual(
      [0, 59_999, minute, 59 * minute, 60 * minute, 47 * 60 * minute, 48 * 60 * minute, 30 * 24 * 60 * minute].map(ago),
      ["just now", "just now", "1m ago", "59m ago", "1h ago", "1d ago", "2d ago", "Oct 29, 2026"]
    )
  })
})
