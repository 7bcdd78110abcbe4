/**
 * Multinomial logistic regression by AdaGrad (Duchi et al., 2011), a row at a time, with decoupled weight decay. The same
 * set and settings give the same weights, bit by bit, also when training goes on from any snapshot in another process.
 * The loss is the mean by the rows' weights.
 */

import type { Settings } from "../Settings.ts"
import * as CalibrationFit from "./CalibrationFit.ts"
import type { Outcome } from "./Course.ts"
import { generator, shuffle } from "./Hashing.ts"
import * as RowErrors from "./RowErrors.ts"
import { greatest, type Row, score, type Weights } from "./Softmax.ts"
import { headsIn, type TrainingSet } from "./TrainingSet.ts"
import { usedDimensions } from "./vectors/DenseFeatures.ts"

/** The learnt weights and the position of a training. */
export interface State {
  /**
   * For each feature, its weight for every label, then the squared gradients of these weights. Memory limits the size
   * of a large model, and a step reads adjacent memory. The weights of the model are `scale` times these weights, so
   * that weight decay is one multiplication.
   */
  readonly learnt: Float32Array<ArrayBuffer>
  readonly bias: Float32Array<ArrayBuffer>
  readonly biasSquares: Float32Array<ArrayBuffer>
  scale: number
  /** Complete epochs, and rows done of the current epoch. */
  epoch: number
  position: number
  /** For the current epoch: the loss of its rows before they were learnt, and the correct answers, both weighted. */
  lossSum: number
  right: number
  /** Least loss on the validation part so far, and epochs since. */
  leastLoss: number
  epochsSince: number
  /** Outcomes of the complete trials. */
  outcomes: ReadonlyArray<Outcome>
}

export interface EpochMetrics {
  readonly epoch: number
  readonly trainLoss: number
  readonly trainAccuracy: number
  /** Null without a validation part. */
  readonly validationLoss: number | null
  readonly validationAccuracy: number | null
  /** The step size at the end of the epoch. */
  readonly learningRate: number
}

/** Sum of squares before the first gradient. Without it, the first step of each weight would be its largest. */
const squaresAtStart = 1e-2
/** The last step size as a share of the first. */
const lastShare = 0.1
/**
 * The first step size for a recipe's learning rate. Rates for adapters (0.0002) and rates for linear models (0.1)
 * differ by orders of magnitude; the fourth root maps all of (0, 1] to useful rates for this model, and keeps their
 * order.
 */
const stepOf = (learningRate: number): number => 0.6 * learningRate ** 0.25
/** Below this scale the weights are multiplied out, long before their numbers get too great. */
const scaleMin = 1e-6

export const start = (set: TrainingSet, outcomes: State["outcomes"] = []): State => {
  const labels = set.labels.length
  const learnt = new Float32Array((set.places.length + (set.dense?.dimensions ?? 0)) * labels * 2)
  for (let at = labels; at < learnt.length; at += labels * 2) learnt.fill(squaresAtStart, at, at + labels)
  return {
    learnt,
    bias: new Float32Array(labels),
    biasSquares: new Float32Array(labels).fill(squaresAtStart),
    scale: 1,
    epoch: 0,
    position: 0,
    lossSum: 0,
    right: 0,
    leastLoss: Number.MAX_VALUE,
    epochsSince: 0,
    outcomes
  }
}

/**
 * The score of a text equal to its label's name. On CLINC150 with 10 rows a label, 6 lowers the held-back loss by more than four standard
 * errors; 12 by less than two, because names then outweigh the rows.
 */
const nameStrength = 6

/** Writes the label names as weights; the same again changes nothing. */
const beginWithNames = ({ labels, names }: TrainingSet, { learnt }: State): void => {
  if (names === undefined) return
  for (let label = 0; label < labels.length; label++) {
    for (let k = names.offsets[label]!; k < names.offsets[label + 1]!; k++) {
      learnt[names.features[k]! * labels.length * 2 + label] = nameStrength * names.values[k]!
    }
  }
}

