/**
 * The threshold above which a student may answer in its teacher's place, from a test with a stated error rate, or the reason
 * against any threshold (contract 16.33). Pure.
 */
import * as Schema from "effect/Schema"
import * as LabelRules from "../dataset/LabelRules.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
import type { Verdict } from "./FeedbackQuality.ts"
import * as Reasons from "./internal/RecommendationReasons.ts"
import * as CascadeTest from "./statistics/CascadeTest.ts"
import * as FutureShare from "./statistics/FutureShare.ts"
import * as Weights from "./statistics/Weights.ts"

/** A value with its 95 % interval. */
const Bounds = Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })
type Bounds = typeof Bounds.Type

export const Recommendation = Schema.Struct({
  /** For `below_confidence`. */
  threshold: Schema.Finite,
  /** The student's share of all calls. */
  share: Bounds,
  /** Of student and fallback together with the reference. */
  agreement: Bounds,
  /** The teacher's own agreement with the reference, less the margin. */
  target: Schema.Finite,
  /** The reference: the teacher's second answers, its only answers, or reviewers. */
  target_is: Schema.Literals(["teacher_itself", "one", "reviewed"]),
  /** The probability of recommending a threshold that is worse by more than the margin, at most. */
  error: Schema.Finite,
  method: Schema.String,
  /**
   * US dollars, after what verification costs; null if costs are unknown. The interval predicts what as many calls as in the last 30
   * days save, or 5,000 calls if these are unknown.
   */
  saving_usd_per_1000: Schema.NullOr(Bounds),
  /** At the calls of the last 30 days; null if these are unknown. */
  saving_usd_per_month: Schema.NullOr(Bounds)
})
export type Recommendation = typeof Recommendation.Type

/** How often the teacher gives the same answer to the same prompt. */
export const TeacherItself = Schema.Struct({
  ...Bounds.fields,
  /** Rows with a second answer. */
  rows: Schema.Int,
  method: Schema.Literals(["asked_again", "repeated_calls"])
})
export type TeacherItself = typeof TeacherItself.Type

export interface RecommendedFrom extends Weights.WeightedRow {
  readonly student: string
  readonly teacher: string
  readonly agrees: boolean
  readonly confidence: number | null
  /** A key per distinct prompt; absent if the version drops equal rows. */
  readonly promptKey?: string | null
  /** The teacher's answer when it was asked again; absent if it was not. */
  readonly again?: string
  readonly verdict?: Verdict | null
}

export interface Costs {
  /** US dollars per 1,000 calls; null if unknown. */
  readonly student: number | null
  readonly teacher: number | null
}

export interface RecommendationResult {
  readonly recommendation: Recommendation | null
  /** For a person. */
  readonly reason: string
  readonly teacherItself: TeacherItself | null
}

const margin = 0.02
const error = 0.1
const method = "fixed_sequence_test"
/** Of fewer reviewed or repeated rows the reference is the only answer of the teacher. */
const referenceRowsMin = 100
/** Percent of a student's answers that the guard has the teacher answer too, by default. */
const verifiedShare = 0.02

const formsOf = (item: RecommendedFrom) => {
  const teacher = LabelRules.formOf(item.teacher)
  return { teacher, student: item.agrees ? teacher : LabelRules.formOf(item.student) }
}

interface RepeatedRows {
  /** Different answers of the teacher. */
  readonly labels: number
  readonly method: TeacherItself["method"]
  readonly rows: ReadonlyArray<CascadeTest.PairedRow>
}

/** Rows that the evaluation asked the teacher again, each beside the second answer. */
const againRows = (items: ReadonlyArray<RecommendedFrom>): ReadonlyArray<CascadeTest.PairedRow> =>
  items.flatMap((item) => {
    if (item.again === undefined) return []
    const [forms, again] = [formsOf(item), LabelRules.formOf(item.again)]
    const { confidence, weight = 1 } = item
    return [{ confidence, weight, isStudentRight: forms.student === again, isTeacherRight: forms.teacher === again }]
  })

