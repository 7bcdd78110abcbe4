/**
 * Separates noise from hard rows among the suspects. Noise is independent of the row, and the surest judgments of a model have few
 * errors: their share of contradicted answers estimates the share of noise. At lower confidence the share of contradictions rises by
 * the model's own errors. A contradiction is noise with a probability of at least the lower bound of the noise divided by the share of
 * contradictions at its confidence. On unspoilt sets the bound is near zero, and no suspect counts as noise. Pure.
 */
import * as Intervals from "../report/statistics/internal/Intervals.ts"

export interface Judgment {
  /** Of the most probable label. */
  readonly confidence: number
  /** Whether that label is not the row's answer. */
  readonly contradicts: boolean
}

/** The surest part of the judgments, and how many at least: a bound by fewer says nothing. */
const surestShare = 0.1
const surestMin = 30
/** The 90 % point of the standard normal distribution, of a bound on one side. */
const z = 1.2816
/** From here a contradiction is more likely noise than an error of the model. */
const noiseMin = 0.5

interface Pool {
  readonly judgments: number
  readonly contradictions: number
}

const shareOf = ({ contradictions, judgments }: Pool): number => contradictions / judgments

/** Shares of contradictions that never fall with falling confidence (pool adjacent violators). */
const poolAll = (ordered: ReadonlyArray<Judgment>): ReadonlyArray<Pool> => {
  const pools: Array<Pool> = []
  for (const { contradicts } of ordered) {
    let pool: Pool = { judgments: 1, contradictions: Number(contradicts) }
    while (pools.length > 0 && shareOf(pools.at(-1)!) >= shareOf(pool)) {
      const before = pools.pop()!
      pool = {
        judgments: before.judgments + pool.judgments,
        contradictions: before.contradictions + pool.contradictions
      }
    }
    pools.push(pool)
  }
  return pools
}

/** The confidence from which a contradiction is more likely noise; none is with too few judgments. */
export const leastConfidence = (judgments: ReadonlyArray<Judgment>): number => {
  const ordered = judgments.toSorted((a, b) => b.confidence - a.confidence)
  const surest = ordered.slice(0, Math.max(surestMin, Math.floor(ordered.length * surestShare)))
  const contradicted = surest.filter(({ contradicts }) => contradicts).length
  if (surest.length < surestMin || contradicted === 0) return Number.POSITIVE_INFINITY
  const noise = Intervals.wilson(contradicted, surest.length, z)?.low ?? 0
  let last = -1
  for (const pool of poolAll(ordered)) {
    if (shareOf(pool) * noiseMin > noise) break
    last += pool.judgments
  }
  return ordered[last]?.confidence ?? Number.POSITIVE_INFINITY
}
