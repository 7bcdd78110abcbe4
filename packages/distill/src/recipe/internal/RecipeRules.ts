/**
 * Rules of a recipe beyond its schema (contract 5, "Checks on create"). Each rule returns the path of the first invalid
 * field.
 */
import { type InvalidInput, invalid, type ReferenceUnknown, referenceUnknown } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import type { DatasetVersion, RowProfile } from "../../dataset/DatasetVersion.ts"
import { DistillLimits } from "../../Limits.ts"
import {
  type Candidate,
  canonicalOrder,
  type EmbeddingModel,
  noStudent,
  type Recipe,
  type Stage,
  type StageKind
} from "../Recipe.ts"
import type { StudentBase } from "../StudentBase.ts"

const stagePath = (index: number): string => `recipe.stages[${index}]`

interface NamedReward {
  readonly id: string
  readonly path: string
}

/** Every reward of the recipe, with its path. */
const rewardsOf = (recipe: Recipe): ReadonlyArray<NamedReward> => [
  ...recipe.rewards.map((id, index) => ({ id, path: `recipe.rewards[${index}]` })),
  ...recipe.stages.flatMap((stage, seq) =>
    stage.kind === "eval"
      ? (stage.config.rewards ?? []).map((id, index) => ({ id, path: `${stagePath(seq)}.config.rewards[${index}]` }))
      : []
  )
]

/** The ids of all rewards in the recipe. */
export const rewardIdsOf = (recipe: Recipe): ReadonlyArray<string> => rewardsOf(recipe).map(({ id }) => id)

const checkRewards = (recipe: Recipe, known: ReadonlySet<string>): Result.Result<void, ReferenceUnknown> => {
  const missing = rewardsOf(recipe).find(({ id }) => !known.has(id))
  return missing === undefined
    ? Result.succeed(undefined)
    : Result.fail(referenceUnknown("reward", missing.id, missing.path))
}

/** What the evaluation scores with is among the recipe's own rewards. */
const checkEvalRewards = (recipe: Recipe): Result.Result<void, InvalidInput> => {
  const own = new Set(recipe.rewards)
  const other = rewardsOf(recipe).find(({ id }) => !own.has(id))
  return other === undefined
    ? Result.succeed(undefined)
    : Result.fail(invalid(other.path, `${other.id} is not in recipe.rewards: eval scores with rewards of the recipe`))
}

export interface NamedCandidate {
  readonly candidate: Candidate
  readonly path: string
}

/** Every candidate of the recipe, with its path. */
export const candidatesOf = (recipe: Recipe): ReadonlyArray<NamedCandidate> =>
  recipe.stages.flatMap((stage, seq) =>
    stage.kind === "eval"
      ? (stage.config.candidates ?? []).map((candidate, index) => ({
          candidate,
          path: `${stagePath(seq)}.config.candidates[${index}]`
        }))
      : []
  )

/** Without a student there is nothing to evaluate but candidates. */
const checkCandidates = (recipe: Recipe): Result.Result<void, InvalidInput> => {
  const named = candidatesOf(recipe)
  if (recipe.student_model === noStudent && named.length === 0) {
    return Result.fail(invalid(`${stagePath(0)}.config.candidates`, "A recipe without a student names candidates"))
  }
  const keys = named.map(({ candidate }) => JSON.stringify(candidate))
  const twice = named.find((_, index) => keys.indexOf(keys[index] ?? "") < index)
  return twice === undefined ? Result.void : Result.fail(invalid(twice.path, "This candidate is named twice"))
}

const place = (kind: StageKind): number => canonicalOrder.indexOf(kind)

/** The fault of a stage after the stage before it; undefined if valid. */
const stageFault = (stage: Stage, before: Stage | undefined, student: StudentBase): string | undefined => {
  if (stage.kind === "materialize") return "materialize is implicit: leave it out"
  if (before !== undefined && place(stage.kind) === place(before.kind)) return `${stage.kind} is in the recipe twice`
  if (before !== undefined && place(stage.kind) < place(before.kind)) {
    return `${stage.kind} comes before ${before.kind}: the order is ${canonicalOrder.slice(1).join(", ")}`
  }
  return student.stages.includes(stage.kind) ? undefined : `${student.id} does not take ${stage.kind}`
}

const nothingDone = ({ id, served }: StudentBase): string => {
  if (served === undefined) return "A recipe trains by at least one of sft and grpo"
  const student = id === noStudent ? "without a student" : "of a student that was trained elsewhere"
  return `A recipe ${student} is the single stage eval`
}

/**
 * Requires canonical order, no repeated stage, no `materialize`, at least one training stage, and stages that the
 * student supports. An external student supports `eval` alone.
 */
const checkStages = (recipe: Recipe, student: StudentBase): Result.Result<void, InvalidInput> => {
  for (const [index, stage] of recipe.stages.entries()) {
    const fault = stageFault(stage, recipe.stages[index - 1], student)
    if (fault !== undefined) return Result.fail(invalid(`${stagePath(index)}.kind`, fault))
  }
  const works = student.served === undefined ? ["sft", "grpo"] : ["eval"]
  return recipe.stages.some(({ kind }) => works.includes(kind))
    ? Result.succeed(undefined)
    : Result.fail(invalid("recipe.stages", nothingDone(student)))
}

