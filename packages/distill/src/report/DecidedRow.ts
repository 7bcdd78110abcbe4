/** Notes about one holdout row during the evaluation of a decision student. */
import type { Row } from "../dataset/Row.ts"

/** What a student says to a question. */
export interface StudentAnswer {
  readonly question: string
  readonly threshold: number | null
  /** In the order of the question's options. */
  readonly probabilities: ReadonlyArray<number>
}

/** The teacher's second answer to a question. */
export interface SecondAnswer {
  readonly question: string
  /** In the order of the question's options; null: it refuses to answer. */
  readonly probabilities: ReadonlyArray<number> | null
}

/** A decision row, with student answers to all known questions. */
export interface DecidedRow {
  readonly row: Row
  readonly answers: ReadonlyArray<StudentAnswer>
  /** Whether the evidence is unlike the training rows, so the upstream answers. */
  readonly isNew: boolean
  /** Absent: the teacher was not asked about the row again. */
  readonly again?: ReadonlyArray<SecondAnswer>
}

/** Whether the student answers without the upstream. */
export const isAlone = ({ probabilities, threshold }: Omit<StudentAnswer, "question">, isNew: boolean): boolean =>
  !isNew && threshold !== null && Math.max(...probabilities) >= threshold
