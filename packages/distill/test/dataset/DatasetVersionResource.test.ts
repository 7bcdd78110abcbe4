import { assert, describe, it } from "@effect/vitest"
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import * as DatasetVersionResource from "../../src/dataset/DatasetVersionResource.ts"
import type { StoredRow } from "../../src/dataset/RowStore.ts"

const stored = (content: string): StoredRow => ({
  key: "k",
  split: "train",
  body: JSON.stringify({ messages: [{ role: "user", content }], completion: "y", split: "of the upload" })
})

describe("a row of a version", () => {
  it("is its upload's row and its split", () => {
    const { body, split } = stored("short")
    const pieces = [...DatasetVersionResource.renderRow(stored("short")).pieces()]
    assert.deepStrictEqual(pieces, [JSON.stringify({ ...JSON.parse(body), split })])
  })

  it("is parsed in a turn of its own where it is long, and written in pieces (P124)", () => {
    const row = stored("é".repeat(999_000))
    const [first, ...pieces] = DatasetVersionResource.renderRow(row).pieces()
    assert.strictEqual(first, "")
    assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), JsonPieces.pieceLength)
    assert.deepStrictEqual(JSON.parse(pieces.join("")), { ...JSON.parse(row.body), split: "train" })
  })
})
