/** The law of traffic: who is the student's stays the student's. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Traffic from "../src/answer/internal/Traffic.ts"

/** In hundredths of a percent: evenly spread, unlike numbers at random. */
const Share = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const keys = Array.from({ length: 20_000 }, (_, index) => `customer-${index}`)
const shareOf = (alias: string, percent: number, among = keys) =>
  among.filter((key) => Traffic.isStudents(alias, key, percent)).length / among.length

describe("Traffic", () => {
  it.prop("one key is always on the same side", [Schema.String, Schema.String, Share], ([alias, key, share]) => {
    assert.strictEqual(Traffic.isStudents(alias, key, share / 100), Traffic.isStudents(alias, key, share / 100))
  })

  it.prop(
    "a larger share never takes a key away from the student (P79)",
    [Schema.String, Schema.String, Share, Share],
    ([alias, key, one, other]) => {
      const [less, more] = [Math.min(one, other) / 100, Math.max(one, other) / 100]
      if (Traffic.isStudents(alias, key, less)) assert.isTrue(Traffic.isStudents(alias, key, more))
    }
  )

  it.prop("none is the student's at 0, and all are at 100", [Schema.String, Schema.String], ([alias, key]) => {
    assert.isFalse(Traffic.isStudents(alias, key, 0))
    assert.isTrue(Traffic.isStudents(alias, key, 100))
  })

  it("the share is what it says, for keys that hardly differ", () => {
    for (const percent of [1, 10, 37.5, 50, 90]) assert.closeTo(shareOf("desk", percent), percent / 100, 0.02)
  })

  it("aliases take their shares of different keys", () => {
    const desk = keys.filter((key) => Traffic.isStudents("desk", key, 10))
    assert.closeTo(shareOf("mail", 10, desk), 0.1, 0.03)
  })
})
