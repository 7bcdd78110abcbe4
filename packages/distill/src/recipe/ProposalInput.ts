/** The input of a proposal: the data, the requirements, and the available students and machines. */
import * as Schema from "effect/Schema"
import type { DatasetVersion, RowProfile } from "../dataset/DatasetVersion.ts"
import type { ComputeProfile } from "./ComputeProfile.ts"
import type { DataSize } from "./internal/DataSize.ts"
import type { RowTokenCount, TokenCounts } from "./internal/TokenCounts.ts"
import type { StageKind } from "./Recipe.ts"
import type { StudentBase } from "./StudentBase.ts"

export const Objective = Schema.Literals(["cost", "quality", "latency"])
export type Objective = typeof Objective.Type

export const Outcome = Schema.Literals(["deployable_student", "report_only"])
export type Outcome = typeof Outcome.Type

export interface Preferences {
  readonly objective: Objective
  /** Whole micro-dollars. */
  readonly maxCostMicros: number
  readonly outcome: Outcome
  readonly rewards: ReadonlyArray<string>
}

export type Data = Pick<DatasetVersion, "trainRows" | "holdoutRows" | "questions"> & { readonly profile: RowProfile }

export interface Environment {
  /** At least one student takes every case. */
  readonly students: ReadonlyArray<StudentBase>
  readonly profiles: ReadonlyArray<ComputeProfile>
  /** What the estimate and the plan hash are made for. */
  readonly profile: ComputeProfile
  /** See `StudentProbe`. */
  readonly builtinSpeed: number
  /** Why no student of an engine can be trained here, for a person; null: they can. */
  readonly missing: Readonly<Record<StudentBase["engine"], string | null>>
  /** Stages of language models that the trainer here cannot do, each with the reason, for a person. */
  readonly lacks?: Readonly<Partial<Record<StageKind, string>>>
  /** Token counts by student, for students with an available tokenizer. */
  readonly tokens?: TokenCounts
}

const optionsIn = (questions: NonNullable<DatasetVersion["questions"]>): number =>
  questions.reduce((sum, { options }) => sum + options.length, 0)

const labelsIn = ({ fields, labels }: RowProfile): number | null =>
  fields?.reduce((sum, { labels }) => sum + labels, 0) ?? labels?.length ?? null

/** `tokens`: what a tokenizer has counted. */
export const sizeOf = (
  { holdoutRows, profile, questions = [], trainRows }: Data,
  tokens?: RowTokenCount
): DataSize => ({
  trainRows,
  holdoutRows,
  promptTokens: tokens ? tokens.promptTokens / tokens.rows : profile.promptTokens / profile.rows,
  requestTokens: profile.requestTokens === undefined ? undefined : profile.requestTokens / profile.rows,
  completionTokens: tokens ? tokens.completionTokens / tokens.rows : profile.completionTokens / profile.rows,
  tokens: tokens && { tokenizer: tokens.tokenizer, rows: tokens.rows },
  labels: questions.length > 0 ? optionsIn(questions) : labelsIn(profile),
  census: profile.census
})
