/**
 * How often a student agrees with its teacher on the answers that are sure enough, for each threshold of its confidence that
 * its answers to a holdout tell apart. Pure.
 */
import * as Schema from "effect/Schema"
import * as Intervals from "./statistics/internal/Intervals.ts"
import * as Weights from "./statistics/Weights.ts"

export const CurvePoint = Schema.Struct({
  /** Answers of at least this confidence count; 0 counts those without a confidence too. */
  threshold: Schema.Finite,
  /** Effective rows, rounded: a guard counts comparisons. */
  answered: Schema.Int,
  agreed: Schema.Int,
  /** The share of all rows that is answered, by weight. Absent where every weight is 1. */
  share: Schema.optionalKey(Schema.Finite)
})
export type CurvePoint = typeof CurvePoint.Type

/** By ascending threshold. The first threshold is 0, which takes in all rows. */
export const AgreementCurve = Schema.Array(CurvePoint)
export type AgreementCurve = typeof AgreementCurve.Type

export interface JudgedAnswer extends Weights.WeightedRow {
  readonly agrees: boolean
  readonly confidence: number | null
}

/** Points of a curve, the one of threshold 0 included. */
export const pointsMax = 200
/** Four decimals tell 10,000 rows apart, and a person can type them. */
const steps = 10_000

const roundedDown = (confidence: number): number => Math.floor(confidence * steps) / steps

/** All of them, or exactly `thresholdsMax`, evenly spread, the first and the last included. */
const thin = (thresholds: ReadonlyArray<number>, thresholdsMax: number): ReadonlyArray<number> => {
  const distinct = [...new Set(thresholds)].filter((threshold) => threshold > 0)
  if (distinct.length <= thresholdsMax) return distinct
  const step = (distinct.length - 1) / (thresholdsMax - 1)
  return Array.from({ length: thresholdsMax }, (_, nth) => distinct[Math.round(nth * step)] ?? 0)
}

/** Sums of the weights of answers, which grow with each answer. */
interface AnswerSums extends Weights.WeightSums {
  readonly agreed: number
}

const noAnswers: AnswerSums = { weights: 0, squares: 0, agreed: 0 }

const withAnswer = ({ agreed, squares, weights }: AnswerSums, { agrees, weight = 1 }: JudgedAnswer): AnswerSums => ({
  weights: weights + weight,
  squares: squares + weight * weight,
  agreed: agreed + (agrees ? weight : 0)
})

/** Effective rows of unequal weights are no whole numbers. */
const pointOf = (threshold: number, sums: AnswerSums): CurvePoint => {
  const answered = Math.round(Weights.effectiveRows(sums))
  return { threshold, answered, agreed: Math.min(answered, Math.round(sums.agreed * Weights.evidenceOf(sums))) }
}

/** Empty without answers. `max`: the most points. */
export const of = (answers: ReadonlyArray<JudgedAnswer>, max = pointsMax): AgreementCurve => {
  if (answers.length === 0) return []
  const all = answers.reduce(withAnswer, noAnswers)
  const shareOf = answers.some((answer) => Weights.weightOf(answer) !== 1)
    ? ({ weights }: AnswerSums) => ({ share: weights / all.weights })
    : () => ({})
  const told = answers
    .flatMap((answer) => (answer.confidence === null ? [] : [{ ...answer, threshold: roundedDown(answer.confidence) }]))
    .toSorted((a, b) => a.threshold - b.threshold)
  const points: Array<CurvePoint> = []
  let from = told.length
  let sums = noAnswers
  for (const threshold of thin(
    told.map((one) => one.threshold),
    Math.min(max, pointsMax) - 1
  ).toReversed()) {
    for (; from > 0 && told[from - 1]!.threshold >= threshold; from--) sums = withAnswer(sums, told[from - 1]!)
    points.push({ ...pointOf(threshold, sums), ...shareOf(sums) })
  }
  return [{ ...pointOf(0, all), ...shareOf(all) }, ...points.toReversed()]
}

/**
 * The counts of a threshold that may stand between two. A curve that leaves thresholds out counts for the one below, whose
 * answers are no surer. Undefined for an empty curve.
 */
export const at = (curve: AgreementCurve, threshold: number): CurvePoint | undefined => {
  if (curve.length === 0) return undefined
  const below = curve.findLast((point) => point.threshold <= threshold)
  if (curve.length >= pointsMax || below?.threshold === threshold) return below
  return curve.find((point) => point.threshold > threshold) ?? { threshold, answered: 0, agreed: 0 }
}

/** An alias, because an interface is no JSON object to the compiler. */
type AgreementInterval = { readonly value: number; readonly low: number; readonly high: number }

/** The 95 % interval of Wilson (1927), of rows or effective rows; null without answers. */
export const intervalOf = ({ agreed, answered }: Pick<CurvePoint, "agreed" | "answered">): AgreementInterval | null => {
  const interval = Intervals.wilson(agreed, answered)
  return interval === undefined ? null : { value: agreed / answered, low: interval.low, high: interval.high }
}

/** As reports and students show it (contract 16.40). */
export const AgreementAt = Schema.Array(
  Schema.Struct({
    threshold: Schema.Finite,
    share: Schema.Finite,
    agreement: Schema.NullOr(Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite }))
  })
).annotate({
  description:
    "By ascending `threshold` (`below_confidence`), at most 200: the share of holdout rows that the student answers, and its " +
    "agreement with the teacher on them with a 95 % interval, by the weights of the rows; null without answered rows. `[]` without an evaluation"
})

export const render = (curve: AgreementCurve) =>
  curve.map((point) => ({
    threshold: point.threshold,
    share: point.share ?? point.answered / Math.max(1, curve[0]?.answered ?? 0),
    agreement: intervalOf(point)
  }))
