/** The questions that completions answer, and how their answers are written. */
import type * as LabelLists from "./LabelLists.ts"
import type * as LabelRules from "./LabelRules.ts"

export interface Question {
  /** Of the field, `""` for a list as a whole; null: the completion as a whole. */
  readonly name: string | null
  /** Options for a list label: `""` (absent) and the label. */
  readonly labels: ReadonlyArray<LabelRules.Label>
  /** The normal form of the question's list label. */
  readonly item?: string
  /** Label of the first question (the tool) that this question requires. Absent: every row answers the question. */
  readonly when?: number
}

/** An answer part, written by one question or, in a list, by a question per label. */
interface Slot {
  readonly questions: number
  /** Null: the label as it is. */
  readonly list: LabelLists.ListWriting | null
}

/** How answers are written. */
export interface AnswerWriting {
  /** What an answer says before each slot, and behind the last. */
  readonly between: ReadonlyArray<string>
  /** Absent: a slot for each question. */
  readonly slots?: ReadonlyArray<Slot>
  /** By label of the first question, how the questions from `from` to `to` are written; other labels are whole answers. */
  readonly variants?: ReadonlyArray<WrittenVariant>
}

export interface WrittenVariant extends Omit<AnswerWriting, "variants"> {
  readonly label: string
  readonly from: number
  readonly to: number
}

export interface Answers extends AnswerWriting {
  readonly questions: ReadonlyArray<Question>
  /** Rows outside of the closed set. */
  readonly odd: number
  /** Tools of the completions with the closed sets of their arguments. */
  readonly calls?: ReadonlyArray<CallVariant>
}

/** A tool with one set of arguments. */
export interface CallVariant {
  /** The label of the first question. */
  readonly label: string
  readonly answers: Answers
}
