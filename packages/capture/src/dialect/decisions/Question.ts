/**
 * Words of decisions: questions with a closed set of answers, and the distributions that answer them (contract 16.17 to
 * 16.20). Both dialects are read into these words.
 */
import * as Id from "@limbeck/core/ids/Id"
import * as Schema from "effect/Schema"

/** The dialect of a body: OpenAI's `decisions`, or System One. */
export type DecisionDialect = "openai" | "systemone"

/** `predicate`: yes or no, a `noul` of System One. `score`: ordered levels, the lowest first. */
export const QuestionKind = Schema.Literals(["predicate", "choice", "score"])
export type QuestionKind = typeof QuestionKind.Type

/** Digest of a question's kind, instructions and options; see `QuestionRules`. */
export const QuestionId = Id.schema("qst")
export type QuestionId = typeof QuestionId.Type

export const Option = Schema.Struct({
  /** `false` or `true` of a predicate, the typed value of a choice, the text of a level. */
  value: Schema.Union([Schema.String, Schema.Boolean]),
  description: Schema.optionalKey(Schema.String)
})
export type Option = typeof Option.Type

/** A question without its name, which is no part of its identity. */
export const Question = Schema.Struct({
  kind: QuestionKind,
  /** In Unicode form NFKC, with white space folded; text parts are joined by a newline. */
  instructions: Schema.String,
  /** Sorted: a predicate has false and true, a choice its values by type and value, a score its levels in order. */
  options: Schema.Array(Option)
})
export type Question = typeof Question.Type

/** The answer to one question. */
export const Answer = Schema.Struct({
  /** By the sorted options; null without an answer: a refusal, or an answer that cannot be read. */
  probabilities: Schema.NullOr(Schema.Array(Schema.Finite)),
  refusal: Schema.Boolean
})
export type Answer = typeof Answer.Type

const decision = {
  question: QuestionId,
  /** The name in the request; null without one. */
  name: Schema.NullOr(Schema.String),
  kind: QuestionKind,
  ...Answer.fields
}

/** An answer in a row of a dataset version (contract 16.20). */
export const RowDecision = Schema.Struct({ ...decision, source: Schema.Literals(["teacher", "feedback"]) })
export type RowDecision = typeof RowDecision.Type

/** An answer in a captured call (contract 16.23). */
export const CallDecision = Schema.Struct({ ...decision, served_by: Schema.Literals(["student", "upstream"]) })
export type CallDecision = typeof CallDecision.Type
