/**
 * Maps the confidence that a student tells to the share of answers of that confidence that agree with the teacher: a
 * logistic curve over the log odds (Cox 1958; Platt 1999), fitted by Newton's method with Platt's smoothed targets (Lin,
 * Lin and Weng 2007). It never falls, so the order of answers stays. Answers count by their weights, and tell as much as effective
 * rows. Pure.
 */
import * as Schema from "effect/Schema"
import * as Weights from "./Weights.ts"

export const ConfidenceMap = Schema.Struct({ slope: Schema.Finite, intercept: Schema.Finite })
export type ConfidenceMap = typeof ConfidenceMap.Type

export interface ToldConfidence extends Weights.WeightedRow {
  /** 0 to 1. */
  readonly confidence: number
  readonly agrees: boolean
}

/** Keeps told confidences of 0 and 1 finite. */
const edge = 1e-6
const rounds = 100
/** Keeps the curvature positive where all confidences are equal. */
const ridge = 1e-9

const logOdds = (confidence: number): number => {
  const inside = Math.min(Math.max(confidence, edge), 1 - edge)
  return Math.log(inside / (1 - inside))
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** 0 to 1, from a told confidence of 0 to 1. */
export const apply = ({ intercept, slope }: ConfidenceMap, confidence: number): number =>
  sigmoid(slope * logOdds(confidence) + intercept)

interface Target {
  readonly x: number
  /** Neither 0 nor 1. */
  readonly y: number
  /** Effective rows. */
  readonly rows: number
}

/** The negative log likelihood, written so that it does not overflow. */
const lossOf = (targets: ReadonlyArray<Target>, { intercept, slope }: ConfidenceMap): number =>
  targets.reduce((sum, { rows, x, y }) => {
    const z = slope * x + intercept
    return sum + rows * (Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0) - y * z)
  }, 0)

/** A Newton step. */
const stepOf = (targets: ReadonlyArray<Target>, { intercept, slope }: ConfidenceMap): ConfidenceMap => {
  let [ga, gb, haa, hab, hbb] = [0, 0, ridge, 0, ridge]
  for (const { rows, x, y } of targets) {
    const p = sigmoid(slope * x + intercept)
    const weight = rows * p * (1 - p)
    ga += rows * (p - y) * x
    gb += rows * (p - y)
    haa += weight * x * x
    hab += weight * x
    hbb += weight
  }
  const determinant = haa * hbb - hab * hab
  return { slope: -(hbb * ga - hab * gb) / determinant, intercept: -(haa * gb - hab * ga) / determinant }
}

const fitted = (targets: ReadonlyArray<Target>, start: ConfidenceMap): ConfidenceMap => {
  let map = start
  let loss = lossOf(targets, map)
  for (let round = 0; round < rounds; round++) {
    const step = stepOf(targets, map)
    let scale = 1
    let next = map
    let nextLoss = Number.POSITIVE_INFINITY
    while (scale > edge && !(nextLoss < loss)) {
      next = { slope: map.slope + scale * step.slope, intercept: map.intercept + scale * step.intercept }
      nextLoss = lossOf(targets, next)
      scale /= 2
    }
    if (!(nextLoss < loss)) return map
    const isSettled = loss - nextLoss < edge * (1 + loss)
    map = next
    loss = nextLoss
    if (isSettled) return map
  }
  return map
}

/** Undefined without answers. */
export const fit = (answers: ReadonlyArray<ToldConfidence>): ConfidenceMap | undefined => {
  if (answers.length === 0) return undefined
  const { successes: right, trials } = Weights.countsOf(answers, ({ agrees }) => agrees)
  const wrong = trials - right
  const evidence = Weights.evidenceOf(Weights.sumsOf(answers))
  const targets = answers.map((answer) => ({
    x: logOdds(answer.confidence),
    y: answer.agrees ? (right + 1) / (right + 2) : 1 / (wrong + 2),
    rows: Weights.weightOf(answer) * evidence
  }))
  const constant: ConfidenceMap = { slope: 0, intercept: Math.log((right + 1) / (wrong + 1)) }
  const map = fitted(targets, constant)
  // A confidence that falls where the answers are right tells nothing.
  return map.slope > 0 ? map : constant
}