/** The larger of the two. */
const repeatedOf = (items: ReadonlyArray<RecommendedFrom>): RepeatedRows => {
  const [again, calls] = [againRows(items), repeatedRows(items)]
  const labels = new Set(items.flatMap(({ again, teacher }) => [teacher, again ?? teacher].map(LabelRules.formOf))).size
  return again.length >= calls.length && again.length > 0
    ? { labels, method: "asked_again", rows: again }
    : { labels, method: "repeated_calls", rows: calls }
}

/** Rows of prompts that the teacher was asked more than once, each beside the teacher's next answer to its prompt. */
const repeatedRows = (items: ReadonlyArray<RecommendedFrom>): ReadonlyArray<CascadeTest.PairedRow> => {
  const keyed = items.filter(({ promptKey }) => (promptKey ?? null) !== null)
  return [...Map.groupBy(keyed, ({ promptKey }) => promptKey).values()]
    .filter(({ length }) => length > 1)
    .flatMap((group) => {
      const forms = group.map(formsOf)
      return group.map(({ confidence, weight = 1 }, index) => {
        const again = forms[(index + 1) % forms.length]?.teacher
        return {
          confidence,
          weight,
          isStudentRight: forms[index]?.student === again,
          isTeacherRight: forms[index]?.teacher === again
        }
      })
    })
}

const reviewedRows = (items: ReadonlyArray<RecommendedFrom>): ReadonlyArray<CascadeTest.PairedRow> =>
  items.flatMap(({ confidence, verdict, weight = 1 }) =>
    verdict == null
      ? []
      : [{ confidence, weight, isStudentRight: verdict.student === true, isTeacherRight: verdict.teacher }]
  )

const ownRows = (items: ReadonlyArray<RecommendedFrom>): ReadonlyArray<CascadeTest.PairedRow> =>
  items.map(({ agrees, confidence, weight = 1 }) => ({
    confidence,
    weight,
    isStudentRight: agrees,
    isTeacherRight: true
  }))

interface Reference extends Reasons.TestedReference {
  /** The teacher's agreement with the reference. */
  readonly teacher: number
}

const rightOf = (rows: ReadonlyArray<CascadeTest.PairedRow>): Weights.EffectiveCounts =>
  Weights.countsOf(rows, ({ isTeacherRight }) => isTeacherRight)

const rightShareOf = (rows: ReadonlyArray<CascadeTest.PairedRow>): number => {
  const { successes, trials } = rightOf(rows)
  return trials === 0 ? 0 : successes / trials
}

/** Reviewers know more than a second answer, and a second answer more than none. */
const referenceOf = (items: ReadonlyArray<RecommendedFrom>, { labels, rows: repeated }: RepeatedRows): Reference => {
  const reviewed = reviewedRows(items)
  if (reviewed.length >= referenceRowsMin) {
    return { targetIs: "reviewed", rows: reviewed, teacher: rightShareOf(reviewed), margin }
  }
  if (repeated.length >= referenceRowsMin) {
    const teacher = rightShareOf(repeated)
    const tested = CascadeTest.marginAgainstItself(margin, teacher, labels)
    return { targetIs: "teacher_itself", rows: repeated, teacher, margin: tested }
  }
  return { targetIs: "one", rows: ownRows(items), teacher: 1, margin }
}

const boundsOf = (agreed: number, answered: number): Bounds =>
  AgreementCurve.intervalOf({ agreed, answered }) ?? { value: 0, low: 0, high: 1 }

const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6

/** What the teacher would cost for this share of the calls, less what verification costs. */
const savedOf = (answered: number, teacher: number): number => teacher * answered * (1 - verifiedShare)

/** A saving is predicted for this number of calls if the number of the last 30 days is unknown. */
const usualCalls = 5_000

