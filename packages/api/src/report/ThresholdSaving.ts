/** What a threshold saves, by the costs of a report. Pure. */
import { ServingLimits } from "@limbeck/serving/Limits"
import type { ShownReport } from "./ShownReport.ts"

/**
 * US dollars per 1,000 calls of which the student answers `share`, less the student's cost of every call and the teacher's cost of
 * the usual verification. Null if a cost is unknown.
 *
 * @example
 * savingPer1000(0.5, { student: 0.01, teacher: 2 }) // 0.97
 */
export const savingPer1000 = (share: number, cost: ShownReport["cost_per_1000_calls_usd"]): number | null => {
  const [student, teacher] = [cost?.student ?? null, cost?.teacher ?? null]
  if (student === null || teacher === null) return null
  return teacher * share * (1 - ServingLimits.guardVerifyPercent / 100) - student
}
