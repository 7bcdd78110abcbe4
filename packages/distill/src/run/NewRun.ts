/** A new run: queued, with its five stage rows (service-api 2.5). */
import { toUsd } from "@limbeck/core/money/Money"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import { DistillLimits } from "../Limits.ts"
import type { ComputeProfile } from "../recipe/ComputeProfile.ts"
import { endpointEstimate, estimate } from "../recipe/Estimate.ts"
import type { RowTokenCount } from "../recipe/internal/TokenCounts.ts"
import { sizeOf } from "../recipe/ProposalInput.ts"
import * as Recipe from "../recipe/Recipe.ts"
import type { StudentBase } from "../recipe/StudentBase.ts"
import { noUsage } from "./Budget.ts"
import * as Rehearsed from "./internal/Rehearsed.ts"
import type { Run, RunId, RunStage } from "./Run.ts"
import { type CompleteRequest, loopOf } from "./RunRequest.ts"

const stageRow = (recipe: Recipe.Recipe, kind: Recipe.StageKind, index: number): RunStage => {
  const requested = recipe.stages.find((stage) => stage.kind === kind)
  const included = kind === "materialize" || requested !== undefined
  return {
    seq: index + 1,
    kind,
    status: included ? "pending" : "skipped",
    attempt: 0,
    attemptsOfStart: 0,
    config: included ? { ...Recipe.defaults[kind], ...requested?.config } : {},
    startedAt: null,
    finishedAt: null,
    metrics: {},
    error: null,
    hasLogs: false,
    usage: noUsage,
    checkpoint: null,
    result: null
  }
}

const estimateOf = (options: {
  readonly request: CompleteRequest
  readonly version: DatasetVersion
  readonly profile: ComputeProfile
  readonly student: StudentBase
  readonly builtinSpeed: number
  readonly tokens: RowTokenCount | undefined
  readonly rehearsal: Pick<Run, "stages"> | null
  readonly candidateMicros: number
}): Run["estimate"] => {
  const { builtinSpeed, candidateMicros, profile, rehearsal, request, student, tokens, version } = options
  if (version.profile === null) return null
  const data = sizeOf({ ...version, profile: version.profile }, tokens)
  const withCandidates = ({ costMicros, gpuSeconds }: NonNullable<Run["estimate"]>) => ({
    gpuSeconds,
    costMicros: costMicros + candidateMicros
  })
  if (student.served !== undefined) return withCandidates(endpointEstimate(request.recipe.stages, data, student.served))
  const measured = Rehearsed.stagesOf(rehearsal?.stages ?? []).flatMap(({ kind, seconds, startupSeconds }) =>
    seconds === null ? [] : [{ kind, seconds: seconds + startupSeconds }]
  )
  const stages = request.recipe.stages.filter(({ kind }) => measured.every((one) => one.kind !== kind))
  const rest = estimate({ student, profile, stages, data, builtinSpeed })
  const gpuSeconds = measured.reduce((sum, { seconds }) => sum + seconds, rest.gpuSeconds)
  return withCandidates({ gpuSeconds, costMicros: Math.ceil(gpuSeconds * profile.microsPerGpuSecond) })
}

/** Known obstacles to the live run of a rehearsed plan. */
const warningsOf = (
  { budgetMicros, missing }: { readonly budgetMicros: number; readonly missing: string | null },
  estimate: Run["estimate"]
): ReadonlyArray<string> => [
  ...(missing === null ? [] : [`A live run of this plan is refused: ${missing}`]),
  ...(estimate === null || estimate.costMicros <= budgetMicros
    ? []
    : [
        `The estimate, $${toUsd(estimate.costMicros)}, is above budget.max_cost_usd: a live run may end with budget_exceeded`
      ])
]

/** What a plan says of the machine. */
export const computeOf = ({ gpu, id, machine, spot }: ComputeProfile): Run["compute"] => ({
  profile: id,
  machine,
  spot,
  gpu
})

export const make = (options: {
  readonly id: RunId
  readonly now: Millis
  readonly request: CompleteRequest
  readonly version: DatasetVersion
  readonly profile: ComputeProfile
  readonly student: StudentBase
  /** See `StudentProbe`. */
  readonly builtinSpeed: number
  /** A tokenizer's counts, if available. */
  readonly tokens: RowTokenCount | undefined
  /** The estimated cost of all calls of candidates and for embeddings; 0 without any. */
  readonly candidateMicros: number
  readonly budgetMicros: number
  readonly planHash: string
  /** The rehearsal of the same plan: its measurements replace estimates. */
  readonly rehearsal: Run | null
  readonly executor: string
  /** Why such a student's live runs are refused; null: they are accepted. */
  readonly missing: string | null
  readonly traceparent: string | null
}): Run => {
  const estimate = estimateOf(options)
  return {
    id: options.id,
    name: options.request.name,
    studentModelName: options.request.studentModelName,
    status: "queued",
    dryRun: options.request.dryRun,
    datasetVersion: options.version.id,
    recipe: options.request.recipeAsSent,
    planHash: options.planHash,
    validatedDryRun: options.request.dryRun ? null : (options.rehearsal?.id ?? null),
    compute: computeOf(options.profile),
    budgetMicros: options.budgetMicros,
    prices: {
      microsPerGpuSecond: options.profile.microsPerGpuSecond,
      microsPerMillionJudgeTokens: DistillLimits.judgeMicrosPerMillionTokens
    },
    totals: { ...noUsage, costMicros: 0 },
    estimate,
    reservedMicros: 0,
    executor: options.executor,
    ...(options.request.dryRun ? { warnings: warningsOf(options, estimate) } : {}),
    report: null,
    studentModel: null,
    loop: loopOf(options.request, options.version),
    ...(options.request.retrains === null ? {} : { retrains: options.request.retrains }),
    ...(options.version.status === "building" ? { awaitsVersion: true } : {}),
    stages: Recipe.canonicalOrder.map((kind, index) => stageRow(options.request.recipe, kind, index)),
    error: null,
    ...(options.traceparent === null ? {} : { traceparent: options.traceparent }),
    createdAt: options.now,
    startedAt: null,
    finishedAt: null,
    updatedAt: options.now
  }
}
