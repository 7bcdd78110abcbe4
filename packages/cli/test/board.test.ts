/** Frames of a board, each drawn over the previous one. */
import { assert, describe, it } from "@effect/vitest"
import { emptyFrame, nextFrame } from "../src/terminal/Board.ts"

const size = { columns: 10, rows: 5 }

/** The rows of a terminal after frames: the cursor moves up, erases below, and writes lines. */
const screenAfter = (frames: ReadonlyArray<ReadonlyArray<string>>) => {
  let [rows, at]: [Array<string>, number] = [["$ watch"], 1]
  let frame = emptyFrame
  for (const lines of frames) {
    frame = nextFrame(frame, lines, size)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own
    for (const [part] of frame.text.matchAll(/\u001b\[\d*[AJ]|\r|[^\u001b\r\n]*\n/g)) {
      if (part.endsWith("A")) at -= Number.parseInt(part.slice(2), 10)
      else if (part.endsWith("J")) rows = rows.slice(0, at)
      else if (part !== "\r") rows[at++] = part.slice(0, -1)
    }
  }
  return rows
}

describe("a board", () => {
  it("replaces the frame before, longer or shorter, and nothing above it (P1795)", () => {
    assert.deepStrictEqual(screenAfter([["a"], ["a", "b", "c"], ["d"]]), ["$ watch", "d"])
    assert.deepStrictEqual(screenAfter([["a", "b"], []]), ["$ watch"])
  })

  it("cuts lines to the width, also of wide characters, and keeps the last lines of a low terminal (P1795)", () => {
    assert.deepStrictEqual(screenAfter([["0123456789", "0123456789a", "蒸留器の実行"]]).slice(1), [
      "0123456789",
      "012345678…",
      "蒸留器の…"
    ])
    const many = ["1", "2", "3", "4", "5", "6"]
    assert.deepStrictEqual(screenAfter([many, many]).slice(1), ["3", "4", "5", "6"])
  })
})
