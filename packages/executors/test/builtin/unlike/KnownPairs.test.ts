import { assert, describe, it } from "@effect/vitest"
import * as KnownPairs from "../../../src/builtin/internal/unlike/KnownPairs.ts"

const known = KnownPairs.learn([["where", "is", "my", "parcel"], ["the", "parcel", "is", "late"], ["late"]])
const excess = (text: string) => KnownPairs.excess(known, text.split(" "))

describe("the known pairs of a text (P1710)", () => {
  it("are above the usual share for texts of the rows' subject, and below it for their words in another order", () => {
    assert.closeTo(excess("where is my parcel"), (3 - 0.9) / Math.sqrt(3), 1e-9)
    assert.closeTo(excess("parcel my is where"), -0.9 / Math.sqrt(3), 1e-9)
    assert.isAbove(excess("is my parcel late"), excess("late my is parcel"))
  })

  it("count for more in a longer text, and for nothing in a text without a pair", () => {
    assert.isBelow(excess("a b c d e f g h"), excess("a b c"))
    assert.strictEqual(excess("parcel"), 0)
    assert.strictEqual(KnownPairs.excess(known, []), 0)
  })
})
