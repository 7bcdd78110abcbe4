/**
 * How the agreement of a student grows with its rows, and what twice as many rows would bring: by an inverse power law of the
 * disagreement (Figueroa et al., "Predicting sample size required for classification performance", BMC Medical Informatics and Decision
 * Making 12, 2012), fitted to the logarithms by least squares that weigh each point by its disagreements. The law has no floor, so it
 * promises too much where the labels contradict each other. Pure.
 */
import * as Schema from "effect/Schema"
import * as Intervals from "./statistics/internal/Intervals.ts"

/** As a training measures it. */
export const MeasuredPoint = Schema.Struct({
  /** The share of training rows. */
  share: Schema.Finite,
  rows: Schema.Int,
  /** Held-back rows at equal weight, identical for every share; `agreed` counts rows with the same answer from student and teacher. */
  compared: Schema.Finite,
  agreed: Schema.Finite
})
export type MeasuredPoint = typeof MeasuredPoint.Type

export const MeasuredCurve = Schema.Array(MeasuredPoint)

const Agreement = Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })

export const LearningCurvePoint = Schema.Struct({ share: Schema.Finite, rows: Schema.Int, agreement: Agreement })

export const TwiceAsMany = Schema.Struct({
  rows: Schema.Int,
  agreement: Schema.Finite,
  /** Agreement that is gained. */
  gain: Schema.Finite,
  /** Of the power law: the disagreement falls by this power of the rows. */
  exponent: Schema.Finite,
  method: Schema.Literal("inverse_power_law")
})
export type TwiceAsMany = typeof TwiceAsMany.Type

/** From this gain on it is worth waiting for more traffic. */
const worthwhileGain = 0.01

export const render = (curve: ReadonlyArray<MeasuredPoint>): ReadonlyArray<typeof LearningCurvePoint.Type> =>
  curve.flatMap(({ agreed, compared, rows, share }) => {
    const interval = Intervals.wilson(agreed, compared)
    if (interval === undefined) return []
    return [{ share, rows, agreement: { value: agreed / compared, low: interval.low, high: interval.high } }]
  })

/** The exponent of the power law. A student without disagreements counts half a one. */
const exponentOf = (curve: ReadonlyArray<MeasuredPoint>): number => {
  const points = curve.map(({ agreed, compared, rows }) => {
    const missed = Math.max(0.5, compared - agreed)
    return { x: Math.log(rows), y: Math.log(missed / compared), weight: missed }
  })
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const meanX = points.reduce((sum, { weight, x }) => sum + weight * x, 0) / total
  const meanY = points.reduce((sum, { weight, y }) => sum + weight * y, 0) / total
  const spread = points.reduce((sum, { weight, x }) => sum + weight * (x - meanX) ** 2, 0)
  if (spread === 0) return 0
  return Math.max(0, -points.reduce((sum, { weight, x, y }) => sum + weight * (x - meanX) * (y - meanY), 0) / spread)
}

/** Null for fewer than two points. */
export const twiceAsMany = (curve: ReadonlyArray<MeasuredPoint>): TwiceAsMany | null => {
  const last = curve.at(-1)
  if (curve.length < 2 || last === undefined || last.compared <= 0) return null
  const exponent = exponentOf(curve)
  const missed = 1 - last.agreed / last.compared
  const agreement = 1 - missed * 2 ** -exponent
  return { rows: 2 * last.rows, agreement, gain: agreement - (1 - missed), exponent, method: "inverse_power_law" }
}

const points = (share: number): string => (100 * share).toFixed(1)

/** For a person: whether to wait for more traffic. None without a curve. */
export const notesOf = (curve: ReadonlyArray<MeasuredPoint>): ReadonlyArray<string> => {
  const twice = twiceAsMany(curve)
  if (twice === null) return []
  const { agreement, gain, rows } = twice
  const brings = `Twice as many rows (${rows}) would bring about ${points(gain)} points of agreement on rows held back, to ${points(agreement)} %`
  return [
    gain >= worthwhileGain
      ? `${brings}: it is worth waiting for more traffic.`
      : `${brings}: more rows of this kind would hardly help.`
  ]
}