/** The unscaled weights, in the layout of a model: of the sparse features, and of the dense ones if a head uses them. */
export const weightsOf = (set: TrainingSet, { learnt }: State): Float32Array<ArrayBuffer> => {
  const labels = set.labels.length
  const weights = new Float32Array((set.places.length + usedDimensions(set)) * labels)
  for (let at = 0; at < weights.length; at += labels) weights.set(learnt.subarray(at * 2, at * 2 + labels), at)
  return weights
}

const rowOf = (set: TrainingSet, row: number): Row => ({
  features: set.features,
  values: set.values,
  from: set.offsets[row]!,
  to: set.offsets[row + 1]! - (set.dense?.dimensions ?? 0) + usedDimensions(set)
})

/** The part of a row before or behind the beginning of its dense features. */
const partsOf = (row: Row, dimensions: number): { readonly sparse: Row; readonly dense: Row } => {
  const border = row.to - dimensions
  return { sparse: { ...row, to: border }, dense: { ...row, from: border } }
}

/**
 * One AdaGrad step for every weight of the row. The squares grow as if the row had occurred `times` times, so that a row
 * with a great weight takes no greater part of the steps than its copies would.
 */
const descend = (state: State, row: Row, errors: Float64Array, rate: number, times: number): void => {
  const { learnt } = state
  const labels = errors.length
  const unscaled = (rate * times) / state.scale
  for (let k = row.from; k < row.to; k++) {
    const base = row.features[k]! * labels * 2
    const value = row.values[k]!
    for (let label = 0; label < labels; label++) {
      const at = base + label
      const gradient = errors[label]! * value
      const squares = learnt[at + labels]! + times * gradient * gradient
      learnt[at + labels] = squares
      learnt[at] = learnt[at]! - (unscaled * gradient) / Math.sqrt(squares)
    }
  }
}

/** Steps for the sparse features of a row, and for the dense ones of the heads that use them: the others' weights stay 0. */
const descending = (set: TrainingSet, state: State) => {
  const dimensions = usedDimensions(set)
  const unused = headsIn(set).filter((_, head) => set.dense?.heads[head] !== true)
  return (row: Row, errors: Float64Array, rate: number, times: number): void => {
    const { dense, sparse } = partsOf(row, dimensions)
    descend(state, sparse, errors, rate, times)
    if (dimensions === 0) return
    const denseErrors = errors.slice()
    for (const { from, to } of unused) denseErrors.fill(0, from, to)
    descend(state, dense, denseErrors, rate, times)
  }
}

/** The same for the biases. */
const descendBias = ({ bias, biasSquares }: State, errors: Float64Array, rate: number, times: number): void => {
  const labels = errors.length
  for (let label = 0; label < labels; label++) {
    const gradient = errors[label]!
    const squares = biasSquares[label]! + times * gradient * gradient
    biasSquares[label] = squares
    bias[label] = bias[label]! - (rate * times * gradient) / Math.sqrt(squares)
  }
}

/** Multiplies the scale into the weights. */
const rescale = (state: State): void => {
  const { bias, learnt, scale } = state
  const labels = bias.length
  for (let at = 0; at < learnt.length; at++) if (at % (labels * 2) < labels) learnt[at] = learnt[at]! * scale
  state.scale = 1
}

/** Scores the validation part with these weights. */
const scoresOf = (
  set: TrainingSet,
  { bias, scale }: State,
  weights: Weights
): ReadonlyArray<CalibrationFit.RowScores> => {
  const heads = headsIn(set)
  const rows = set.offsets.length - 1
  return Array.from(set.validation, (at) => {
    const scores = new Float64Array(set.labels.length)
    const weight = set.weights[at]!
    score(rowOf(set, at), weights, scale, bias, scores)
    if (set.questions !== null) {
      return set.questions.targets[at]!.map(({ head, probabilities }) => {
        const { from, to } = heads[head]!
        const label = greatest(Float64Array.from(probabilities))
        return { scores: scores.subarray(from, to), label, head, target: probabilities, weight }
      })
    }
    return heads.map(({ from, to, when }, head) => ({
      scores: scores.subarray(from, to),
      label: set.labelOf[head * rows + at]!,
      weight,
      ...(when === undefined ? {} : { when })
    }))
  })
}

