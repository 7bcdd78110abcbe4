/**
 * Calibrates confidence: one temperature for all scores (Guo et al., "On calibration of modern neural networks", 2017),
 * then isotonic regression of the greatest probability over bins of rows (Zadrozny and Elkan, "Transforming classifier
 * scores into accurate multiclass probability estimates", 2002), and the remaining expected calibration error. Each row
 * counts by its weight; evidence is counted in effective rows.
 */
import { unasked } from "@limbeck/distill/dataset/AnswerRules"
import * as Weights from "@limbeck/distill/report/statistics/Weights"
import { greatest, softmax } from "./Softmax.ts"

/** The scores of a row's labels, and its correct label. */
export interface LabelScores extends Weights.WeightedRow {
  readonly scores: Float64Array
  /** `unasked`: the row does not answer the head. */
  readonly label: number
  /** Label of the first head that this head requires in an answer. */
  readonly when?: number
  /** For a question of decisions, its head, and the teacher's distribution in place of the one label. */
  readonly head?: number
  readonly target?: ReadonlyArray<number>
}

/** The scores of each field of a row; a single field if the whole completion is the label. */
export type RowScores = ReadonlyArray<LabelScores>

/** Wide enough for a model with tiny scores that hardly learnt, and for a model that memorized its rows. */
const bounds = { low: Math.log(1e-3), high: Math.log(1e3) }
const steps = 60
const golden = (Math.sqrt(5) - 1) / 2

/** All fields of a row have its weight. */
const rowWeights = (scored: ReadonlyArray<RowScores>): Weights.WeightSums =>
  Weights.sumsOf(scored.map(([first]) => first ?? {}))

/** Whether the most probable label is right, where the row has one. */
export const isGreatest = ({ label, scores }: LabelScores): boolean => label === unasked || greatest(scores) === label

export const weightOf = (scored: ReadonlyArray<RowScores>): number => rowWeights(scored).weights

/**
 * Mean negative log-likelihood of the rows' labels, in nats. `doubt` is the probability mass that the targets give to
 * wrong labels.
 */
export const lossOf = (scored: ReadonlyArray<RowScores>, temperature: number, doubt = 0): number => {
  let loss = 0
  for (const { label, scores, target: soft, weight = 1 } of scored.flat()) {
    if (label === unasked) continue
    const probabilities = scores.slice()
    softmax(probabilities, temperature)
    const rest = scores.length > 1 ? doubt / (scores.length - 1) : 0
    for (let other = 0; other < scores.length; other++) {
      const hard = other === label ? 1 - doubt : rest
      const target = soft === undefined ? hard : soft[other]! * (1 - doubt - rest) + rest
      if (target > 0) loss -= weight * target * Math.log(Math.max(probabilities[other]!, Number.MIN_VALUE))
    }
  }
  return scored.length === 0 ? 0 : loss / weightOf(scored)
}

/** By head, the loss of each row that has the head, times the row's weight, to a ten-thousandth: checkpoints keep them. */
export const headLosses = (
  scored: ReadonlyArray<RowScores>,
  temperature: number,
  heads: number
): ReadonlyArray<ReadonlyArray<number>> => {
  const losses: ReadonlyArray<Array<number>> = Array.from({ length: heads }, () => [])
  for (const row of scored) {
    for (const [index, one] of row.entries()) {
      if (one.label === unasked) continue
      const loss = lossOf([[one]], temperature) * Weights.weightOf(one)
      losses[one.head ?? index]?.push(Math.round(loss * 1e4) / 1e4)
    }
  }
  return losses
}

/**
 * The temperature with the least loss, by golden section over its logarithm. Targets are softened by Platt's method, so
 * that a few correct rows do not make the model certain. Returns 1 if there is nothing to fit.
 */
