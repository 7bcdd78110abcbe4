import { assert, describe, it } from "@effect/vitest"
import { type Evaluation, type Item, summarizeItems } from "@limbeck/distill/report/Evaluation"
import { Report } from "@limbeck/distill/report/Report"
import { render, summaryOf } from "@limbeck/distill/report/ReportResource"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Schema from "effect/Schema"

const rows = { trainRows: 90, holdoutRows: 10 }

const reward = { id: Fresh.id("rwd"), name: "same", kind: "exact_match" }

const evaluation: Evaluation = summarizeItems({
  isCalibrated: true,
  items: Array.from({ length: 10 }, (_, index) => ({
    row: `row_${index}`,
    prompt: "Where is it?",
    student: index < 9 ? "here" : "there",
    teacher: "here",
    agrees: index < 9,
    latencyMillis: 2,
    confidence: 0.9,
    scores: [{ student: index < 9 ? 1 : 0, teacher: 1 }],
    teacherLatencyMillis: null,
    teacherCostUsd: 0.001
  })),
  rewards: [reward],
  prices: { microsPerGpuSecond: 20, microsPerMillionJudgeTokens: 1_000_000 },
  seed: 1
})

const report: Report = {
  id: Fresh.id("rpt"),
  run: Fresh.id("run"),
  dryRun: false,
  summary: "A live run",
  evaluation,
  studentModel: Fresh.id("stu"),
  totals: { gpuSeconds: 3, judgeTokens: 0, costMicros: 60 },
  estimate: { gpuSeconds: 2, costMicros: 40 },
  provenance: {
    datasetVersion: Fresh.id("dsv"),
    contentSha256: "ab".repeat(32),
    planHash: "cd".repeat(32),
    recipe: { student_model: "x", stages: [], rewards: [] },
    executor: "builtin",
    artifactSha256: "ef".repeat(32)
  },
  createdAt: Fresh.start
}

