/** How sure answers have to be for their agreement to reach a target. Pure. */
import * as Intervals from "./internal/Intervals.ts"

export interface JudgedConfidence {
  readonly agrees: boolean
  /** 0 to 1. */
  readonly confidence: number
}

/** Four decimals: a person can type them. */
const steps = 10_000

const roundedDown = (confidence: number): number => Math.floor(confidence * steps) / steps

/** The share that agrees, with its 95 % interval; null without answers. */
export const agreementOf = (answers: ReadonlyArray<JudgedConfidence>) => {
  const agreed = answers.filter(({ agrees }) => agrees).length
  const interval = Intervals.wilson(agreed, answers.length)
  return interval === undefined ? null : { value: agreed / answers.length, low: interval.low, high: interval.high }
}

/**
 * The least threshold at which the lower bound of the agreement reaches the target, over the answers at or above it; null where it
 * never does.
 */
export const leastOf = (answers: ReadonlyArray<JudgedConfidence>, target: number): number | null => {
  const sorted = answers.toSorted((a, b) => b.confidence - a.confidence)
  let least: number | null = null
  let agreed = 0
  for (const [at, { agrees, confidence }] of sorted.entries()) {
    if (agrees) agreed++
    const threshold = roundedDown(confidence)
    const isLast = at === sorted.length - 1 || roundedDown(sorted[at + 1]!.confidence) < threshold
    if (isLast && (Intervals.wilson(agreed, at + 1)?.low ?? 0) >= target) least = threshold
  }
  return least
}
