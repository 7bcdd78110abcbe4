/** A report as its GET shows it (contract 14.24). */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import { stubName } from "../run/Executor.ts"
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

/** The report of a rehearsal and of a live run on stubs says that nothing was trained. */
export const summaryOf = (
  run: { readonly dryRun: boolean; readonly executor: string },
  rows: { readonly trainRows: number; readonly holdoutRows: number }
): string => {
  const over = `${rows.trainRows} train and ${rows.holdoutRows} holdout rows`
  const stub = `walked with stub artifacts over ${over}. Nothing was trained, nothing was spent.`
  if (run.dryRun) return `A rehearsal: all five stages were ${stub}`
  return run.executor === stubName ? `A try-out: the stages were ${stub}` : `Trained and evaluated over ${over}.`
}