/** The sft stage with closed fields only; -1 for a recipe without such a stage. */
const closedStageOf = ({ stages }: Pick<Recipe, "stages">): number =>
  stages.findIndex((stage) => stage.kind === "sft" && stage.config.fields === "closed_only")

const checkFields = (recipe: Recipe, { engine, id }: StudentBase): Result.Result<void, InvalidInput> => {
  const index = closedStageOf(recipe)
  return index === -1 || engine === "builtin"
    ? Result.void
    : Result.fail(
        invalid(
          `${stagePath(index)}.config.fields`,
          `${id} learns whole answers: only a builtin student learns closed fields alone`
        )
      )
}

/** The model that the training of the recipe embeds texts with, and its path; undefined: none is named. */
export const embeddingsOf = ({
  stages
}: Pick<Recipe, "stages">): { readonly embeddings: EmbeddingModel; readonly path: string } | undefined => {
  for (const [index, stage] of stages.entries()) {
    if (stage.kind !== "sft" || stage.config.embeddings === undefined) continue
    return { embeddings: stage.config.embeddings, path: `${stagePath(index)}.config.embeddings` }
  }
  return undefined
}

const checkEmbeddings = (recipe: Recipe, { embeds = false, id }: StudentBase): Result.Result<void, InvalidInput> => {
  const named = embeddingsOf(recipe)
  if (embeds && named === undefined) {
    const index = recipe.stages.findIndex(({ kind }) => kind === "sft")
    return Result.fail(
      invalid(`${stagePath(index)}.config.embeddings`, `${id} learns from embeddings: name their source and model`)
    )
  }
  return embeds || named === undefined ? Result.void : Result.fail(invalid(named.path, `${id} takes no embeddings`))
}

/** The first rule that the recipe breaks: its rewards, those of eval, its stages. `knownRewards`: the ids that exist. */
export const check = (
  recipe: Recipe,
  student: StudentBase,
  knownRewards: ReadonlySet<string> = new Set()
): Result.Result<void, InvalidInput | ReferenceUnknown> =>
  checkRewards(recipe, knownRewards).pipe(
    Result.andThen(() => checkEvalRewards(recipe)),
    Result.andThen(() => checkStages(recipe, student)),
    Result.andThen(() => checkFields(recipe, student)),
    Result.andThen(() => checkEmbeddings(recipe, student)),
    Result.andThen(() => checkCandidates(recipe))
  )

/** Only captured calls tell who gave the completions. */
export const checkRepeats = (
  { stages }: Recipe,
  { source }: Pick<DatasetVersion, "source">
): Result.Result<void, InvalidInput> => {
  const index = stages.findIndex((stage) => stage.kind === "eval" && (stage.config.teacher_repeats ?? 0) > 0)
  return index === -1 || "calls" in source
    ? Result.void
    : Result.fail(
        invalid(`${stagePath(index)}.config.teacher_repeats`, "Only a version of captured calls has a known teacher")
      )
}

/** Candidates answer conversations, so a version of decisions has nothing to ask them. */
export const checkConversations = (
  recipe: Recipe,
  { questions = [] }: Pick<DatasetVersion, "questions">
): Result.Result<void, InvalidInput> => {
  const [first] = candidatesOf(recipe)
  return first === undefined || questions.length === 0
    ? Result.void
    : Result.fail(invalid(first.path, "A candidate answers conversations, and this version has rows of decisions"))
}

const noLabels =
  "no completion of its train rows can be a label: a text of at most " +
  `${DistillLimits.labelCharactersMax} characters, or JSON of at most ${DistillLimits.jsonLabelCharactersMax}`

/** Whether the data has anything that the student can learn. A builtin student learns labels, from train rows. */
export const checkData = (
  student: StudentBase,
  version: Pick<DatasetVersion, "trainRows" | "questions"> & { readonly profile: RowProfile },
  recipe: Pick<Recipe, "stages"> = { stages: [] }
): Result.Result<void, InvalidInput> => {
  const hasQuestions = (version.questions ?? []).length > 0
  if (hasQuestions && !student.cases.includes("decision")) {
    return Result.fail(invalid("recipe.student_model", `${student.id} does not learn decisions`))
  }
  if (student.engine !== "builtin") return Result.void
  const { census, fields, labels } = version.profile
  if (version.trainRows === 0) return Result.fail(invalid("dataset_version", "The version has no train rows"))
  // Free fields make answers longer than labels.
  if (hasQuestions || closedStageOf(recipe) !== -1) return Result.void
  return labels === null && fields === undefined && census?.labels === 0
    ? Result.fail(invalid("recipe.student_model", `${student.id} cannot learn this version: ${noLabels}`))
    : Result.void
}
