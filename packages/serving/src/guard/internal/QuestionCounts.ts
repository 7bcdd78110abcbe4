/** Counts verifications of a student of decisions by question. Pure. */
import type { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import type { QuestionStanding } from "../../deployment/Deployment.ts"
import * as QuestionGuardRules from "../QuestionGuardRules.ts"
import * as QuestionComparisons from "./QuestionComparisons.ts"

export interface QuestionCounts {
  readonly questions: ReadonlyArray<QuestionGuardRules.QuestionComparisons>
  readonly breaches: ReadonlyArray<QuestionGuardRules.QuestionBreach>
}

/** Counts one after the other; of a guarded question no more. */
export const of = (
  before: ReadonlyArray<QuestionGuardRules.QuestionComparisons>,
  standing: ReadonlyArray<QuestionStanding>,
  results: ReadonlyArray<Pick<ShadowResult, "message">>,
  isGiven: boolean
): QuestionCounts => {
  const open = new Map(standing.filter(({ guardedAt }) => guardedAt === null).map((one) => [one.question, one]))
  const known = new Map(before.map((one) => [one.question, one]))
  const options = { questions: standing.length, isGiven }
  const breaches: Array<QuestionGuardRules.QuestionBreach> = []
  for (const { message } of results) {
    for (const comparison of QuestionComparisons.read(message)) {
      const asked = open.get(comparison.question)
      if (asked === undefined) continue
      const added = QuestionGuardRules.add(known.get(comparison.question), asked, comparison, options)
      known.set(comparison.question, added.known)
      if (added.breach === null) continue
      breaches.push(added.breach)
      open.delete(comparison.question)
    }
  }
  return { questions: [...known.values()], breaches }
}
