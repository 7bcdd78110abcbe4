/** A question of a version's decisions: rows name it by `question`, and the version tells once what it asks (contract 16.20). */
import { Question, QuestionId } from "@limbeck/capture/dialect/decisions/Question"
import * as Schema from "effect/Schema"

export const VersionQuestion = Schema.Struct({
  question: QuestionId,
  /** The name that most of its rows give it; null without a name. */
  name: Schema.NullOr(Schema.String),
  ...Question.fields,
  /** The rows that ask it, with or without an answer. */
  rows: Schema.Int
})
export type VersionQuestion = typeof VersionQuestion.Type
