/** Renders a report for the API (contract 14.24), with its summary sentence. */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import { stubName } from "../run/Executor.ts"
import * as Rehearsed from "../run/internal/Rehearsed.ts"
import type { RunStage } from "../run/Run.ts"
import type { Evaluation } from "./Evaluation.ts"
import type { Report } from "./Report.ts"

const evaluationOf = (evaluation: Evaluation | null) => ({
  evaluated_rows: evaluation?.rows ?? 0,
  rewards: evaluation?.rewards ?? [],
  accuracy: evaluation?.accuracy ?? null,
  reviewed: evaluation?.reviewed ?? null,
  calibration: evaluation?.calibration ?? null,
  latency_ms: evaluation?.latency_ms ?? null,
  cost_per_1000_calls_usd: evaluation?.cost_per_1000_calls_usd ?? null,
  worst_examples: evaluation?.worst_examples ?? [],
  advice: evaluation?.advice ?? null
})

/** The ratio of actual to estimated figures; 1 for an exact estimate. */
const estimateOf = ({ estimate, totals }: Report) =>
  estimate === null
    ? null
    : {
        gpu_seconds: estimate.gpuSeconds,
        cost_usd: toUsd(estimate.costMicros),
        actual_gpu_seconds: totals.gpuSeconds,
        actual_cost_usd: toUsd(totals.costMicros),
        ratio: estimate.gpuSeconds > 0 ? totals.gpuSeconds / estimate.gpuSeconds : null
      }

export const render = (partition: Partition, report: Report) => ({
  id: report.id,
  object: "distill_report" as const,
  livemode: partition.livemode,
  status: "ready" as const,
  run: report.run,
  dry_run: report.dryRun,
  student_model: report.studentModel,
  summary: report.summary,
  ...evaluationOf(report.evaluation),
  totals: {
    gpu_seconds: report.totals.gpuSeconds,
    judge_tokens: report.totals.judgeTokens,
    cost_usd: toUsd(report.totals.costMicros)
  },
  estimate: estimateOf(report),
  provenance: {
    dataset_version: report.provenance.datasetVersion,
    content_sha256: report.provenance.contentSha256,
    plan_hash: report.provenance.planHash,
    recipe: report.provenance.recipe,
    executor: report.provenance.executor,
    artifact_sha256: report.provenance.artifactSha256
  },
  created_at: toIso(report.createdAt)
})

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const found = ({ accuracy: { interval, value }, advice, rows }: Evaluation): string => {
  const between = interval === null ? "" : ` (95 % interval ${percent(interval.low)} to ${percent(interval.high)})`
  return ` On ${rows} holdout rows the student says the same as the teacher in ${percent(value)}${between}.${(advice?.notes ?? []).map((note) => ` ${note}`).join("")}`
}

const asSentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** As in `grpo in 30 seconds`. */
const tried = ({ kind, seconds }: Rehearsed.RehearsedStage): string =>
  seconds === null ? kind : `${kind} in ${seconds} seconds`

const rehearsal = (run: SummedUp, over: string, stub: string): string => {
  const stages = Rehearsed.stagesOf(run.stages)
  return stages.length === 0
    ? `A rehearsal: all five stages were ${stub}`
    : `A rehearsal over ${over}: the trainer took two steps of each stage that trains. It would do ${stages.map(tried).join(" and ")}. ` +
        "The other stages were walked without doing anything; nothing was kept, nothing was spent."
}

interface SummedUp {
  readonly dryRun: boolean
  readonly executor: string
  readonly stages: ReadonlyArray<Pick<RunStage, "kind" | "result">>
  readonly warnings?: ReadonlyArray<string>
}

/** The report of a rehearsal says whether a trainer took part; with stubs alone, and in a live run on them, nothing was trained. */
export const summaryOf = (
  run: SummedUp,
  rows: { readonly trainRows: number; readonly holdoutRows: number },
  evaluation: Evaluation | null
): string => {
  const over = `${rows.trainRows} train and ${rows.holdoutRows} holdout rows`
  const stub = `walked with stub artifacts over ${over}. Nothing was trained, nothing was spent.`
  if (run.dryRun) return [rehearsal(run, over, stub), ...(run.warnings ?? []).map(asSentence)].join(" ")
  if (run.executor === stubName) return `A try-out: the stages were ${stub}`
  return `A live run over ${over}.${evaluation === null ? " Nothing was evaluated." : found(evaluation)}`
}
