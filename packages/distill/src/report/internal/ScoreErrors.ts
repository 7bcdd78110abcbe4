/** How far off ordered scores are, beside how often they agree: a 4 for a 5 is less wrong than a 1. Pure. */
import * as Schema from "effect/Schema"
import * as Weights from "../statistics/Weights.ts"

export const ScoreErrors = Schema.Struct({
  /** Distinct scores of the teacher. */
  scores: Schema.Int,
  /** Mean distance between the student's score and the teacher's, in units of the scale. */
  mean_error: Schema.Finite,
  /** The mean distance of always giving the teacher's median score. */
  constant_error: Schema.Finite,
  /** Share of rows with the teacher's score or a neighbouring score. */
  within_one: Schema.Finite,
  /** Student answers without a score; excluded from the figures above. */
  unscored: Schema.Int
})
export type ScoreErrors = typeof ScoreErrors.Type

/** Answers by the form that their writings have in common. */
interface FormedAnswers extends Weights.WeightedRow {
  readonly teacher: string
  readonly student: string
}

interface ScoredRow extends Weights.WeightedRow {
  readonly teacher: number
  readonly student: number | null
}

/** A scale has three scores at least, and as many as 0 to 100 has in steps of 5 at most. */
const scoresMin = 3
const scoresMax = 21

const number = /^"?(-?\d+(?:\.\d+)?)"?$/u

const scoreOf = (form: string): number | null => {
  const digits = number.exec(form)?.[1]
  return digits === undefined ? null : Number(digits)
}

const meanOf = (rows: ReadonlyArray<ScoredRow>, of: (row: ScoredRow) => number): number =>
  rows.reduce((sum, row) => sum + Weights.weightOf(row) * of(row), 0) / Weights.sumsOf(rows).weights

/** The weighted median score. */
const medianOf = (rows: ReadonlyArray<ScoredRow>): number => {
  const ordered = rows.toSorted((a, b) => a.teacher - b.teacher)
  const half = Weights.sumsOf(rows).weights / 2
  let below = 0
  for (const row of ordered) {
    below += Weights.weightOf(row)
    if (below >= half) return row.teacher
  }
  return 0
}

/** Null unless all teacher answers are scores on the same scale. */
export const of = (answers: ReadonlyArray<FormedAnswers>): ScoreErrors | null => {
  const rows = answers.flatMap(({ student, teacher, weight = 1 }): ReadonlyArray<ScoredRow> => {
    const score = scoreOf(teacher)
    return score === null ? [] : [{ teacher: score, student: scoreOf(student), weight }]
  })
  const scale = [...new Set(rows.map(({ teacher }) => teacher))].sort((a, b) => a - b)
  if (rows.length < answers.length || scale.length < scoresMin || scale.length > scoresMax) return null
  const scored = rows.filter(({ student }) => student !== null)
  if (scored.length === 0) return null
  const median = medianOf(scored)
  const isNear = ({ student, teacher }: ScoredRow): boolean => {
    const at = scale.indexOf(teacher)
    return [scale[at - 1], teacher, scale[at + 1]].includes(student ?? Number.NaN)
  }
  return {
    scores: scale.length,
    mean_error: meanOf(scored, ({ student, teacher }) => Math.abs((student ?? 0) - teacher)),
    constant_error: meanOf(scored, ({ teacher }) => Math.abs(median - teacher)),
    within_one: meanOf(scored, (row) => Number(isNear(row))),
    unscored: rows.length - scored.length
  }
}
