/** By which stages a student is made for an objective. */
import { DistillLimits } from "../../Limits.ts"
import type { Data, Environment, Objective, Preferences } from "../ProposalInput.ts"
import { defaults, evaluatedRows, type Stage, type StageKind } from "../Recipe.ts"
import type { StudentBase } from "../StudentBase.ts"
import type { RowTokenCount } from "./TokenCounts.ts"

const epochsFor: Record<Objective, number> = { cost: 2, latency: 3, quality: 4 }
/** Rows are few, and an epoch of the builtin student takes milliseconds. */
const builtinEpochs: Record<Objective, number> = { cost: 10, latency: 10, quality: 20 }

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)))

/** Tokens of the longest row; without a tokenizer's count, scaled by the ratio of counted to estimated tokens. */
const longestTokens = ({ profile }: Data, tokens: RowTokenCount | undefined): number => {
  if (tokens === undefined) return profile.longestTokens
  const estimated = (profile.promptTokens + profile.completionTokens) / profile.rows
  const counted = (tokens.promptTokens + tokens.completionTokens) / tokens.rows
  return Math.max(
    tokens.longestTokens,
    profile.longestTokens,
    (profile.longestTokens * counted) / Math.max(1, estimated)
  )
}

/** The longest row fits; 512 at least, for prompts that grow. */
const sequenceLength = (data: Data, student: StudentBase, tokens?: RowTokenCount): number =>
  Math.min(student.contextLength, Math.max(512, nextPowerOfTwo(longestTokens(data, tokens))))

/** For latency no more of a request is read, now and later, than rows like these need. */
const builtinSft = (data: Data, { objective }: Preferences, student: StudentBase): Stage => {
  const shortest = Math.min(defaults.sft.max_seq_len, sequenceLength(data, student))
  const config = { epochs: builtinEpochs[objective], ...(objective === "latency" ? { max_seq_len: shortest } : {}) }
  return { kind: "sft", config }
}

const sft = (data: Data, wish: Preferences, student: StudentBase, tokens: RowTokenCount | undefined): Stage =>
  student.engine === "builtin"
    ? builtinSft(data, wish, student)
    : {
        kind: "sft",
        config: {
          ...defaults.sft,
          epochs: epochsFor[wish.objective],
          lora_rank: wish.objective === "quality" ? 32 : 16,
          max_seq_len: sequenceLength(data, student, tokens)
        }
      }

const publish = (student: StudentBase): Stage => ({
  kind: "publish",
  config: student.engine === "builtin" ? {} : defaults.publish
})

/** Why a stage that the student takes cannot be done here; undefined: it can. */
export const lackOf = (kind: StageKind, student: StudentBase, { lacks }: Environment): string | undefined =>
  student.engine === "llm" && student.stages.includes(kind) ? lacks?.[kind] : undefined

/** How many rows of the holdout a proposal evaluates: a language model takes seconds a row, a builtin student none. */
export const proposedSample = ({ holdoutRows }: Pick<Data, "holdoutRows">, { engine }: StudentBase): number =>
  evaluatedRows(engine === "builtin" ? {} : { sample: DistillLimits.proposedSampleMax }, holdoutRows)

/** In canonical order, each with all of its config; a stage that the student does not take, or that cannot be done here, is left out. */
export const stagesFor = (
  data: Data,
  wish: Preferences,
  student: StudentBase,
  around: Environment
): ReadonlyArray<Stage> => {
  const { rewards } = wish
  const grpo: Stage = { kind: "grpo", config: defaults.grpo }
  const evaluation: Stage = {
    kind: "eval",
    config: { rewards, sample: proposedSample(data, student) }
  }
  const stages = [
    sft(data, wish, student, around.tokens?.get(student.id)),
    ...(rewards.length > 0 ? [grpo] : []),
    ...(data.holdoutRows > 0 ? [evaluation] : []),
    ...(wish.outcome === "deployable_student" ? [publish(student)] : [])
  ]
  return stages.filter(({ kind }) => student.stages.includes(kind) && lackOf(kind, student, around) === undefined)
}
