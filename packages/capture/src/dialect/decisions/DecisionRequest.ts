/** A request for decisions in the form inside, read from either dialect and written back without a change. */
import type * as Schema from "effect/Schema"
import type { DecisionDialect, Question } from "./Question.ts"

/** A question that can be answered by a student: its options have a closed set of values. */
export interface ReadQuestion extends Question {
  /** For each option in the order of the request, its position in `options`. */
  readonly order: ReadonlyArray<number>
}

export interface RequestedQuestion {
  /** The name in the request; null without one. */
  readonly name: string | null
  /** The member of the request: `questions[0]` or `questions.NAME`. */
  readonly param: string
  /** The question as it stands in the request. */
  readonly member: Schema.Json
  /** Null for a kind or form that only an upstream can judge: a box, an image, or a malformed question. */
  readonly question: ReadQuestion | null
}

export interface DecisionRequest {
  readonly dialect: DecisionDialect
  /** All members of the request; `questions` is replaced when the request is written. */
  readonly members: Schema.JsonObject
  /** In the order of the request. */
  readonly questions: ReadonlyArray<RequestedQuestion>
}
