/** A recipe: the executable part of a proposal, and the input of a run (service-api 2.4, contract 5). */
import { unlistedKey } from "@limbeck/core/json/Unlisted"
import * as Characters from "@limbeck/core/text/Characters"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"

export const StageKind = Schema.Literals(["materialize", "sft", "grpo", "eval", "publish"])
export type StageKind = typeof StageKind.Type

/** Every run has a row for each stage, in this order. */
export const canonicalOrder: ReadonlyArray<StageKind> = StageKind.literals

/** The stages that a recipe may name: the first is implicit. */
export const namedStages: ReadonlyArray<StageKind> = canonicalOrder.slice(1)

const between = (minimum: number, maximum: number) => Schema.isBetween({ minimum, maximum })
const whole = (minimum: number, maximum: number) => Schema.Int.check(between(minimum, maximum))
const positive = Schema.Finite.check(Schema.isGreaterThan(0))
const learningRate = positive.check(Schema.isLessThanOrEqualTo(1))
const text = Schema.NonEmptyString.check(Characters.isMaxCharacters(DistillLimits.nameMax))
const rewardIds = Schema.Array(Schema.String.check(Characters.isMaxCharacters(DistillLimits.nameMax))).check(
  Schema.isMaxLength(DistillLimits.recipeRewardsMax)
)

const moduleName = Schema.String.check(
  Schema.isPattern(/^\w+(\.\w+)*$/u),
  Characters.isMaxCharacters(DistillLimits.nameMax)
)
const targetModules = Schema.Array(moduleName).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(DistillLimits.targetModulesMax)
)

/** `closed_only`: a student gives the fields with a closed set of values. */
export const AnswerFields = Schema.Literals(["whole", "closed_only"])
export type AnswerFields = typeof AnswerFields.Type

/** A model of a source that embeds texts. */
export const EmbeddingModel = Schema.Struct({
  /** A source of the caller with the dialect `openai`, by name or id. */
  source: text,
  model: text
})
export type EmbeddingModel = typeof EmbeddingModel.Type

export const SftConfig = Schema.Struct({
  epochs: Schema.optionalKey(whole(1, 100)),
  lora_rank: Schema.optionalKey(whole(1, 1024)),
  lora_alpha: Schema.optionalKey(
    whole(1, 4096).annotate({ description: "Scale of a language model's adapter. Absent: twice `lora_rank`" })
  ),
  lora_dropout: Schema.optionalKey(
    Schema.Finite.check(between(0, 0.9)).annotate({
      description: "Share of the adapter's inputs that a training step drops. Absent: 0"
    })
  ),
  target_modules: Schema.optionalKey(
    targetModules.annotate({
      description: "Names of the layers that get an adapter, such as `q_proj`. Absent: all linear layers"
    })
  ),
  quantization: Schema.optionalKey(
    Schema.Literals(["none", "8bit", "4bit"]).annotate({
      description: "Precision of the base model's weights while its adapter is trained. Absent: `none`"
    })
  ),
  learning_rate: Schema.optionalKey(learningRate),
  max_seq_len: Schema.optionalKey(whole(16, 1_048_576)),
  fields: Schema.optionalKey(
    AnswerFields.annotate({
      description:
        "`closed_only`: a builtin student learns the fields of JSON answers with a closed set of values, for a deployment with the same " +
        "setting. Absent or `whole`: it learns whole answers"
    })
  ),
  embeddings: Schema.optionalKey(
    EmbeddingModel.annotate({
      description:
        "The model of a source with the dialect `openai` whose embeddings `builtin/embedding-classifier` learns from and asks for with " +
        "each request; other students take none"
    })
  )
})

const GrpoConfig = Schema.Struct({
  steps: Schema.optionalKey(whole(1, 100_000)),
  group_size: Schema.optionalKey(whole(2, 256)),
  learning_rate: Schema.optionalKey(learningRate),
  kl_beta: Schema.optionalKey(Schema.Finite.check(between(0, 10))),
  max_new_tokens: Schema.optionalKey(whole(1, 1_048_576)),
  temperature: Schema.optionalKey(Schema.Finite.check(between(0, 2)))
})

/** A hosted model that answers the same rows beside the student. */
export const Candidate = Schema.Struct({
  /** A source of the caller, by name or id. */
  source: text,
  model: text,
  /** A system message before those of the row. */
  instructions: Schema.optionalKey(
    Schema.NonEmptyString.check(Characters.isMaxCharacters(DistillLimits.candidateInstructionsMax))
  )
})
export type Candidate = typeof Candidate.Type

/** `student_model` of a recipe that evaluates candidates alone. */
export const noStudent = "none"

export const EvalConfig = Schema.Struct({
  rewards: Schema.optionalKey(rewardIds),
  judge_model: Schema.optionalKey(text),
  sample: Schema.optionalKey(
    whole(1, 1_000_000).annotate({
      description: `Rows of the holdout that the evaluation asks about. Absent: all, up to ${DistillLimits.evaluatedRowsMax}`
    })
  ),
  candidates: Schema.optionalKey(Schema.Array(Candidate).check(Schema.isMaxLength(DistillLimits.candidatesMax))),
  teacher_repeats: Schema.optionalKey(
    whole(0, DistillLimits.teacherRepeatsMax).annotate({
      description:
        "Rows of the holdout that a live run asks the teacher again, for `teacher_itself`. Absent: 200, or as many as the budget " +
        "leaves, where the version is of calls of one model; a number that the budget does not hold fails the run"
    })
  )
})

export type EvalConfig = typeof EvalConfig.Type

/** How many rows of the holdout an evaluation asks about. */
export const evaluatedRows = ({ sample }: Pick<EvalConfig, "sample">, holdoutRows: number): number =>
  Math.min(holdoutRows, sample ?? DistillLimits.evaluatedRowsMax)

const PublishConfig = Schema.Struct({ merge_adapter: Schema.optionalKey(Schema.Boolean) })

const stage = <const K extends StageKind, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({ kind: Schema.Literal(kind), config })

/** `materialize` has the shape of a stage, so that its own rule can reject it. */
export const Stage = Schema.Union([
  stage("sft", SftConfig),
  stage("grpo", GrpoConfig),
  stage("eval", EvalConfig),
  stage("publish", PublishConfig),
  stage("materialize", Schema.Record(Schema.String, Schema.Never)).annotate({ [unlistedKey]: true })
]).annotate({ identifier: "Stage" })
export type Stage = typeof Stage.Type

export const Recipe = Schema.Struct({
  student_model: text,
  stages: Schema.Array(Stage).check(Schema.isMaxLength(DistillLimits.recipeStagesMax)),
  rewards: rewardIds
}).annotate({ identifier: "Recipe" })
export type Recipe = typeof Recipe.Type

/** Defaults of stage members; shown in the docs and in stage rows. */
export const defaults = {
  materialize: {},
  sft: { epochs: 3, lora_rank: 16, learning_rate: 0.0002, max_seq_len: 4096 },
  grpo: { steps: 100, group_size: 8, learning_rate: 0.000005, kl_beta: 0.04, max_new_tokens: 512, temperature: 1 },
  eval: {},
  publish: { merge_adapter: false }
} as const satisfies { readonly [K in StageKind]: Extract<Stage, { readonly kind: K }>["config"] }
