/** Renders a report for the API (contract 14.24), with its summary sentence. */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Digest, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { CandidateResult, CheapestAlternative, type Race } from "../race/Race.ts"
import { stubName } from "../run/Executor.ts"
import * as Rehearsed from "../run/internal/Rehearsed.ts"
import type { RunStage } from "../run/Run.ts"
import { Advice } from "./Advice.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
import * as DecisionEvaluation from "./DecisionEvaluation.ts"
import { Evaluation } from "./Evaluation.ts"
import { FeedbackQuality } from "./FeedbackQuality.ts"
import { ShownRequests } from "./internal/DecisionRequests.ts"
import { nothingEvaluated } from "./internal/RecommendationReasons.ts"
import * as LearningCurve from "./LearningCurve.ts"
import { Recommendation, TeacherItself } from "./Recommendation.ts"
import type { Report } from "./Report.ts"
import { Unlike } from "./Unlike.ts"

export const ReportResource = Schema.Struct({
  id: idOf("rpt"),
  object: Schema.Literal("distill_report"),
  livemode: Schema.Boolean,
  status: Schema.Literal("ready"),
  run: idOf("run"),
  dry_run: Schema.Boolean,
  student_model: Schema.NullOr(Schema.String),
  summary: Schema.String,
  evaluated_rows: Count,
  /** How many rows of equal weight tell as much as the evaluated ones (contract 16.34). */
  effective_rows: Schema.Finite,
  rewards: Evaluation.fields.rewards,
  accuracy: Schema.NullOr(Evaluation.fields.accuracy),
  agreement_at: AgreementCurve.AgreementAt,
  /** How often the teacher says the same to the same prompt; null where no prompt was asked twice. */
  teacher_itself: Schema.NullOr(TeacherItself),
  /** The threshold to deploy the student with; null: none, and `recommendation_reason` says why. */
  recommendation: Schema.NullOr(Recommendation),
  recommendation_reason: Schema.String,
  /** Quality by what reviewers said of captured calls, of student and teacher; null where they said nothing. */
  reviewed: Schema.NullOr(FeedbackQuality),
  calibration: Evaluation.fields.calibration,
  latency_ms: Schema.NullOr(Evaluation.fields.latency_ms),
  cost_per_1000_calls_usd: Schema.NullOr(Evaluation.fields.cost_per_1000_calls_usd),
  worst_examples: Evaluation.fields.worst_examples,
  advice: Schema.NullOr(Advice),
  /** Of a student of decisions, the questions with the most rows first; else empty. */
  questions: Schema.Array(DecisionEvaluation.ShownFigures),
  /** How requests of the holdout would have been answered; null without decisions. */
  requests: Schema.NullOr(ShownRequests),
  /** Null without a builtin training. */
  unlike: Schema.NullOr(Unlike),
  /** How the agreement on rows held back from the builtin training grows with the rows; empty without such a training. */
  learning_curve: Schema.Array(LearningCurve.LearningCurvePoint),
  /** What an inverse power law through the curve promises; null without a curve. */
  twice_as_many: Schema.NullOr(LearningCurve.TwiceAsMany),
  /** Hosted models that answered the same holdout. */
  candidates: Schema.Array(CandidateResult),
  /** The cheapest of student, cascade, candidates and teacher that is at most 2 points worse than the teacher; null: none is. */
  cheapest_alternative: Schema.NullOr(CheapestAlternative),
  totals: Schema.Struct({
    gpu_seconds: Schema.Finite,
    judge_tokens: Count,
    candidate_tokens: Count,
    cost_usd: Schema.Finite
  }),
  estimate: Schema.NullOr(
    Schema.Struct({
      gpu_seconds: Schema.Finite,
      cost_usd: Schema.Finite,
      actual_gpu_seconds: Schema.Finite,
      actual_cost_usd: Schema.Finite,
      ratio: Schema.NullOr(Schema.Finite)
    })
  ),
  provenance: Schema.Struct({
    dataset_version: idOf("dsv"),
    content_sha256: Schema.NullOr(Digest),
    plan_hash: Digest,
    recipe: Schema.JsonObject,
    executor: Schema.String,
    artifact_sha256: Schema.NullOr(Digest)
  }),
  created_at: Timestamp
}).annotate({ identifier: "Report" })

const untested = "The report is from before thresholds were tested: evaluate the student again for a recommendation."

const evaluationOf = (evaluation: Evaluation | null) => ({
  evaluated_rows: evaluation?.rows ?? 0,
  effective_rows: evaluation?.effective_rows ?? evaluation?.rows ?? 0,
  rewards: evaluation?.rewards ?? [],
  accuracy: evaluation?.accuracy ?? null,
  reviewed: evaluation?.reviewed ?? null,
  calibration: evaluation?.calibration ?? null,
  latency_ms: evaluation?.latency_ms ?? null,
  cost_per_1000_calls_usd: evaluation?.cost_per_1000_calls_usd ?? null,
  worst_examples: evaluation?.worst_examples ?? [],
  agreement_at: AgreementCurve.render(evaluation?.agreement_at ?? []),
  teacher_itself: evaluation?.teacher_itself ?? null,
  recommendation: evaluation?.recommendation ?? null,
  recommendation_reason: evaluation === null ? nothingEvaluated : (evaluation.recommendation_reason ?? untested),
  advice: evaluation?.advice ?? null,
  questions: [],
  requests: null
})

