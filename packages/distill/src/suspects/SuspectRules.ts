/**
 * Which answers look wrong, by confident learning (Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in
 * Dataset Labels", Journal of Artificial Intelligence Research 70, 2021). Each row is judged by a model that has not learnt from it.
 * A row is a suspect when another label is more probable than its answer, and a confident one when it is more likely noise than a
 * hard row (`NoiseRules`). Suspects are ranked by their margin. Pure.
 */
import * as NoiseRules from "./NoiseRules.ts"

/** A label of a row by a model that has not learnt from the row. Labels of different fields have different numbers. */
export interface OutOfFold {
  readonly row: number
  /** The row's answer, and its probability. */
  readonly label: number
  readonly given: number
  /** The most probable of the other labels. */
  readonly other: number
  readonly probability: number
}

export interface SuspectLabel extends OutOfFold {
  /** By how much the other label is more probable than the answer: from 0, exclusive, to 1. */
  readonly score: number
  /** Whether the answer is more likely noise than right. */
  readonly isConfident: boolean
}

/** The rows with a more probable other label, the most suspicious first; each row once, by its most suspicious label. */
export const rank = (judged: ReadonlyArray<OutOfFold>): ReadonlyArray<SuspectLabel> => {
  const least = NoiseRules.leastConfidence(
    judged.map(({ given, probability }) => ({
      confidence: Math.max(given, probability),
      contradicts: probability > given
    }))
  )
  const byRow = new Map<number, SuspectLabel>()
  for (const one of judged) {
    const score = one.probability - one.given
    if (score <= 0 || score <= (byRow.get(one.row)?.score ?? 0)) continue
    byRow.set(one.row, { ...one, score, isConfident: one.probability >= least })
  }
  return [...byRow.values()].toSorted((a, b) => b.score - a.score || a.row - b.row)
}
