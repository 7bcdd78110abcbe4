import { assert, describe, it } from "@effect/vitest"
import { Report } from "@limbeck/distill/report/Report"
import { render, summaryOf } from "@limbeck/distill/report/ReportResource"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Schema from "effect/Schema"

const rows = { trainRows: 90, holdoutRows: 10 }

const report: Report = {
  id: Fresh.id("rpt"),
  run: Fresh.id("run"),
  dryRun: true,
  summary: "A rehearsal",
  rewards: [
    {
      id: Fresh.id("rew"),
      kind: "exact_match",
      student: 0.9,
      teacher: null,
      interval: { low: 0.8, high: 0.95, method: "wilson" }
    }
  ],
  provenance: {
    datasetVersion: Fresh.id("dsv"),
    contentSha256: "ab".repeat(32),
    planHash: "cd".repeat(32),
    recipe: { student_model: "x", stages: [], rewards: [] },
    executor: "stub"
  },
  createdAt: Fresh.start
}

describe("ReportResource", () => {
  it("a report is ready from the first, and shows its run, its scores and where it comes from", () => {
    const { provenance } = report
    assert.deepStrictEqual(render(Fresh.partition(false), report), {
      id: report.id,
      object: "distill_report",
      livemode: false,
      status: "ready",
      run: report.run,
      dry_run: true,
      summary: "A rehearsal",
      rewards: report.rewards,
      provenance: {
        dataset_version: provenance.datasetVersion,
        content_sha256: provenance.contentSha256,
        plan_hash: provenance.planHash,
        recipe: provenance.recipe,
        executor: "stub"
      },
      created_at: "2023-11-14T22:13:20.000Z"
    })
    assert.deepStrictEqual(Schema.decodeSync(Report)(Schema.encodeSync(Report)(report)), report)
  })

  it("a rehearsal, and a live run on stubs, say that nothing was trained", () => {
    for (const run of [
      { dryRun: true, executor: "stub" },
      { dryRun: true, executor: "trainer" },
      { dryRun: false, executor: "stub" }
    ]) {
      const summary = summaryOf(run, rows)
      assert.include(summary, "90 train and 10 holdout rows")
      assert.include(summary, "Nothing was trained, nothing was spent.")
      assert.strictEqual(summary.startsWith("A rehearsal"), run.dryRun)
    }
  })

  it("a report of a trained student does not", () => {
    const summary = summaryOf({ dryRun: false, executor: "trainer" }, rows)
    assert.strictEqual(summary, "Trained and evaluated over 90 train and 10 holdout rows.")
  })
})
