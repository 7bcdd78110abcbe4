/** The accuracy of a compute profile's estimates: actual over estimated figures of live runs. Pure. */
import { percentiles } from "../../report/statistics/internal/Quantiles.ts"
import { stubName } from "../../run/Executor.ts"
import type { Run } from "../../run/Run.ts"

export interface ProfileCalibration {
  readonly runs: number
  /** Above 1: they took longer than estimated. */
  readonly median_ratio: number
  readonly lowest_ratio: number
  readonly highest_ratio: number
}

/** Null where no run tells anything: stubs take no time, and some rows cannot be estimated. */
export const calibrationOf = (profile: string, runs: ReadonlyArray<Run>): ProfileCalibration | null => {
  const ratios = runs
    .filter(({ compute, executor }) => compute.profile === profile && executor !== stubName)
    .flatMap(({ estimate, totals }) =>
      estimate === null || estimate.gpuSeconds <= 0 ? [] : [totals.gpuSeconds / estimate.gpuSeconds]
    )
  const found = percentiles(ratios, [0, 50, 100])
  if (found === undefined) return null
  const [lowest_ratio = 0, median_ratio = 0, highest_ratio = 0] = found
  return { runs: ratios.length, median_ratio, lowest_ratio, highest_ratio }
}
