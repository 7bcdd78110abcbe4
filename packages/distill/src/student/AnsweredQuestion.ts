/** A question that a student of decisions answers (contract 16.21). */
import { Option, QuestionId, QuestionKind } from "@limbeck/capture/dialect/decisions/Question"
import * as Schema from "effect/Schema"

export const AnsweredQuestion = Schema.Struct({
  question: QuestionId,
  name: Schema.NullOr(Schema.String),
  kind: QuestionKind,
  options: Schema.Array(Option),
  /** The least top probability with which the student answers alone; null: it has not learnt the question well enough. */
  threshold: Schema.NullOr(Schema.Finite),
  /** With the teacher, over all validation rows that ask the question; null without any. */
  agreement: Schema.NullOr(Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite }))
})
export type AnsweredQuestion = typeof AnsweredQuestion.Type
