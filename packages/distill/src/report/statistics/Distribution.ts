/** Distributions over the options of a question. */

/** The distribution of these weights; null without a positive one. */
export const normalize = (weights: ReadonlyArray<number>): ReadonlyArray<number> | null => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total > 0 ? weights.map((weight) => weight / total) : null
}
