/** The distribution of the difference of two counts that exclude each other. */

/** The logarithms of the factorials from 0 to `n`. */
const logFactorials = (n: number): Float64Array => {
  const logs = new Float64Array(n + 1)
  for (let k = 2; k <= n; k++) logs[k] = (logs[k - 1] ?? 0) + Math.log(k)
  return logs
}

/** Counts further than this many standard deviations from their mean have less than a millionth, and are left out. */
const reach = 6

/**
 * Of `trials`, each a gain with probability `gain`, a loss with probability `loss`, or neither: the probability that gains less
 * losses come to `difference` or more.
 */
export const differenceAtLeast = (difference: number, trials: number, gain: number, loss: number): number => {
  const logs = logFactorials(trials)
  const either = Math.min(1, gain + loss)
  if (either === 0) return difference <= 0 ? 1 : 0
  const chance = (count: number, of: number, share: number): number => {
    if (share <= 0 || share >= 1) return count === (share <= 0 ? 0 : of) ? 1 : 0
    const ways = (logs[of] ?? 0) - (logs[count] ?? 0) - (logs[of - count] ?? 0)
    return Math.exp(ways + count * Math.log(share) + (of - count) * Math.log1p(-share))
  }
  const deviation = Math.sqrt(trials * either * (1 - either))
  const from = Math.max(0, Math.floor(trials * either - reach * deviation) - reach)
  const to = Math.min(trials, Math.ceil(trials * either + reach * deviation) + reach)
  let sum = 0
  for (let differing = from; differing <= to; differing++) {
    const least = Math.max(0, Math.ceil((differing + difference) / 2))
    let tail = 0
    for (let gains = least; gains <= differing; gains++) tail += chance(gains, differing, gain / either)
    sum += chance(differing, trials, either) * Math.min(1, tail)
  }
  return Math.min(1, sum)
}
