/** Stages and trials of a run, as its page shows them. */
import { assert, describe, it } from "@effect/vitest"
import { durationOf } from "../src/runs/StageWords.ts"
import { linesOf, trialsOf } from "../src/runs/Trials.ts"

const point = (step: number, value: number) => ({ step, value })

describe("the page of a run", () => {
  it("draws a line for each trial, over one axis of steps (P1797)", () => {
    const trials = trialsOf([point(1, 9), point(2, 8), point(1, 7), point(3, 6), point(3, 5)])
    assert.deepStrictEqual(trials, [[point(1, 9), point(2, 8)], [point(1, 7), point(3, 6)], [point(3, 5)]])
    assert.deepStrictEqual(linesOf(trials), {
      steps: [1, 2, 3],
      values: [
        [9, 8, null],
        [7, null, 6],
        [null, null, 5]
      ]
    })
    assert.deepStrictEqual(trialsOf([]), [])
    const counts = [point(1, 1), point(3, 2), point(6, 3)]
    const counted = trialsOf([point(1, 9), point(2, 8), point(4, 7), point(5, 6), point(6, 5)], counts)
    assert.deepStrictEqual(counted, [[point(1, 9), point(2, 8)], [point(1, 7), point(2, 6)], [point(1, 5)]])
  })

  it("tells how long a stage took, and has taken so far (P1797)", () => {
    const started_at = "2026-11-28T10:00:00.000Z"
    const now = Date.parse("2026-11-28T10:01:00.000Z")
    assert.strictEqual(durationOf({ started_at: null, finished_at: null }, now), null)
    assert.strictEqual(durationOf({ started_at, finished_at: "2026-11-28T10:00:02.500Z" }, now), 2_500)
    assert.strictEqual(durationOf({ started_at, finished_at: null }, now), 60_000)
    // The clock of the browser may be behind.
    assert.strictEqual(durationOf({ started_at, finished_at: null }, now - 90_000), 0)
  })
})
