import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Lines from "../../src/upload/internal/Lines.ts"
import { bytesOf } from "./World.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** All lines of the bytes, cut into chunks at these places. */
const split = (bytes: Uint8Array, cuts: ReadonlyArray<number>, maxBytes = 1_000) => {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  const lines: Array<Lines.Line> = []
  let state = Lines.start()
  let from = 0
  for (const to of places) {
    const [next, found] = Lines.push(state, bytes.subarray(from, to), maxBytes)
    state = next
    from = to
    lines.push(...found)
  }
  return [...lines, ...Lines.end(state)].map(({ bytes, number }) => [number, bytes && utf8.decode(bytes)] as const)
}

describe("Lines", () => {
  it("the last line needs no newline, and none follows the last newline", () => {
    assert.deepStrictEqual(split(bytesOf("a\nb"), []), [
      [1, "a"],
      [2, "b"]
    ])
    assert.deepStrictEqual(split(bytesOf("a\nb\n"), []), [
      [1, "a"],
      [2, "b"]
    ])
    assert.deepStrictEqual(split(bytesOf(""), []), [])
  })

  it("empty lines count", () =>
    assert.deepStrictEqual(split(bytesOf("\n\na\n"), []), [
      [1, ""],
      [2, ""],
      [3, "a"]
    ]))

  it("a line over the bound is passed over without being held, and the next one is read", () => {
    const bytes = bytesOf(`${"x".repeat(11)}\n${"y".repeat(10)}\n`)
    for (let cut = 0; cut < bytes.length; cut++) {
      assert.deepStrictEqual(split(bytes, [cut], 10), [
        [1, null],
        [2, "y".repeat(10)]
      ])
    }
  })

  it.prop(
    "where chunks end makes no difference, also inside a character",
    {
      lines: Schema.Array(Schema.String.check(Schema.isPattern(/^[^\n\ud800-\udfff]*$/u))),
      cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })))
    },
    ({ cuts, lines }) => {
      const text = lines.map((line) => `${line}ü€🙂\n`).join("")
      assert.deepStrictEqual(
        split(bytesOf(text), cuts, 1_000_000).map(([, line]) => line),
        lines.map((line) => `${line}ü€🙂`)
      )
    }
  )
})