describe("ReportResource", () => {
  it("a report is ready from the first, and shows what was found, what it took and where it comes from", () => {
    const shown = render(Fresh.partition(false), report)
    assert.deepInclude(shown, {
      id: report.id,
      object: "distill_report",
      livemode: false,
      status: "ready",
      run: report.run,
      dry_run: false,
      student_model: report.studentModel,
      evaluated_rows: 10,
      totals: { gpu_seconds: 3, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0.00006 },
      candidates: [],
      cheapest_alternative: null,
      estimate: { gpu_seconds: 2, cost_usd: 0.00004, actual_gpu_seconds: 3, actual_cost_usd: 0.00006, ratio: 1.5 },
      created_at: "2023-11-14T22:13:20.000Z"
    })
    assert.deepStrictEqual(shown.provenance.artifact_sha256, "ef".repeat(32))
    assert.deepInclude(shown.rewards[0], { ...reward, student: 0.9, teacher: 1, wins: 0, ties: 9, losses: 1 })
    assert.strictEqual(shown.rewards[0]?.interval?.method, "wilson")
    assert.deepInclude(shown.accuracy, { value: 0.9, correct: 9 })
    assert.closeTo(shown.calibration?.expected_error ?? 1, 0, 1e-9)
    assert.deepStrictEqual(shown.cost_per_1000_calls_usd, { student: 0.00004, teacher: 1 })
    assert.isNull(shown.latency_ms?.teacher)
    assert.deepStrictEqual(
      shown.worst_examples.map(({ row, scores }) => [row, scores]),
      [["row_9", { [reward.id]: 0 }]]
    )
    assert.deepStrictEqual(Schema.decodeSync(Report)(Schema.encodeSync(Report)(report)), report)
  })

  it("counts rows by their weights, and equal weights as none (P1310)", () => {
    const item = (weight: number | undefined, agrees: boolean, confidence: number): Item => ({
      row: "row",
      prompt: "Where is it?",
      student: agrees ? "here" : "there",
      teacher: "here",
      agrees,
      latencyMillis: 2,
      confidence,
      ...(weight === undefined ? {} : { weight }),
      scores: [],
      teacherLatencyMillis: null,
      teacherCostUsd: 0.001
    })
    const summaryOf = (items: ReadonlyArray<Item>, isCalibrated = false) =>
      summarizeItems({
        items,
        isCalibrated,
        rewards: [],
        prices: { microsPerGpuSecond: 20, microsPerMillionJudgeTokens: 1_000_000 },
        seed: 1
      })
    const alike = (weight: number | undefined) =>
      Array.from({ length: 240 }, (_, at) => item(weight, at % 10 > 0, at % 10 > 1 ? 0.9 : 0.6))
    const [plain, equal] = [summaryOf(alike(undefined)), summaryOf(alike(4))]
    const { agreement_at: curve = [], ...figures } = equal
    assert.deepStrictEqual({ ...figures, agreement_at: plain.agreement_at ?? [] }, plain)
    assert.deepStrictEqual(curve.at(-1)?.share, 192 / 240)
    // Ten verified answers stand for 100 calls each, beside 500 of others.
    const verified = Array.from({ length: 10 }, (_, at) => item(100, at > 0, 0.9))
    const others = Array.from({ length: 500 }, (_, at) => item(undefined, at % 2 > 0, 0.5))
    const copies = [...verified, ...others].flatMap((one) =>
      Array.from({ length: one.weight ?? 1 }, (): Item => ({ ...one, weight: 1 }))
    )
    const [weighed, repeated] = [summaryOf([...verified, ...others], true), summaryOf(copies, true)]
    assert.closeTo(weighed.accuracy.value, repeated.accuracy.value, 1e-9)
    assert.closeTo(weighed.calibration?.expected_error ?? 1, repeated.calibration?.expected_error ?? 0, 1e-9)
    assert.closeTo(weighed.advice?.cascade?.steps.at(-1)?.share ?? 1, 1_000 / 1_500, 1e-9)
    const effective = 1_500 ** 2 / (10 * 100 ** 2 + 500)
    assert.closeTo(weighed.effective_rows ?? 0, effective, 1e-9)
    assert.strictEqual(weighed.rows, 510)
    const width = ({ accuracy: { interval } }: Evaluation) => (interval?.high ?? 1) - (interval?.low ?? 0)
    assert.isAbove(width(weighed), 4 * width(repeated))
    const shown = render(Fresh.partition(), { ...report, evaluation: weighed })
    assert.deepInclude(shown, { evaluated_rows: 510, effective_rows: weighed.effective_rows ?? 0 })
  })

  it("where nothing was evaluated it says so by nulls", () => {
    const shown = render(Fresh.partition(), { ...report, evaluation: null, estimate: null })
    assert.deepInclude(shown, { evaluated_rows: 0, rewards: [], accuracy: null, calibration: null, estimate: null })
  })

  it("a rehearsal, and a live run on stubs, say that nothing was trained", () => {
    for (const run of [
      { dryRun: true, executor: "stub" },
      { dryRun: true, executor: "trainer" },
      { dryRun: false, executor: "stub" }
    ]) {
      const summary = summaryOf({ ...run, stages: [{ kind: "sft", result: { stub: true } }] }, rows, {
        evaluation: null
      })
      assert.include(summary, "90 train and 10 holdout rows")
      assert.include(summary, "Nothing was trained, nothing was spent.")
      assert.strictEqual(summary.startsWith("A rehearsal"), run.dryRun)
    }
  })

  it("a rehearsal in which a trainer took two steps says so, and what the training would take (P375)", () => {
    const stages = [
      { kind: "sft", result: { details: { seconds: 12.5, steps: 80 } } },
      { kind: "grpo", result: { details: { seconds: 30 } } },
      { kind: "eval", result: { stub: true } }
    ] as const
    const summary = summaryOf({ dryRun: true, executor: "stub", stages, warnings: ["It is slow"] }, rows, {
      evaluation: null
    })
    assert.include(summary, "It would do sft in 12.5 seconds and grpo in 30 seconds.")
    assert.match(summary, /nothing was spent\. It is slow\.$/)
    assert.notInclude(summary, "stub")
  })

  it("a report of a trained student says how often it agrees, and how sure that is", () => {
    const summary = summaryOf({ dryRun: false, executor: "trainer", stages: [] }, rows, { evaluation })
    assert.include(summary, "in 90.0 % (95 % interval 59.6 % to 98.2 %)")
    assert.include(
      summaryOf({ dryRun: false, executor: "trainer", stages: [] }, rows, { evaluation: null }),
      "Nothing was evaluated."
    )
  })
})
