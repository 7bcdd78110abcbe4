/**
 * Which answers look wrong, by confident learning (Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in
 * Dataset Labels", Journal of Artificial Intelligence Research 70, 2021). Each row is judged by a model that has not learnt from it.
 * A label's threshold is the mean probability of the rows that have this label as their answer. A row is a suspect when another label
 * is more probable than its answer, and a confident one when that label reaches its threshold. Suspects are ranked by their margin. Pure.
 */

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
  /** Whether the other label reaches its threshold. */
  readonly isConfident: boolean
}

/** The mean probability of each label as an answer. */
const thresholdsOf = (judged: ReadonlyArray<OutOfFold>): ReadonlyMap<number, number> => {
  const sums = new Map<number, { readonly rows: number; readonly given: number }>()
  for (const { given, label } of judged) {
    const sum = sums.get(label) ?? { rows: 0, given: 0 }
    sums.set(label, { rows: sum.rows + 1, given: sum.given + given })
  }
  return new Map([...sums].map(([label, { given, rows }]) => [label, given / rows]))
}

/** The rows with a more probable other label, the most suspicious first; each row once, by its most suspicious label. */
export const rank = (judged: ReadonlyArray<OutOfFold>): ReadonlyArray<SuspectLabel> => {
  const thresholds = thresholdsOf(judged)
  const byRow = new Map<number, SuspectLabel>()
  for (const one of judged) {
    const score = one.probability - one.given
    if (score <= 0 || score <= (byRow.get(one.row)?.score ?? 0)) continue
    const isConfident = one.probability >= (thresholds.get(one.other) ?? Number.POSITIVE_INFINITY)
    byRow.set(one.row, { ...one, score, isConfident })
  }
  return [...byRow.values()].toSorted((a, b) => b.score - a.score || a.row - b.row)
}
