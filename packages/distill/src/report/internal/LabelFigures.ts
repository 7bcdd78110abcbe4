/** Precision and recall per label, and the confusions between labels. Pure. */
import * as Schema from "effect/Schema"

const Share = Schema.NullOr(Schema.Finite)

export const LabelFigures = Schema.Struct({
  label: Schema.String,
  /** Rows with this label by the teacher. */
  support: Schema.Int,
  /**
   * Agreement among the student's answers with the label (precision) and among the teacher's (recall); null without
   * such answers.
   */
  precision: Share,
  recall: Share
})
type LabelFigures = typeof LabelFigures.Type

/** A pair of differing answers of teacher and student, with its count. */
export const Confusion = Schema.Struct({ teacher: Schema.String, student: Schema.String, count: Schema.Int })
type Confusion = typeof Confusion.Type

/** An answer of both by the form that its writings have in common. */
export interface FormedFigures {
  readonly teacher: string
  readonly student: string
  readonly agrees: boolean
}

const labelsShown = 100
const confusionsShown = 10
const excerptMax = 200

export const excerpt = (text: string): string => (text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text)

export const countsOf = (texts: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

export const descending = <A>(counts: ReadonlyMap<A, number>): ReadonlyArray<readonly [A, number]> =>
  [...counts].toSorted(([, a], [, b]) => b - a)

/** Answers are labels if they repeat. */
export const areLabels = (all: ReadonlyArray<FormedFigures>): boolean =>
  new Set(all.map(({ teacher }) => teacher)).size * 2 <= all.length

/** Most frequent first. `nameOf`: how a form is written. */
export const labelFigures = (
  all: ReadonlyArray<FormedFigures>,
  nameOf: (form: string) => string
): ReadonlyArray<LabelFigures> => {
  const support = countsOf(all.map(({ teacher }) => teacher))
  const answered = countsOf(all.map(({ student }) => student))
  const right = countsOf(all.filter(({ agrees }) => agrees).map(({ teacher }) => teacher))
  return descending(support)
    .slice(0, labelsShown)
    .map(([form, count]) => {
      const given = answered.get(form) ?? 0
      const hits = right.get(form) ?? 0
      return {
        label: excerpt(nameOf(form)),
        support: count,
        precision: given === 0 ? null : hits / given,
        recall: hits / count
      }
    })
}

/** Most frequent first. */
export const confusionsOf = (
  all: ReadonlyArray<FormedFigures>,
  nameOf: (form: string) => string
): ReadonlyArray<Confusion> => {
  const wrong = all.filter(({ agrees }) => !agrees)
  return descending(countsOf(wrong.map(({ student, teacher }) => JSON.stringify([teacher, student]))))
    .slice(0, confusionsShown)
    .map(([pair, count]) => {
      const [teacher = "", student = ""] = JSON.parse(pair) as ReadonlyArray<string>
      return { teacher: excerpt(nameOf(teacher)), student: excerpt(nameOf(student)), count }
    })
}
