/** How a run looks when it is created: queued, with its five stage rows (service-api 2.5). */
import type { Millis } from "@limbeck/core/time/Timestamp"
import type * as Schema from "effect/Schema"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import { Limits } from "../Limits.ts"
import type { ComputeProfile } from "../recipe/ComputeProfile.ts"
import { estimate } from "../recipe/Estimate.ts"
import { sizeOf } from "../recipe/Proposal.ts"
import * as Recipe from "../recipe/Recipe.ts"
import type { StudentBase } from "../recipe/StudentCatalog.ts"
import { noUsage } from "./Budget.ts"
import type { Run, RunId, RunStage } from "./Run.ts"

/** What a caller asks for, after its shape was checked. */
export interface RunRequest {
  readonly name: string | null
  readonly studentModelName: string | null
  readonly datasetVersion: string
  readonly recipe: Recipe.Recipe
  /** The recipe as it was sent; it is hashed and echoed so. */
  readonly recipeAsSent: Schema.JsonObject
  readonly maxCostUsd: number
  readonly profile: string
  readonly dryRun: boolean
  readonly validatedDryRun: string | null
  readonly planHash: string | null
  /** Null: the one that the version belongs to, if any. */
  readonly loop: string | null
}

const stageRow = (recipe: Recipe.Recipe, kind: Recipe.StageKind, index: number): RunStage => {
  const asked = recipe.stages.find((stage) => stage.kind === kind)
  const included = kind === "materialize" || asked !== undefined
  return {
    seq: index + 1,
    kind,
    status: included ? "pending" : "skipped",
    attempt: 0,
    attemptsOfStart: 0,
    config: included ? { ...Recipe.defaults[kind], ...asked?.config } : {},
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
  readonly request: RunRequest
  readonly version: DatasetVersion
  readonly profile: ComputeProfile
  readonly student: StudentBase
  readonly builtinSpeed: number
}): Run["estimate"] => {
  const { builtinSpeed, profile, request, student, version } = options
  if (version.profile === null) return null
  const data = sizeOf({ ...version, profile: version.profile })
  const { costMicros, gpuSeconds } = estimate({
    student,
    profile,
    stages: request.recipe.stages,
    data,
    builtinSpeed
  })
  return { gpuSeconds, costMicros }
}

export const make = (options: {
  readonly id: RunId
  readonly now: Millis
  readonly request: RunRequest
  readonly version: DatasetVersion
  readonly profile: ComputeProfile
  readonly student: StudentBase
  /** See `StudentProbe`. */
  readonly builtinSpeed: number
  readonly budgetMicros: number
  readonly planHash: string
  readonly validatedDryRun: RunId | null
  readonly executor: string
}): Run => ({
  id: options.id,
  name: options.request.name,
  studentModelName: options.request.studentModelName,
  status: "queued",
  dryRun: options.request.dryRun,
  datasetVersion: options.version.id,
  recipe: options.request.recipeAsSent,
  planHash: options.planHash,
  validatedDryRun: options.validatedDryRun,
  compute: {
    profile: options.profile.id,
    machine: options.profile.machine,
    spot: options.profile.spot,
    gpu: options.profile.gpu
  },
  budgetMicros: options.budgetMicros,
  prices: {
    microsPerGpuSecond: options.profile.microsPerGpuSecond,
    microsPerMillionJudgeTokens: Limits.judgeMicrosPerMillionTokens
  },
  totals: { ...noUsage, costMicros: 0 },
  estimate: estimateOf(options),
  reservedMicros: 0,
  executor: options.executor,
  report: null,
  studentModel: null,
  loop: options.request.loop ?? options.version.loop ?? null,
  stages: Recipe.canonicalOrder.map((kind, index) => stageRow(options.request.recipe, kind, index)),
  error: null,
  createdAt: options.now,
  startedAt: null,
  finishedAt: null,
  updatedAt: options.now
})
