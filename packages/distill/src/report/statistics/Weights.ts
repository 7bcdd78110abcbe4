/**
 * Sums of row weights. Equal weights carry the information of as many rows; unequal weights carry less: (Σw)² / Σw² rows
 * (Kish 1965). With every weight 1, each figure is exactly the count of the rows.
 */

export interface WeightedRow {
  /** How many calls of the traffic the row stands for. Absent: 1. */
  readonly weight?: number
}

export interface WeightSums {
  readonly weights: number
  readonly squares: number
}

export const weightOf = ({ weight = 1 }: WeightedRow): number => weight

export const sumsOf = (rows: ReadonlyArray<WeightedRow>): WeightSums => {
  let [weights, squares] = [0, 0]
  for (const { weight = 1 } of rows) {
    weights += weight
    squares += weight * weight
  }
  return { weights, squares }
}

/** The factor that turns sums of weights into counts of effective rows; 1 without rows. */
export const evidenceOf = ({ squares, weights }: WeightSums): number => (squares === 0 ? 1 : weights / squares)

export const effectiveRows = (sums: WeightSums): number => sums.weights * evidenceOf(sums)

/** In effective rows; with every weight 1 both are counts of rows. */
export interface EffectiveCounts {
  readonly successes: number
  readonly trials: number
}

export const countsOf = <Row extends WeightedRow>(
  rows: ReadonlyArray<Row>,
  isSuccess: (row: Row) => boolean
): EffectiveCounts => {
  const sums = sumsOf(rows)
  return {
    successes: sumsOf(rows.filter(isSuccess)).weights * evidenceOf(sums),
    trials: effectiveRows(sums)
  }
}
