import { assert, describe, it } from "@effect/vitest"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const pieces = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)]

describe("bytes in pieces", () => {
  it("are joined in their order, and a single piece is not copied", () => {
    assert.deepStrictEqual(Bytes.joinPieces(pieces), Uint8Array.of(1, 2, 3))
    assert.deepStrictEqual(Bytes.joinPieces([]), Uint8Array.of())
    const [only] = pieces
    assert.strictEqual(Bytes.joinPieces([only!]), only)
  })

  it.effect("are read whole up to the bound, each time anew", () =>
    Effect.gen(function* () {
      const whole = Bytes.whole(Stream.fromIterable(pieces), 3, () => "too many")
      assert.deepStrictEqual(yield* whole, Uint8Array.of(1, 2, 3))
      assert.deepStrictEqual(yield* whole, Uint8Array.of(1, 2, 3))
    })
  )

  it("are gathered as they are joined, whatever was expected, and of megabytes there is one copy", () => {
    const piece = Uint8Array.from({ length: 65_521 }, (_, at) => at % 251)
    for (const count of [0, 1, 2, 17, 40, 70]) {
      for (const expected of [0, 10, count * piece.length, 2 * count * piece.length]) {
        const gathering = new Bytes.Gathering(expected)
        for (let n = 0; n < count; n++) gathering.add(piece)
        assert.strictEqual(gathering.length, count * piece.length)
        const bytes = gathering.bytes()
        assert.isTrue(Buffer.from(bytes).equals(Bytes.joinPieces(Array.from({ length: count }, () => piece))))
      }
    }
    const whole = new Bytes.Gathering(70 * piece.length)
    for (let n = 0; n < 70; n++) whole.add(piece)
    assert.strictEqual(whole.bytes().buffer, whole.bytes().buffer)
    assert.strictEqual(whole.bytes().buffer.byteLength, 70 * piece.length)
  })

  it.effect("beyond the bound are refused, and not read on", () =>
    Effect.gen(function* () {
      const bytes = Stream.concat(Stream.fromIterable(pieces), Stream.die("read on"))
      assert.strictEqual(yield* Effect.flip(Bytes.whole(bytes, 2, () => "too many")), "too many")
    })
  )
})