const decisionsOf = (decisions: DecisionEvaluation.DecisionEvaluation) => ({
  evaluated_rows: decisions.rows,
  recommendation_reason: "Each question has a threshold of its own.",
  questions: DecisionEvaluation.renderFigures(decisions),
  requests: decisions.requests && { saved_estimated_share: null, ...decisions.requests }
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

export const render = Rendered.by(ReportResource, (partition: Partition, report: Report) => ({
  id: report.id,
  object: "distill_report",
  livemode: partition.livemode,
  status: "ready",
  run: report.run,
  dry_run: report.dryRun,
  student_model: report.studentModel,
  summary: report.summary,
  ...evaluationOf(report.evaluation),
  ...(report.decisions === undefined ? {} : decisionsOf(report.decisions)),
  unlike: report.unlike ?? null,
  learning_curve: LearningCurve.render(report.learningCurve ?? []),
  twice_as_many: LearningCurve.twiceAsMany(report.learningCurve ?? []),
  candidates: report.race?.candidates ?? [],
  cheapest_alternative: report.race?.cheapest ?? null,
  totals: {
    gpu_seconds: report.totals.gpuSeconds,
    judge_tokens: report.totals.judgeTokens,
    candidate_tokens: report.totals.candidateTokens ?? 0,
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
}))

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const found = ({ accuracy: { interval, value }, advice, rows }: Evaluation): string => {
  const between = interval === null ? "" : ` (95 % interval ${percent(interval.low)} to ${percent(interval.high)})`
  return ` On ${rows} holdout rows the student says the same as the teacher in ${percent(value)}${between}.${(advice?.notes ?? []).map((note) => ` ${note}`).join("")}`
}

const raced = ({ candidates, cheapest }: Race): string => {
  if (candidates.length === 0) return ""
  const asked = ` ${candidates.length} hosted ${candidates.length === 1 ? "model was" : "models were"} asked too.`
  if (cheapest === null) return `${asked} Nothing is at most 2 points worse than the teacher at a known cost.`
  const { cost_per_1000_calls_usd: cost, kind, name, tied_with: ties } = cheapest
  const who = kind === "teacher" ? "the teacher" : `the ${kind} ${name}`
  const tied = ties.length === 0 ? "" : `, tied with ${ties.join(", ")}`
  return `${asked} The cheapest that is at most 2 points worse than the teacher is ${who}, at $${cost} for 1,000 calls${tied}.`
}

const decided = ({ questions, requests, rows }: DecisionEvaluation.DecisionEvaluation): string => {
  const alone = questions.filter(({ threshold }) => threshold !== null).length
  const here = percent(requests?.answered_here ?? 0)
  return (
    ` The student answers ${alone} of ${questions.length} ${questions.length === 1 ? "question" : "questions"} alone. ` +
    `Of ${rows} holdout rows it answers ${here} whole, and ${percent(requests?.mixed ?? 0)} together with the upstream.`
  )
}

const asSentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** As in `grpo in 30 seconds`. */
const tried = ({ kind, seconds }: Rehearsed.RehearsedStage): string =>
  seconds === null ? kind : `${kind} in ${seconds} seconds`

const rehearsal = (run: ReportSummary, over: string, stub: string): string => {
  const stages = Rehearsed.stagesOf(run.stages)
  return stages.length === 0
    ? `A rehearsal: all five stages were ${stub}`
    : `A rehearsal over ${over}: the trainer took two steps of each stage that trains. It would do ${stages.map(tried).join(" and ")}. ` +
        "The other stages were walked without doing anything; nothing was kept, nothing was spent."
}

interface ReportSummary {
  readonly dryRun: boolean
  readonly executor: string
  readonly stages: ReadonlyArray<Pick<RunStage, "kind" | "result">>
  readonly warnings?: ReadonlyArray<string>
}

export interface SummaryFigures {
  readonly evaluation: Evaluation | null
  readonly decisions?: DecisionEvaluation.DecisionEvaluation | null
  readonly race?: Race | null
}

/** The report of a rehearsal says whether a trainer took part; with stubs alone, and in a live run on them, nothing was trained. */
export const summaryOf = (
  run: ReportSummary,
  rows: { readonly trainRows: number; readonly holdoutRows: number },
  { decisions = null, evaluation, race = null }: SummaryFigures
): string => {
  const over = `${rows.trainRows} train and ${rows.holdoutRows} holdout rows`
  const stub = `walked with stub artifacts over ${over}. Nothing was trained, nothing was spent.`
  if (run.dryRun) return [rehearsal(run, over, stub), ...(run.warnings ?? []).map(asSentence)].join(" ")
  if (run.executor === stubName) return `A try-out: the stages were ${stub}`
  const parts = [
    ...(evaluation === null ? [] : [found(evaluation)]),
    ...(decisions === null ? [] : [decided(decisions)]),
    ...(race === null ? [] : [raced(race)])
  ]
  return `A live run over ${over}.${parts.length === 0 ? " Nothing was evaluated." : parts.join("")}`
}
