/**
 * The vote on a suspect: its own answer and at most two new ones of a teacher. Two equal answers decide, by the rule of labels:
 * case, white space and end punctuation do not matter. Pure.
 */
import * as Schema from "effect/Schema"
import type { Message } from "../dataset/RowText.ts"
import * as RowReview from "../review/RowReview.ts"

export const RelabelOutcome = Schema.Literals(["changed", "confirmed", "undecided", "not_asked"]).annotate({
  description:
    "`changed`: the row has the answer on which two new ones agree; `confirmed`: a new answer equals the row's; `undecided`: no two " +
    "answers are equal, and the row stays as it is; `not_asked`: the budget, or a silent source, ended the asking before"
})
export type RelabelOutcome = typeof RelabelOutcome.Type

/** New answers to one suspect. */
export const answersMax = 2

/** A new answer; null: none came. */
export type NewAnswer = Message | null

/** Whether a third answer can decide nothing: a new one equals the row's own. */
export const isConfirmed = (own: Message, answers: ReadonlyArray<NewAnswer>): boolean =>
  answers.some((answer) => answer !== null && RowReview.isSame(answer, own))

export interface Vote {
  readonly outcome: RelabelOutcome
  readonly answers: ReadonlyArray<NewAnswer>
  /** The answer that replaces the row's; null: it stays. */
  readonly right: Message | null
}

export const voteOf = (own: Message, answers: ReadonlyArray<NewAnswer>): Vote => {
  if (answers.length === 0) return { outcome: "not_asked", answers, right: null }
  if (isConfirmed(own, answers)) return { outcome: "confirmed", answers, right: null }
  const [first, second] = answers
  const isChanged = first && second && RowReview.isSame(first, second)
  return isChanged ? { outcome: "changed", answers, right: first } : { outcome: "undecided", answers, right: null }
}
