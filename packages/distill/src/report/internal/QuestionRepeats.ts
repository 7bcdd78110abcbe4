/**
 * Second teacher answers to a decision question: the teacher's agreement with itself, and the confidence threshold at which student and
 * teacher together match this agreement (contract 16.32, 16.33). Pure.
 */
import * as NumberRules from "@limbeck/capture/dialect/decisions/NumberRules"
import * as Schema from "effect/Schema"
import * as AgreementCurve from "../AgreementCurve.ts"
import * as Recommendation from "../Recommendation.ts"

const { agreement, error, method, share, target, threshold } = Recommendation.Recommendation.fields

export const figures = {
  /** How often the teacher gives the same answer when it is asked again; null: it was not. */
  teacher_itself: Schema.NullOr(Recommendation.TeacherItself),
  /** The threshold that the second answers recommend; null with fewer than 100 second answers, or if every threshold fails the test. */
  recommendation: Schema.NullOr(Schema.Struct({ threshold, share, agreement, target, error, method }))
}

/** A row with two answers of the teacher. Numbers name the position with the highest probability. */
export interface RepeatedRow {
  readonly teacher: number
  /** Null: the teacher refused the second request. */
  readonly again: number | null
  /** Null: the student does not know the question. */
  readonly student: number | null
  /** Null: at no threshold the student answers. */
  readonly confidence: number | null
}

export interface RepeatFigures {
  readonly teacher_itself: Recommendation.TeacherItself | null
  readonly recommendation: Schema.Schema.Type<typeof figures.recommendation>
}

/** Figures for a question without second answers. */
export const none: RepeatFigures = { teacher_itself: null, recommendation: null }

/**
 * Below this agreement with itself a teacher is no reference: a student on par would be equally arbitrary. Training then keeps its own
 * thresholds.
 */
const itselfMin = 0.8

/** The position of the most probable option; null for a refusal. */
export const topOf = (probabilities: ReadonlyArray<number> | null): number | null =>
  probabilities === null ? null : NumberRules.mostProbable(probabilities)

const itemOf = ({ again, confidence, student, teacher }: RepeatedRow): Recommendation.RecommendedFrom => ({
  student: String(student),
  teacher: String(teacher),
  agrees: student === teacher,
  confidence: student === null ? null : confidence,
  again: String(again)
})

/** A single question has no known price, so recommendations state no saving. */
const noCosts = { student: null, teacher: null }

const recommendationOf = (rows: ReadonlyArray<RepeatedRow>): RepeatFigures["recommendation"] => {
  const { recommendation } = Recommendation.make(rows.map(itemOf), noCosts)
  // Of too few second answers the reference is the first, against which the training has found a threshold.
  if (recommendation === null || recommendation.target_is !== "teacher_itself") return null
  const { agreement, error, method, share, target, threshold } = recommendation
  return { threshold, share, agreement, target, error, method }
}

export const of = (rows: ReadonlyArray<RepeatedRow>): RepeatFigures => {
  const agreed = rows.filter(({ again, teacher }) => again === teacher).length
  const interval = AgreementCurve.intervalOf({ answered: rows.length, agreed })
  if (interval === null) return none
  const isReference = interval.value >= itselfMin && rows.some(({ student }) => student !== null)
  return {
    teacher_itself: { ...interval, rows: rows.length, method: "asked_again" },
    recommendation: isReference ? recommendationOf(rows) : null
  }
}