export interface WeightTrainer {
  readonly state: State
  /** Whether the training is complete. */
  readonly isDone: () => boolean
  /** Trains on at most `max` rows, within the current epoch; returns `metrics` at the end of an epoch. */
  readonly advance: (max: number) => { readonly rows: number; readonly metrics: EpochMetrics | null }
  /** Scores the fields of each validation row with the current weights. */
  readonly validate: () => ReadonlyArray<CalibrationFit.RowScores>
}

/**
 * How often the training counts each row: by the square root of its weight. A few rows with a great weight would decide much of the
 * training by their noise: on synthetic tickets whose student was verified in 1 of 20 answers, whole weights cost up to 2.6 points of
 * accuracy beside equal ones, and roots at most 0.4. The mean root is scaled to 1, which keeps the step size of rows without weights.
 */
const repeatsOf = ({ training, weights }: TrainingSet): Float64Array => {
  const roots = weights.map(Math.sqrt)
  const perRoot = training.length / training.reduce((sum, at) => sum + roots[at]!, 0)
  return roots.map((root) => root * perRoot)
}

/** Resumes from `state` and updates it. */
export const make = (set: TrainingSet, settings: Settings, state: State = start(set)): WeightTrainer => {
  const { epochs, patience, seed } = settings
  if (state.epoch === 0 && state.position === 0) beginWithNames(set, state)
  const firstStep = stepOf(settings.learningRate)
  const total = set.training.length
  const repeats = repeatsOf(set)
  const probabilities = new Float64Array(set.labels.length)
  const errorsOf = RowErrors.of(set, probabilities)
  const descendRow = descending(set, state)
  const weights = { weights: state.learnt, stride: set.labels.length * 2 }
  let ordered = { epoch: -1, rows: set.training }

  /** Each epoch has an order of its own, which depends on nothing but the seed and its number. */
  const orderOf = (epoch: number): Uint32Array => {
    if (ordered.epoch !== epoch) ordered = { epoch, rows: shuffle(set.training.slice(), generator(seed, epoch)) }
    return ordered.rows
  }

  /** The remaining share of the first step size. */
  const shareAt = (position: number): number =>
    1 - ((1 - lastShare) * (state.epoch * total + position)) / (epochs * total)

  const learn = (at: number, rate: number): void => {
    const row = rowOf(set, at)
    score(row, weights, state.scale, state.bias, probabilities)
    const errors = errorsOf(at)
    const times = repeats[at]!
    state.lossSum += times * errors.loss
    if (errors.isRight) state.right += times
    state.scale *= 1 - (rate * settings.decay) / total
    if (state.scale < scaleMin) rescale(state)
    descendRow(row, probabilities, rate, times)
    descendBias(state, probabilities, rate, times)
  }

  const validate = () => scoresOf(set, state, weights)

  const endEpoch = (share: number): EpochMetrics => {
    const scored = validate()
    const loss = CalibrationFit.lossOf(scored, 1)
    const right = scored.filter((row) => row.every(CalibrationFit.isGreatest))
    const metrics = {
      epoch: state.epoch + 1,
      trainLoss: state.lossSum / total,
      trainAccuracy: state.right / total,
      validationLoss: scored.length === 0 ? null : loss,
      validationAccuracy: scored.length === 0 ? null : CalibrationFit.weightOf(right) / CalibrationFit.weightOf(scored),
      learningRate: settings.learningRate * share
    }
    const isBetter = loss < state.leastLoss
    Object.assign(state, {
      epoch: state.epoch + 1,
      position: 0,
      lossSum: 0,
      right: 0,
      leastLoss: isBetter ? loss : state.leastLoss,
      epochsSince: isBetter ? 0 : state.epochsSince + 1
    })
    return metrics
  }

  const isOutOfPatience = () => patience !== null && set.validation.length > 0 && state.epochsSince >= patience

  return {
    state,
    isDone: () => state.epoch >= epochs || isOutOfPatience(),
    validate,
    advance: (max) => {
      const order = orderOf(state.epoch)
      const end = Math.min(total, state.position + max)
      const from = state.position
      for (; state.position < end; state.position++) learn(order[state.position]!, firstStep * shareAt(state.position))
      return { rows: end - from, metrics: end === total ? endEpoch(shareAt(end)) : null }
    }
  }
}