/** The student gets every call; verification repeats a part of its answers. The interval predicts the saving of the next calls. */
const savingOf = (
  holdout: FutureShare.Holdout,
  { student, teacher }: Costs,
  callsPerMonth: number | null
): Bounds | null => {
  if (student === null || teacher === null) return null
  const spared = FutureShare.spared(holdout, callsPerMonth || usualCalls, verifiedShare)
  const at = (share: number) => rounded(teacher * share - student)
  return { value: at(spared.value), low: at(spared.low), high: at(spared.high) }
}

const scaled = (bounds: Bounds | null, factor: number | null): Bounds | null =>
  bounds === null || factor === null
    ? null
    : { value: rounded(bounds.value * factor), low: rounded(bounds.low * factor), high: rounded(bounds.high * factor) }

const recommendationOf = (
  { rows, targetIs, teacher }: Reference,
  { rows: tested, threshold, weights: { answered, gains, losses } }: CascadeTest.TestedThreshold,
  costs: Costs,
  callsPerMonth: number | null
): Recommendation => {
  const sums = Weights.sumsOf(rows)
  const effective = Weights.effectiveRows(sums)
  const share = boundsOf(answered * Weights.evidenceOf(sums), effective)
  const saving = savingOf({ share: share.value, rows: effective }, costs, callsPerMonth)
  const teacherRight = Weights.sumsOf(rows.filter(({ isTeacherRight }) => isTeacherRight)).weights
  return {
    threshold,
    share,
    // An interval over as many rows as were tested is not too narrow where few heavy rows are lost.
    agreement: boundsOf(((teacherRight + gains - losses) * tested) / sums.weights, tested),
    target: teacher - margin,
    target_is: targetIs,
    error,
    method,
    saving_usd_per_1000: saving,
    saving_usd_per_month: scaled(saving, callsPerMonth === null ? null : callsPerMonth / 1_000)
  }
}

const itselfOf = ({ method: how, rows }: RepeatedRows): TeacherItself | null => {
  if (rows.length === 0) return null
  const { successes, trials } = rightOf(rows)
  return { ...boundsOf(successes, trials), rows: rows.length, method: how }
}

/** `callsPerMonth`: of the last 30 days; null if unknown. */
export const make = (
  items: ReadonlyArray<RecommendedFrom>,
  costs: Costs,
  callsPerMonth: number | null = null
): RecommendationResult => {
  const repeated = repeatedOf(items)
  const teacherItself = itselfOf(repeated)
  if (items.length === 0) return { recommendation: null, reason: Reasons.nothingEvaluated, teacherItself }
  const reference = referenceOf(items, repeated)
  const told = reference.rows.filter(({ confidence }) => confidence !== null)
  // At 0 the student answers all calls, those of which it tells no confidence too: no row tells how good these are.
  const isComplete = told.length === reference.rows.length
  const thresholds = AgreementCurve.of(told.map(({ confidence }) => ({ agrees: true, confidence })))
    .map(({ threshold }) => threshold)
    .filter((threshold) => threshold > 0 || isComplete)
  const tested = CascadeTest.run(reference.rows, { thresholds, margin: reference.margin, error })
  const lowest = tested.findLast(({ answered, p }) => p <= error && answered > 0)
  const terms = { margin, error }
  if (lowest === undefined) {
    return { recommendation: null, reason: Reasons.none(reference, tested[0], terms), teacherItself }
  }
  const recommendation = recommendationOf(reference, lowest, costs, callsPerMonth)
  if (recommendation.saving_usd_per_1000 !== null && recommendation.saving_usd_per_1000.value <= 0) {
    const reason = Reasons.costly(lowest.threshold, savedOf(recommendation.share.value, costs.teacher ?? 0))
    return { recommendation: null, reason, teacherItself }
  }
  const reason = Reasons.recommendation(recommendation, { ...costs, callsPerMonth }, terms)
  return { recommendation, reason, teacherItself }
}
