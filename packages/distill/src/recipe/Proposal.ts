/**
 * Makes a proposal: the case of the rows, the student for the objective, the stages and the estimated cost. Pure: the
 * same data, request and catalog give the same proposal (contract 5).
 */
import type { Estimate } from "./Estimate.ts"
import * as CaseJudge from "./internal/CaseJudge.ts"
import { rationale } from "./internal/Rationale.ts"
import { candidate, choose } from "./internal/StudentChoice.ts"
import type { Data, Environment, Outcome, Preferences } from "./ProposalInput.ts"
import type { Stage } from "./Recipe.ts"
import type { RunCase, StudentBase } from "./StudentBase.ts"

export interface Proposal {
  readonly case: RunCase
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
  readonly rationale: ReadonlyArray<string>
}

export const caseOf = (profile: Data["profile"], questions: Data["questions"]): RunCase =>
  CaseJudge.judge(profile, questions).case

/** The default outcome of a student: without holdout rows there is no evidence for a deployment. */
export const outcomeFor = ({ holdoutRows }: Data): Outcome => (holdoutRows > 0 ? "deployable_student" : "report_only")

/** Undefined when no student of the catalog takes the case. The version holds at least one row. */
export const propose = (data: Data, wish: Preferences, around: Environment): Proposal | undefined => {
  const judged = CaseJudge.judge(data.profile, data.questions)
  const candidates = around.students
    .filter(({ cases, embeds = false }) => !embeds && cases.includes(judged.case))
    .map((student) => candidate(data, wish, student, around))
  const [first, ...others] = candidates
  if (first === undefined) return undefined
  const chosen = choose([first, ...others], wish)
  return {
    case: judged.case,
    student: chosen.student,
    stages: chosen.stages,
    estimate: chosen.estimate,
    rationale: rationale({ judged, candidates, chosen }, data, wish, around)
  }
}
