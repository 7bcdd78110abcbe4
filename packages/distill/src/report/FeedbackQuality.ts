/**
 * Quality of student and teacher by reviewers' feedback. Agreement alone hides a student that is better than an
 * imperfect teacher, because a correct answer against the teacher counts as a difference. Pure.
 */
import * as Schema from "effect/Schema"
import * as Intervals from "./statistics/internal/Intervals.ts"

const Interval = Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String })

/** Share of correct answers among the reviewed rows. */
const Quality = { value: Schema.Finite, interval: Schema.NullOr(Interval), correct: Schema.Int }

export const FeedbackQuality = Schema.Struct({
  /** Holdout rows whose completion a reviewer has judged, or whose right answer one has given. */
  rows: Schema.Int,
  student: Schema.Struct({
    ...Quality,
    /**
     * Rows counted as wrong because reviewers confirmed only the teacher's answer, and the student's answer differs.
     */
    undecided: Schema.Int
  }),
  teacher: Schema.Struct(Quality),
  /** Rows in which only the student is right (`wins`) or only the teacher (`losses`). */
  wins: Schema.Int,
  losses: Schema.Int
})
export type FeedbackQuality = typeof FeedbackQuality.Type

/** What reviewers' words make of the two answers to a row. */
export interface Verdict {
  /** Null: the right answer is not known. */
  readonly student: boolean | null
  readonly teacher: boolean
}

const qualityOf = (correct: number, rows: number) => ({
  value: correct / rows,
  interval: Intervals.wilson(correct, rows) ?? null,
  correct
})

/** Returns null without reviewed rows. */
export const summarize = (verdicts: ReadonlyArray<Verdict>): FeedbackQuality | null => {
  const rows = verdicts.length
  if (rows === 0) return null
  const count = (is: (verdict: Verdict) => boolean) => verdicts.filter(is).length
  return {
    rows,
    student: {
      ...qualityOf(
        count(({ student }) => student === true),
        rows
      ),
      undecided: count(({ student }) => student === null)
    },
    teacher: qualityOf(
      count(({ teacher }) => teacher),
      rows
    ),
    wins: count(({ student, teacher }) => student === true && !teacher),
    losses: count(({ student, teacher }) => student !== true && teacher)
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const between = (interval: FeedbackQuality["teacher"]["interval"]): string =>
  interval === null ? "" : ` (95 % interval ${percent(interval.low)} to ${percent(interval.high)})`

/** For a person. */
export const notesOf = (reviewed: FeedbackQuality | null): ReadonlyArray<string> => {
  if (reviewed === null) return []
  const { rows, student, teacher } = reviewed
  return [
    `Of ${rows} holdout ${rows === 1 ? "row" : "rows"} that reviewers judged, the student is right in ${percent(student.value)}` +
      `${between(student.interval)}, the teacher in ${percent(teacher.value)}${between(teacher.interval)}.`,
    ...(student.undecided === 0
      ? []
      : [
          `In ${student.undecided} of them only the teacher is known to be wrong: they count as wrong of the student too, until a correction says what is right.`
        ])
  ]
}
