/** What an evaluation of a student of decisions notes of one holdout row. */
import type { Row } from "../dataset/Row.ts"

/** What a student says to a question. */
export interface StudentAnswer {
  readonly question: string
  readonly threshold: number | null
  /** In the order of the question's options. */
  readonly probabilities: ReadonlyArray<number>
}

/** What the teacher says to a question when it is asked again. */
export interface SecondAnswer {
  readonly question: string
  /** In the order of the question's options; null: it refuses to answer. */
  readonly probabilities: ReadonlyArray<number> | null
}

/** A row of decisions, and what the student says to those of its questions that it knows. */
export interface DecidedRow {
  readonly row: Row
  readonly answers: ReadonlyArray<StudentAnswer>
  /** Whether the evidence is unlike what the student learnt from, so that the upstream answers. */
  readonly isNew: boolean
  /** Absent: the teacher was not asked about the row again. */
  readonly again?: ReadonlyArray<SecondAnswer>
}

/** Whether the student answers without the upstream. */
export const isAlone = ({ probabilities, threshold }: Omit<StudentAnswer, "question">, isNew: boolean): boolean =>
  !isNew && threshold !== null && Math.max(...probabilities) >= threshold