export const fitTemperature = (scored: ReadonlyArray<RowScores>): number => {
  if (scored.length === 0 || scored[0]!.every(({ scores }) => scores.length < 2)) return 1
  const doubt = 1 / (Weights.effectiveRows(rowWeights(scored)) + 2)
  const loss = (log: number) => lossOf(scored, Math.exp(log), doubt)
  let { high, low } = bounds
  let left = high - golden * (high - low)
  let right = low + golden * (high - low)
  let lossLeft = loss(left)
  let lossRight = loss(right)
  for (let step = 0; step < steps && high - low > 1e-4; step++) {
    if (lossLeft <= lossRight) {
      high = right
      right = left
      lossRight = lossLeft
      left = high - golden * (high - low)
      lossLeft = loss(left)
    } else {
      low = left
      left = right
      lossLeft = lossRight
      right = low + golden * (high - low)
      lossRight = loss(right)
    }
  }
  return Math.exp((low + high) / 2)
}

export interface JudgedAnswer extends Weights.WeightedRow {
  readonly confidence: number
  readonly isRight: boolean
}

const bins = 10

/** Mean distance between confidence and accuracy over ten equal bins of confidence, weighted by their rows; 0 for no rows. */
export const calibrationError = (judged: ReadonlyArray<JudgedAnswer>): number => {
  const sums = Array.from({ length: bins }, () => ({ confidence: 0, right: 0 }))
  for (const { confidence, isRight, weight = 1 } of judged) {
    const bin = sums[Math.min(bins - 1, Math.floor(confidence * bins))]!
    bin.confidence += weight * confidence
    bin.right += weight * Number(isRight)
  }
  const distance = sums.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0)
  return judged.length === 0 ? 0 : distance / Weights.sumsOf(judged).weights
}

/** How to combine the confidences of several fields: their product, or the least of them. */
export type Joint = "product" | "least"

export const jointOf = (joint: Joint, confidences: ReadonlyArray<number>): number =>
  joint === "least" ? Math.min(...confidences) : confidences.reduce((product, one) => product * one, 1)

/** A row's confidence by both ways; for a single field both are equal. */
export type JudgedRow = Readonly<Record<Joint, number>> & Pick<JudgedAnswer, "isRight" | "weight">

/** Judges the heads of the predicted answer; argument heads of other tools are ignored. */
export const judge = (row: RowScores, temperature: number): JudgedRow => {
  const first = row[0] === undefined ? 0 : greatest(row[0].scores)
  const answered = row.filter(({ when = first }) => when === first)
  const fields = answered.map(({ label, scores }) => {
    const probabilities = scores.slice()
    softmax(probabilities, temperature)
    const best = greatest(probabilities)
    return { confidence: probabilities[best]!, isRight: best === label }
  })
  const confidences = fields.map(({ confidence }) => confidence)
  return {
    product: jointOf("product", confidences),
    least: jointOf("least", confidences),
    isRight: fields.every(({ isRight }) => isRight),
    weight: Weights.weightOf(row[0] ?? {})
  }
}

/** A stated probability, and the share of correct answers at this probability. */
export type CalibrationPoint = readonly [given: number, right: number]

/** Effective rows of a bin at least, and bins at most. */
const binRows = 25
const binsMax = 20

const meanOf = (judged: ReadonlyArray<JudgedAnswer>, of: (one: JudgedAnswer) => number): number =>
  judged.reduce((sum, one) => sum + Weights.weightOf(one) * of(one), 0) / Weights.sumsOf(judged).weights

/** The shares of ascending bins; a falling share is merged with the bin before (pool adjacent violators). */
const poolBins = (bins: ReadonlyArray<ReadonlyArray<JudgedAnswer>>): ReadonlyArray<CalibrationPoint> => {
  const pools: Array<ReadonlyArray<JudgedAnswer>> = []
  const share = (pool: ReadonlyArray<JudgedAnswer>) => meanOf(pool, ({ isRight }) => Number(isRight))
  for (const bin of bins) {
    let pool = bin
    while (pools.length > 0 && share(pools.at(-1)!) >= share(pool)) pool = [...pools.pop()!, ...pool]
    pools.push(pool)
  }
  // Laplace smoothing adds one right and one wrong answer to each pool, so that a few correct rows do not give
  // certainty.
  return pools.map((pool) => {
    const rows = Weights.effectiveRows(Weights.sumsOf(pool))
    return [meanOf(pool, ({ confidence }) => confidence), (share(pool) * rows + 1) / (rows + 2)]
  })
}

