/** What a student must show before it may answer for its teacher (contract 15.15, 16.31). Pure. */
import type { Comparisons } from "@limbeck/capture/call/CallStore"
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import type { HoldoutEvidence } from "@limbeck/distill/student/StudentModel"
import * as Result from "effect/Result"
import { EvidenceLacking } from "../Errors.ts"
import * as AgreementRules from "./AgreementRules.ts"

/** The agreement on the answers that callers get: those at or above the threshold. */
export interface Evidence {
  readonly from: "holdout" | "shadow" | "both"
  readonly tally: AgreementRules.Tally
  /** Of these, comparisons in shadow. */
  readonly shadow: AgreementRules.Tally
  /** Lower bound of the agreement with the teacher. */
  readonly low: number
  /** What a student that always says the same would agree, over all rows and calls. */
  readonly mostFrequentShare: number
}

export interface KnownAnswers {
  readonly holdout: HoldoutEvidence | null
  readonly curve: AgreementCurve.AgreementCurve
  /** The confidence from which on the student answers; 0: always. */
  readonly threshold: number
  /** Comparisons in shadow, of all answers and of those from the threshold on. */
  readonly shadow: { readonly all: Comparisons; readonly answered: Comparisons }
}

const none: AgreementRules.Tally = { compared: 0, agreed: 0 }

/** A student from before the curve was kept counts with all of its rows. */
const ofHoldout = ({ curve, holdout, threshold }: KnownAnswers): AgreementRules.Tally => {
  const point = AgreementCurve.at(curve, threshold)
  if (point !== undefined) return { compared: point.answered, agreed: point.agreed }
  return holdout === null ? none : { compared: holdout.rows, agreed: holdout.agreed }
}

/** Holdout and shadow added up; null: neither has an answer that a caller would get. */
export const evidenceOf = (known: KnownAnswers): Evidence | null => {
  const { holdout, shadow } = known
  const rows = ofHoldout(known)
  const { agreed, compared } = shadow.answered
  const tally = { compared: rows.compared + compared, agreed: rows.agreed + agreed }
  const interval = AgreementCurve.intervalOf({ answered: tally.compared, agreed: tally.agreed })
  if (interval === null) return null
  const seen = (holdout?.rows ?? 0) + shadow.all.compared
  return {
    from: compared === 0 ? "holdout" : rows.compared === 0 ? "shadow" : "both",
    tally,
    shadow: { compared, agreed },
    low: interval.low,
    mostFrequentShare: ((holdout?.mostFrequent ?? 0) + shadow.all.mostFrequent) / Math.max(1, seen)
  }
}

/** The agreement required of an active student. */
export const floorOf = (
  evidence: Evidence | null,
  minAgreement: number | null
): Result.Result<number, EvidenceLacking> => {
  if (evidence === null)
    return Result.fail(new EvidenceLacking({ lack: "none", from: null, compared: 0, low: 0, asked: 0 }))
  const { from, low, mostFrequentShare, shadow, tally } = evidence
  const lacking = (lack: EvidenceLacking["lack"], asked: number) =>
    Result.fail(new EvidenceLacking({ lack, from, compared: tally.compared, low, asked }))
  if (low <= mostFrequentShare) return lacking("most_frequent", mostFrequentShare)
  if (minAgreement !== null && low < minAgreement) return lacking("min_agreement", minAgreement)
  const floor = minAgreement ?? low
  // The guard would take it from its callers at once: the calls contradict the holdout.
  if (!AgreementRules.isBelow(AgreementRules.of(shadow), floor)) return Result.succeed(floor)
  const agreement = AgreementRules.agreementOf(AgreementRules.of(shadow))
  return Result.fail(
    new EvidenceLacking({
      lack: "shadow",
      from: "shadow",
      compared: shadow.compared,
      low: agreement?.low ?? 0,
      asked: floor
    })
  )
}
