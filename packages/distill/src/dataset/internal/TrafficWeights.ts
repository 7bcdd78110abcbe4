/**
 * Weights that bring a version of calls back to the traffic. A student's answers teach nothing, so the calls that it answered
 * are missing among the teacher's, except for those that were verified: each stands for as many of the student's answers as
 * were answered for one that was verified (the inverse probability weights of Horvitz and Thompson 1952, with the measured
 * share). Every other call stands for itself. Pure.
 */
import type { CallKind } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import type { WeightOf } from "./CallRow.ts"

const decimals = 1e4

/** `kinds`: of all calls of the range, students' answers and verifications included. */
export const of = (kinds: ReadonlyArray<CallKind>): WeightOf => {
  const counted = kinds.filter(
    ({ endpoint, outcome }) => outcome === "succeeded" && CallConversation.isConversation(endpoint)
  )
  const count = (deployment: string, isWanted: (kind: CallKind) => boolean) =>
    counted
      .filter((kind) => kind.deployment === deployment && isWanted(kind))
      .reduce((sum, { calls }) => sum + calls, 0)
  const weights = new Map<string, number>()
  for (const { deployment } of counted) {
    if (deployment === null || weights.has(deployment)) continue
    const answered = count(deployment, ({ servedBy, verifies }) => servedBy === "student" && !verifies)
    const verified = count(deployment, ({ verifies }) => verifies)
    // Verifications may be of answers before the range.
    weights.set(deployment, Math.max(1, Math.round((answered / Math.max(1, verified)) * decimals) / decimals))
  }
  return ({ verifies }) => (verifies === undefined ? 1 : (weights.get(verifies.deployment) ?? 1))
}

export const none: WeightOf = () => 1
