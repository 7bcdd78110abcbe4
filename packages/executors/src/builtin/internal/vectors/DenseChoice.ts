/** Chooses the heads that use dense features: those whose held-back rows have less loss with them, by more than chance. */

/** Held-back rows of a training: which heads used the features, and by head the loss of each row. */
interface Outcome {
  readonly heads?: ReadonlyArray<boolean> | undefined
  readonly losses?: ReadonlyArray<ReadonlyArray<number>> | undefined
}

/** The mean saving of a row is at least so many standard errors, so that chance seldom takes features without information. */
const errorsLeast = 2

const isAll = ({ heads }: Outcome): boolean => heads?.every((isUsed) => isUsed) === true

/** The losses of a head's rows, one after another. */
const lossesOf = (outcomes: ReadonlyArray<Outcome>, head: number): ReadonlyArray<number> =>
  outcomes.flatMap(({ losses }) => losses?.[head] ?? [])

/** Whether the losses of the same rows fall by more than chance. */
export const isBetter = (before: ReadonlyArray<number>, after: ReadonlyArray<number>): boolean => {
  const saved = before.map((loss, row) => loss - (after[row] ?? 0))
  const mean = saved.reduce((sum, one) => sum + one, 0) / saved.length
  const variance = saved.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, saved.length - 1)
  return mean > errorsLeast * Math.sqrt(variance / saved.length)
}

/** `plain` and the outcomes whose heads all use the features are of the same held-back rows. */
export const chooseFeatures = (
  plain: ReadonlyArray<Outcome>,
  outcomes: ReadonlyArray<Outcome>,
  heads: number
): ReadonlyArray<boolean> => {
  const dense = outcomes.filter(isAll)
  return Array.from({ length: heads }, (_, head) => isBetter(lossesOf(plain, head), lossesOf(dense, head)))
}
