import { assert, describe, it } from "@effect/vitest"
import { renderMetrics } from "@limbeck/distill/run/RunRecordsResource"
import { thin } from "../../src/run/MetricSeries.ts"

const series = (values: ReadonlyArray<number>) => values.map((value, step) => ({ step, value }))

/** Never the same twice in a row, and without luck. */
const wave = (length: number) => series(Array.from({ length }, (_, n) => Math.sin(n * 0.7) + ((n * 7919) % 13) / 50))

const steps = (points: ReadonlyArray<{ readonly step: number }>) => points.map(({ step }) => step)

describe("MetricSeries", () => {
  it("a series that fits is answered as it is", () => {
    for (const length of [0, 1, 2, 7]) assert.deepStrictEqual(thin(wave(length), 7), wave(length))
  })

  it("a thinned series has at most the allowed points, in their order, none twice, with the first and the last", () => {
    for (const length of [8, 9, 11, 100, 501, 1_003, 20_000]) {
      for (const max of [2, 3, 7, 8, 500]) {
        const all = wave(length)
        const thinned = thin(all, max)
        assert.isAtMost(thinned.length, Math.min(max, length))
        assert.deepStrictEqual([thinned[0], thinned.at(-1)], [all[0], all.at(-1)])
        assert.deepStrictEqual(
          steps(thinned),
          [...new Set(steps(thinned))].sort((a, b) => a - b)
        )
      }
    }
  })

  it("the lowest and the highest point survive, wherever they are", () => {
    for (let place = 0; place < 1_000; place += 37) {
      const values = Array.from({ length: 1_000 }, () => 1)
      values[place] = 9
      values[999 - place] = -9
      const kept = thin(series(values), 20).map(({ value }) => value)
      assert.include(kept, 9)
      assert.include(kept, -9)
    }
  })

  it("points that are all alike are not told twice", () => {
    const thinned = thin(series(Array.from({ length: 5_000 }, () => 0.5)), 500)
    assert.strictEqual(new Set(steps(thinned)).size, thinned.length)
  })

  it("points are answered by stage and name, in the order in which each began, with the number there were", () => {
    const point = (stage: number, name: string, step: number, value: number) => ({
      stage,
      name,
      unit: name === "loss" ? "nats" : "rows",
      step,
      value,
      at: 1_700_000_000_000 + step
    })
    const many = Array.from({ length: 600 }, (_, step) => point(2, "loss", step, 1 / (step + 1)))
    const answer = renderMetrics("run_1", [point(1, "rows", 1, 90), ...many, point(4, "rows", 1, 10)])
    assert.deepInclude(answer, { object: "run_metrics", run: "run_1", max_points: 500 })
    assert.deepStrictEqual(
      answer.series.map(({ name, stage, total_points, unit }) => [stage, name, unit, total_points]),
      [
        [1, "rows", "rows", 1],
        [2, "loss", "nats", 600],
        [4, "rows", "rows", 1]
      ]
    )
    assert.isAtMost(answer.series[1]?.points.length ?? 0, 500)
    assert.deepStrictEqual(answer.series[0]?.points, [{ step: 1, value: 90, at: "2023-11-14T22:13:20.001Z" }])
  })

  it("a step that was done again after a crash or a retry is told once, as it was the last time", () => {
    const point = (step: number, value: number, at: number) => ({
      stage: 2,
      name: "loss",
      unit: "nats",
      step,
      value,
      at
    })
    const [found] = renderMetrics("run_1", [
      point(1, 3, 10),
      point(2, 2, 11),
      point(2, 2.5, 20),
      point(3, 1, 21)
    ]).series
    assert.deepStrictEqual(
      found?.points.map(({ step, value }) => [step, value]),
      [
        [1, 3],
        [2, 2.5],
        [3, 1]
      ]
    )
    assert.strictEqual(found?.total_points, 3)
  })

  it("a run that said nothing has no series", () => {
    assert.deepStrictEqual(renderMetrics("run_1", []).series, [])
  })
})