/** Cuts an ascending list into parts of equal weight. A row belongs to the part that holds the middle of its weight. */
const partsOf = (ordered: ReadonlyArray<JudgedAnswer>, count: number): ReadonlyArray<ReadonlyArray<JudgedAnswer>> => {
  const { weights } = Weights.sumsOf(ordered)
  const parts: ReadonlyArray<Array<JudgedAnswer>> = Array.from({ length: count }, () => [])
  let before = 0
  let part = 0
  for (const one of ordered) {
    const weight = Weights.weightOf(one)
    while (part < count - 1 && before + weight / 2 > ((part + 1) * weights) / count) part++
    parts[part]!.push(one)
    before += weight
  }
  return parts.filter(({ length }) => length > 0)
}

/** Returns no knots if there are too few rows. */
export const knotsOf = (judged: ReadonlyArray<JudgedAnswer>): ReadonlyArray<CalibrationPoint> => {
  const count = Math.min(binsMax, Math.floor(Weights.effectiveRows(Weights.sumsOf(judged)) / binRows))
  if (count < 2) return []
  const ordered = judged.toSorted((a, b) => a.confidence - b.confidence)
  return poolBins(partsOf(ordered, count))
}

/** Corrects a probability by the knots: linear between knots, and towards 0 and 1 beyond them. */
export const correctProbability = (knots: ReadonlyArray<CalibrationPoint>, probability: number): number => {
  const first = knots[0]
  const last = knots.at(-1)
  if (first === undefined || last === undefined) return probability
  if (probability <= first[0]) return first[0] === 0 ? first[1] : (probability / first[0]) * first[1]
  if (probability >= last[0]) return last[1]
  const after = knots.findIndex(([given]) => given > probability)
  const [from, low] = knots[after - 1]!
  const [to, high] = knots[after]!
  return low + ((probability - from) / (to - from)) * (high - low)
}

export interface CalibrationFit {
  readonly temperature: number
  readonly joint: Joint
  readonly knots: ReadonlyArray<CalibrationPoint>
  /** Quality on held-back rows; null without held-back rows. */
  readonly quality: { readonly rows: number; readonly accuracy: number; readonly calibrationError: number } | null
}

/** Mean negative log-likelihood of having been right or wrong, in nats. */
const doubtOf = (judged: ReadonlyArray<JudgedAnswer>, knots: ReadonlyArray<CalibrationPoint>): number =>
  judged.reduce((sum, { confidence, isRight, weight = 1 }) => {
    const sure = correctProbability(knots, confidence)
    return sum - weight * Math.log(Math.max(isRight ? sure : 1 - sure, Number.EPSILON))
  }, 0)

/**
 * Chooses the joint confidence that separates right answers from wrong ones better. `rows` are the held-back rows at
 * the temperature. The calibration error is measured on the same rows; the holdout gives the unbiased error.
 */
export const calibrationOf = (temperature: number, rows: ReadonlyArray<JudgedRow>): CalibrationFit => {
  const ways = (["product", "least"] as const).map((joint) => {
    const judged = rows.map((row) => ({ confidence: row[joint], isRight: row.isRight, weight: Weights.weightOf(row) }))
    return { joint, judged, knots: knotsOf(judged) }
  })
  const [best] = ways.toSorted((a, b) => doubtOf(a.judged, a.knots) - doubtOf(b.judged, b.knots))
  const { joint, judged, knots } = best!
  const quality = {
    rows: judged.length,
    accuracy: meanOf(judged, ({ isRight }) => Number(isRight)),
    calibrationError: calibrationError(
      judged.map((one) => ({ ...one, confidence: correctProbability(knots, one.confidence) }))
    )
  }
  return { temperature, joint, knots, quality: judged.length === 0 ? null : quality }
}

/** Fitted to the validation part. */
export const calibrate = (scored: ReadonlyArray<RowScores>): CalibrationFit => {
  const temperature = fitTemperature(scored)
  return calibrationOf(
    temperature,
    scored.map((one) => judge(one, temperature))
  )
}
