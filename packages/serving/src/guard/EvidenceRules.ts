/** What a student must show before it may answer for its teacher (contract 15.15). Pure. */
import type { Comparisons } from "@limbeck/capture/call/CallStore"
import type { HoldoutEvidence } from "@limbeck/distill/student/StudentModel"
import * as Result from "effect/Result"
import { EvidenceLacking } from "../Errors.ts"
import { ServingLimits } from "../Limits.ts"
import * as AgreementRules from "./AgreementRules.ts"

export interface Evidence {
  readonly from: "holdout" | "shadow"
  readonly compared: number
  /** Lower bound of the agreement with the teacher. */
  readonly low: number
  /** What who always says the same would agree. */
  readonly mostFrequentShare: number
}

const ofHoldout = ({ low, mostFrequent, rows }: HoldoutEvidence): Evidence => ({
  from: "holdout",
  compared: rows,
  low,
  mostFrequentShare: mostFrequent / rows
})

const ofShadow = (comparisons: Comparisons): Evidence => ({
  from: "shadow",
  compared: comparisons.compared,
  low: AgreementRules.agreementOf(AgreementRules.of(comparisons))?.low ?? 0,
  mostFrequentShare: comparisons.mostFrequent / comparisons.compared
})

/** Real calls tell more than the holdout, once there are some; null: nobody has ever compared the student. */
export const evidenceOf = (holdout: HoldoutEvidence | null, shadow: Comparisons): Evidence | null => {
  if (shadow.compared >= ServingLimits.guardShadowMin) return ofShadow(shadow)
  if (holdout !== null && holdout.rows > 0) return ofHoldout(holdout)
  return shadow.compared > 0 ? ofShadow(shadow) : null
}

/** The agreement that is asked of the student while it is active. */
export const floorOf = (
  evidence: Evidence | null,
  minAgreement: number | null
): Result.Result<number, EvidenceLacking> => {
  if (evidence === null)
    return Result.fail(new EvidenceLacking({ lack: "none", from: null, compared: 0, low: 0, asked: 0 }))
  const { compared, from, low, mostFrequentShare } = evidence
  const lacking = (lack: EvidenceLacking["lack"], asked: number) =>
    Result.fail(new EvidenceLacking({ lack, from, compared, low, asked }))
  if (low <= mostFrequentShare) return lacking("most_frequent", mostFrequentShare)
  if (minAgreement !== null && low < minAgreement) return lacking("min_agreement", minAgreement)
  return Result.succeed(minAgreement ?? low)
}
