/**
 * How often a student agrees with its teacher on the answers that are sure enough, for each threshold of its confidence that
 * its answers to a holdout tell apart. Pure.
 */
import * as Schema from "effect/Schema"
import * as Intervals from "./statistics/internal/Intervals.ts"

export const CurvePoint = Schema.Struct({
  /** Answers of at least this confidence count; 0 counts those without a confidence too. */
  threshold: Schema.Finite,
  answered: Schema.Int,
  agreed: Schema.Int
})
export type CurvePoint = typeof CurvePoint.Type

/** By ascending threshold. The first threshold is 0, which takes in all rows. */
export const AgreementCurve = Schema.Array(CurvePoint)
export type AgreementCurve = typeof AgreementCurve.Type

export interface JudgedAnswer {
  readonly agrees: boolean
  readonly confidence: number | null
}

/** Points of a curve, the one of threshold 0 included. */
export const pointsMax = 200
/** Four decimals tell 10,000 rows apart, and a person can type them. */
const steps = 10_000

const roundedDown = (confidence: number): number => Math.floor(confidence * steps) / steps

/** All of them, or exactly `thresholdsMax`, evenly spread, the first and the last included. */
const thinned = (thresholds: ReadonlyArray<number>, thresholdsMax: number): ReadonlyArray<number> => {
  const distinct = [...new Set(thresholds)].filter((threshold) => threshold > 0)
  if (distinct.length <= thresholdsMax) return distinct
  const step = (distinct.length - 1) / (thresholdsMax - 1)
  return Array.from({ length: thresholdsMax }, (_, nth) => distinct[Math.round(nth * step)] ?? 0)
}

/** Empty without answers. `max`: the most points. */
export const of = (answers: ReadonlyArray<JudgedAnswer>, max = pointsMax): AgreementCurve => {
  if (answers.length === 0) return []
  const told = answers
    .flatMap(({ agrees, confidence }) => (confidence === null ? [] : [{ agrees, threshold: roundedDown(confidence) }]))
    .toSorted((a, b) => a.threshold - b.threshold)
  const points: Array<CurvePoint> = []
  let from = told.length
  let agreed = 0
  for (const threshold of thinned(
    told.map((one) => one.threshold),
    Math.min(max, pointsMax) - 1
  ).toReversed()) {
    for (; from > 0 && (told[from - 1]?.threshold ?? 0) >= threshold; from--) if (told[from - 1]?.agrees) agreed++
    points.push({ threshold, answered: told.length - from, agreed })
  }
  const all = { threshold: 0, answered: answers.length, agreed: answers.filter(({ agrees }) => agrees).length }
  return [all, ...points.toReversed()]
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

/** The 95 % interval of Wilson (1927); null without answers. */
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
    "agreement with the teacher on them with a 95 % interval; null without answered rows. `[]` without an evaluation"
})

export const render = (curve: AgreementCurve) =>
  curve.map((point) => ({
    threshold: point.threshold,
    share: point.answered / Math.max(1, curve[0]?.answered ?? 0),
    agreement: intervalOf(point)
  }))
