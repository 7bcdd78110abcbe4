/** How far off ordered answers are, beside how often they agree: a 4 for a 5 is less wrong than a 1, and "high" than "low". Pure. */
import * as Schema from "effect/Schema"
import * as Weights from "../statistics/Weights.ts"
import * as WordScales from "./WordScales.ts"

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
  unscored: Schema.Int,
  /** Of words with an order: the words that occur, ascending; errors are in steps between them. Absent for numbers. */
  words: Schema.optionalKey(Schema.Array(Schema.String))
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

/** Numbers, and ratings such as `4 stars`, `4/5` and `4 out of 5`, whose suffix is the unit. */
const number = /^(-?\d+(?:\.\d+)?)((?: (?:stars?|points?))|(?:\/| out of )\d+)?$/u

const wordOf = (form: string): string => (/^".*"$/su.test(form) ? form.slice(1, -1) : form)

interface Reading {
  readonly value: number
  readonly unit: string
}

const readNumber = (form: string): Reading | null => {
  const found = number.exec(wordOf(form))
  return found === null ? null : { value: Number(found[1]), unit: (found[2] ?? "").replace(/s$/u, "") }
}

interface Scale {
  readonly scoreOf: (form: string) => number | null
  readonly words?: ReadonlyArray<string>
}

/** A scale for numbers with one unit in all teacher answers. */
const numberScale = (answers: ReadonlyArray<FormedAnswers>): Scale | undefined => {
  const units = new Set(answers.map(({ teacher }) => readNumber(teacher)?.unit))
  const [unit] = units
  if (units.size !== 1 || unit === undefined) return undefined
  return {
    scoreOf: (form) => {
      const read = readNumber(form)
      return read?.unit === unit ? read.value : null
    }
  }
}

/** A scale for words of one `WordScales` entry in all teacher answers. Words that only the student gives extend the scale. */
const wordScale = (answers: ReadonlyArray<FormedAnswers>): Scale | undefined => {
  const teachers = new Set(answers.map(({ teacher }) => wordOf(teacher)))
  if (WordScales.orderOf(teachers) === undefined || teachers.size < scoresMin) return undefined
  const others = new Set(answers.map(({ student }) => wordOf(student)))
  const known = [...others].filter((word) => WordScales.orderOf([...teachers, word]) !== undefined)
  const words = WordScales.orderOf([...teachers, ...known]) ?? WordScales.orderOf(teachers) ?? []
  const places = new Map(words.map((word, place) => [word, place]))
  return { scoreOf: (form) => places.get(wordOf(form)) ?? null, words }
}

/** Whether labels, in their normal forms, are a scale: numbers of one unit, or words with a known order. */
export const isScale = (forms: ReadonlyArray<string>): boolean => {
  const different = [...new Set(forms)]
  if (different.length < scoresMin || different.length > scoresMax) return false
  const answers = different.map((form) => ({ teacher: form, student: form }))
  return (numberScale(answers) ?? wordScale(answers)) !== undefined
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

/** Null unless all teacher answers are on the same scale. */
export const of = (answers: ReadonlyArray<FormedAnswers>): ScoreErrors | null => {
  const { scoreOf = () => null, words } = numberScale(answers) ?? wordScale(answers) ?? {}
  const rows = answers.flatMap(({ student, teacher, weight = 1 }): ReadonlyArray<ScoredRow> => {
    const score = scoreOf(teacher)
    return score === null ? [] : [{ teacher: score, student: scoreOf(student), weight }]
  })
  const scale = [...new Set(rows.map(({ teacher }) => teacher))].sort((a, b) => a - b)
  if (rows.length < answers.length || scale.length < scoresMin || scale.length > scoresMax) return null
  const scored = rows.filter(({ student }) => student !== null)
  if (scored.length === 0) return null
  const median = medianOf(scored)
  const steps = words?.map((_, place) => place) ?? scale
  const isNear = ({ student, teacher }: ScoredRow): boolean => {
    const at = steps.indexOf(teacher)
    return [steps[at - 1], teacher, steps[at + 1]].includes(student ?? Number.NaN)
  }
  return {
    scores: scale.length,
    mean_error: meanOf(scored, ({ student, teacher }) => Math.abs((student ?? 0) - teacher)),
    constant_error: meanOf(scored, ({ teacher }) => Math.abs(median - teacher)),
    within_one: meanOf(scored, (row) => Number(isNear(row))),
    unscored: rows.length - scored.length,
    ...(words === undefined ? {} : { words })
  }
}
