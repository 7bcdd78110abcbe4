/** Chooses a proposal's student among those that support the case. */
import type { ComputeProfile } from "../ComputeProfile.ts"
import { type Estimate, estimate } from "../Estimate.ts"
import { type Data, type Environment, type Preferences, sizeOf } from "../ProposalInput.ts"
import type { Stage } from "../Recipe.ts"
import type { StudentBase } from "../StudentBase.ts"
import type { DataSize } from "./DataSize.ts"
import { stagesFor } from "./StagePlan.ts"

/** The data size by the student's own tokenizer, if available. */
export const sizeFor = (data: Data, { id }: StudentBase, { tokens }: Environment): DataSize =>
  sizeOf(data, tokens?.get(id))

export interface Candidate {
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
  /** The profile of the estimate. */
  readonly profile: ComputeProfile
  /** Why this server cannot train the student; null if it can. */
  readonly missing: string | null
}

/**
 * Uses the plan's profile if it keeps the cost bound, else the cheapest profile. A language model needs an accelerator.
 */
export const candidate = (data: Data, wish: Preferences, student: StudentBase, around: Environment): Candidate => {
  const { builtinSpeed, missing } = around
  const stages = stagesFor(data, wish, student, around)
  const size = sizeFor(data, student, around)
  const on = (profile: ComputeProfile): Candidate => {
    const made = estimate({ student, profile, stages, data: size, builtinSpeed })
    return { student, stages, estimate: made, profile, missing: missing[student.engine] }
  }
  const own = on(around.profile)
  if (student.engine === "builtin" || own.estimate.costMicros <= wish.maxCostMicros) return own
  return around.profiles.map(on).reduce((best, one) => (costOf(one) < costOf(best) ? one : best), own)
}

const costOf = (one: Candidate): number => one.estimate.costMicros
const parameters = ({ student }: Candidate): number => student.parameters ?? 0
export const isBuiltin = ({ student }: Candidate): boolean => student.engine === "builtin"

/** The best candidate by the objective within the cost bound, else the cheapest. */
const best = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Preferences): Candidate => {
  const least = (of: (one: Candidate) => number, among: ReadonlyArray<Candidate>, first: Candidate) =>
    among.reduce((best, one) => (of(one) < of(best) ? one : best), first)
  const [first, ...others] = candidates.filter((one) => costOf(one) <= wish.maxCostMicros)
  if (first === undefined) return least(costOf, candidates, candidates[0])
  switch (wish.objective) {
    case "cost":
      return least(costOf, others, first)
    case "latency":
      return least(parameters, others, first)
    case "quality":
      return least((one) => -parameters(one), others, first)
  }
}

/**
 * Prefers candidates that can train here within the cost bound, and among them the builtin student, which costs next to
 * nothing and needs no trainer.
 */
export const choose = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Preferences): Candidate => {
  const among = (all: ReadonlyArray<Candidate>): Candidate | undefined => {
    const [first, ...others] = all.filter(isBuiltin).length > 0 ? all.filter(isBuiltin) : all
    return first && best([first, ...others], wish)
  }
  const canRun = candidates.filter((one) => one.missing === null && costOf(one) <= wish.maxCostMicros)
  return among(canRun) ?? among(candidates) ?? candidates[0]
}
