/** What `limbeck watch` draws on a terminal. */
import { assert, describe, it } from "@effect/vitest"
import type { Run } from "@limbeck/client"
import { barOf, RunBoard, sparklineOf } from "../src/remote/RunBoard.ts"

const startedAt = Date.parse("2026-11-22T10:00:00.000Z")
const at = (seconds: number) => `2026-11-22T10:00:0${seconds}.000Z`

const stage = (kind: string, status: Run["stages"][number]["status"], from: number | null, to: number | null) => ({
  kind,
  status,
  attempt: 1,
  started_at: from === null ? null : at(from),
  finished_at: to === null ? null : at(to)
})

// Of a run, what the board reads.
const run = {
  id: "run_1",
  status: "running",
  dry_run: false,
  started_at: at(0),
  finished_at: null,
  totals: { cost_usd: 1.5 },
  budget: { max_cost_usd: 6 },
  stages: [
    stage("materialize", "succeeded", 0, 2),
    stage("sft", "running", 2, null),
    stage("eval", "pending", null, null)
  ]
} as unknown as Run

describe("the board of a run", () => {
  it("shows stages, the series of metrics, what is spent of the budget, and the last three logs (P390)", () => {
    const board = new RunBoard()
    assert.deepStrictEqual(board.lines(startedAt), [])
    board.take({ id: "1", event: "state", data: run })
    for (const value of [4, 3, 2, 0.500049]) board.take({ id: "2", event: "metric", data: { name: "loss", value } })
    for (const message of ["one", "two", "three", "four"]) board.take({ id: "3", event: "log", data: { message } })
    assert.deepStrictEqual(board.lines(startedAt + 12_000), [
      "run_1  live  running  12.0 s",
      "  ✓ materialize succeeded 2.0 s",
      "  ▸ sft         running   10.0 s",
      "  · eval        pending",
      "  █████░░░░░░░░░░░░░░░ $1.5 of $6",
      "  loss █▆▄▁ 0.5",
      "  two",
      "  three",
      "  four"
    ])
  })

  it("draws a series of one value, of equal values and of many, and a budget that is empty or spent", () => {
    assert.strictEqual(sparklineOf([3]), "▁")
    assert.strictEqual(sparklineOf([3, 3]), "▁▁")
    assert.strictEqual(sparklineOf(Array.from({ length: 100 }, (_, index) => index)).length, 32)
    assert.deepStrictEqual([barOf(0, 0), barOf(9, 6)], ["█".repeat(20), "█".repeat(20)])
    assert.strictEqual(barOf(0, 6), "░".repeat(20))
  })
})
