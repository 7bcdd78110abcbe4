/** A report as its GET shows it (contract 14.24). */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Report } from "./Report.ts"

export const render = (partition: Partition, report: Report) => ({
  id: report.id,
  object: "distill_report" as const,
  livemode: partition.livemode,
  status: "ready" as const,
  run: report.run,
  dry_run: report.dryRun,
  summary: report.summary,
  rewards: report.rewards,
  provenance: {
    dataset_version: report.provenance.datasetVersion,
    content_sha256: report.provenance.contentSha256,
    plan_hash: report.provenance.planHash,
    recipe: report.provenance.recipe,
    executor: report.provenance.executor
  },
  created_at: toIso(report.createdAt)
})
export type ReportResource = ReturnType<typeof render>

/** The report of a rehearsal says that nothing was trained. */
export const summaryOf = (dryRun: boolean, rows: { readonly train: number; readonly holdout: number }): string =>
  dryRun
    ? `A rehearsal: all five stages were walked with stub artifacts over ${rows.train} train and ${rows.holdout} holdout rows. Nothing was trained, nothing was spent.`
    : `Trained on ${rows.train} rows, evaluated on ${rows.holdout}.`
