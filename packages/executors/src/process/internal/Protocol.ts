/** What the server and a trainer say to each other: one JSON object in, JSON Lines out (docs/trainers.md). */
import { AssistantMessage } from "@limbeck/distill/dataset/Row"
import { nestsDeeper } from "@limbeck/distill/dataset/RowShape"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { StageContext } from "@limbeck/distill/run/Executor"
import { sanitizeJson } from "@limbeck/distill/run/Sanitizer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ProcessLimits } from "./Limits.ts"
import type { Place } from "./Place.ts"
import type { ScoringSession } from "./Scoring.ts"

const version = 1

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Name = Schema.NonEmptyString.check(Schema.isMaxLength(ProcessLimits.metricNameCharactersMax))
const Level = Schema.Literals(["debug", "info", "warn", "error"])

export const Metric = Schema.Struct({
  type: Schema.Literal("metric"),
  name: Name,
  /** Null: not a number. */
  value: Schema.NullOr(Schema.Finite),
  unit: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(ProcessLimits.metricNameCharactersMax))),
  step: Schema.optionalKey(NotNegative)
})

const Log = Schema.Struct({
  type: Schema.Literal("log"),
  message: Schema.String,
  level: Schema.optionalKey(Level)
})

/** Tokens since the trainer was started. */
const Spend = Schema.Struct({
  type: Schema.Literal("spend"),
  judge_tokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))
})

const Checkpoint = Schema.Struct({ type: Schema.Literal("checkpoint"), state: Schema.Json })

export const Answer = Schema.Struct({
  type: Schema.Literal("answer"),
  row: Schema.String,
  completion: Schema.Union([Schema.String, AssistantMessage]),
  latency_ms: NotNegative,
  confidence: Schema.optionalKey(Schema.NullOr(Share))
})
export type Answer = typeof Answer.Type

export const Result = Schema.Struct({
  type: Schema.Literal("result"),
  artifact: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString)),
  details: Schema.optionalKey(Schema.JsonObject)
})
export type Result = typeof Result.Type

export const Failure = Schema.Struct({
  type: Schema.Literal("failure"),
  message: Schema.String,
  retryable: Schema.optionalKey(Schema.Boolean)
})
export type Failure = typeof Failure.Type

export const Message = Schema.Union([Metric, Log, Spend, Checkpoint, Answer, Result, Failure])
export type Message = typeof Message.Type

const types: ReadonlyArray<string> = Message.members.map(({ fields }) => fields.type.literal)
const decode = Schema.decodeUnknownOption(Message)

/** A line without a message: free text, or a malformed message with the reason in `text`. */
export type Other = { readonly type: "text"; readonly text: string } | { readonly type: "wrong"; readonly text: string }

const wrong = (text: string): Other => ({ type: "wrong", text })

const tryParse = (text: string): Option.Option<Schema.Json> =>
  Option.liftThrowable((): Schema.Json => JSON.parse(text))()

/** Some JSON writers write these, which JSON does not have. */
const withoutNaN = (text: string): string => text.replace(/:\s?-?(?:NaN|Infinity)\b/g, ":null")

const typeOf = (json: Schema.Json): string | undefined =>
  typeof json === "object" && json !== null && "type" in json && typeof json.type === "string" ? json.type : undefined

/**
 * A line that resembles JSON may hide a credential behind escapes, so the log does not show it. Other languages print
 * values in the same form, without double quotes.
 */
const notJson = (text: string): Other =>
  /^\s*(?:"|\{\s*"|\[\s*["{[])/.test(text)
    ? wrong(`A line of ${text.length} characters is not JSON`)
    : { type: "text", text }

const fromJson = (json: Schema.Json): Message | Other => {
  const type = typeOf(json)
  if (type === undefined) return wrong("A line has no type")
  // A type that we do not know may be anything, a credential too.
  if (!types.includes(type)) return wrong("A line has a type that is not known")
  const decoded = decode(json)
  return Option.isSome(decoded) ? decoded.value : wrong(`A line of type ${type} lacks a field or has a wrong one`)
}

/** Parses a line and redacts strings that look like credentials. */
export const read = (text: string): Message | Other => {
  const json = Option.orElse(tryParse(text), () => tryParse(withoutNaN(text)))
  if (Option.isNone(json)) return notJson(text)
  // A bare number is free text.
  if (typeof json.value !== "object" && typeof json.value !== "string") return { type: "text", text }
  return nestsDeeper(json.value, DistillLimits.rowDepthMax)
    ? wrong("A line nests too deep")
    : fromJson(sanitizeJson(json.value))
}

const usd = (micros: number): number => micros / 1e6

/** The trainer's input at its start. */
export const input = (options: {
  readonly context: StageContext
  readonly place: Place
  readonly workdir: string
  readonly studentModel: string
  /** The artifact of the stage before; null without one. */
  readonly artifact: string | null
  /** The state of the last checkpoint. */
  readonly state: Schema.Json | null
  /** Null if the server gives this trainer no scores. */
  readonly scoring: Pick<ScoringSession, "rewards" | "file"> | null
}): Schema.JsonObject => {
  const { artifact, context, place, scoring, state, studentModel, workdir } = options
  const { run, stage } = context
  const isEval = stage.kind === "eval"
  return {
    protocol: version,
    run: run.id,
    stage: { seq: stage.seq, kind: stage.kind, attempt: stage.attempt },
    config: stage.config,
    student_model: studentModel,
    paths: {
      workdir,
      // Training stages never receive the holdout.
      train: isEval ? null : place.train,
      holdout: isEval ? place.holdout : null,
      artifact,
      checkpoints: place.checkpoints
    },
    budget: {
      max_cost_usd: usd(run.budgetMicros),
      spent_usd: usd(run.totals.costMicros),
      price_per_gpu_second: usd(run.prices.microsPerGpuSecond)
    },
    resume: state === null ? null : { state },
    seed: context.version.seed,
    ...(scoring === null ? {} : { rewards: { ids: scoring.rewards, file: scoring.file } }),
    ...(run.dryRun ? { rehearsal: true } : {})
  }
}
