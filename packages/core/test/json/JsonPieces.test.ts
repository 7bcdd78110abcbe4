/** A value as JSON in pieces. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonPieces from "@limbeck/core/json/JsonPieces"

class Stored extends JsonPieces.JsonWriter {
  override *pieces() {
    yield ""
    yield* JsonPieces.ofJson('{"n": 12345678901234567890}')
  }
}

const values: ReadonlyArray<unknown> = [
  null,
  0,
  "",
  'a"\0\ud83d',
  [],
  {},
  [[], {}, [1, [2]], undefined],
  { a: undefined, b: 1, 'c"': { d: [] }, e: undefined },
  { a: undefined }
]

const half = JsonPieces.pieceLength - 1

describe("JsonPieces", () => {
  it("together are what JSON.stringify writes (P134)", () => {
    for (const value of values) assert.strictEqual([...JsonPieces.of(value)].join(""), JSON.stringify(value))
  })

  it("hold what is JSON already as it is (P134)", () => {
    const pieces = [...JsonPieces.of({ data: [new Stored()], more: 1 })]
    assert.strictEqual(pieces.join(""), '{"data":[{"n": 12345678901234567890}],"more":1}')
    assert.include(pieces, "")
  })

  it("are short, and end between characters (P134)", () => {
    for (const long of [
      "\0".repeat(300_000),
      `${"x".repeat(half)}😀`,
      "é".repeat(200_000),
      `${"x".repeat(half)}\ud83d`
    ]) {
      const pieces = [...JsonPieces.of({ long })]
      assert.strictEqual(pieces.join(""), JSON.stringify({ long }))
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), 6 * JsonPieces.pieceLength)
      assert.isTrue(pieces.every((piece) => piece.isWellFormed()))
    }
  })
})
