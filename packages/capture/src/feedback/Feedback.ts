/** Feedback: what somebody thought of an answer, joined to calls by their id or by the caller's own key (contract 4, 14.26). */
import * as Id from "@limbeck/core/ids/Id"
import { Millis } from "@limbeck/core/time/Timestamp"
import { TokenMaker } from "@limbeck/core/tokens/Token"
import * as Schema from "effect/Schema"

const FeedbackId = Id.schema("fb")

/** Who gave feedback: a person on the dashboard, or the holder of a token. */
export const Giver = TokenMaker
export type Giver = typeof Giver.Type

export const Feedback = Schema.Struct({
  id: FeedbackId,
  /** At least one of call, external id and prompt is set; an external id may belong to future calls. */
  call: Schema.NullOr(Schema.String),
  externalId: Schema.NullOr(Schema.String),
  name: Schema.String,
  value: Schema.Finite,
  comment: Schema.NullOr(Schema.String),
  /** The question of a call of decisions: its id, or its name where the call was still to come. Absent or null: the answer as a whole. */
  question: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /**
   * The prompt of a reviewed row or call: its key in hexadecimal, equal for near-duplicates. The comment then holds the judged
   * answer of a row, or the right answer for a `correction`. Absent or null: feedback on calls.
   */
  prompt: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Absent in older feedback. */
  givenBy: Schema.optionalKey(Giver),
  createdAt: Millis
})
export type Feedback = typeof Feedback.Type

export interface NewFeedback {
  /** One of the two, or both. */
  readonly call?: string | undefined
  readonly externalId?: string | undefined
  readonly name: string
  readonly value: number
  readonly comment?: string | undefined
  /** A question of a call of decisions: its id, or its name in that call. */
  readonly question?: string | undefined
  readonly givenBy?: Giver | undefined
}
