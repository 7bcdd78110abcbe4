/** Which student a proposal names, among those that take the case. */
import type { ComputeProfile } from "../ComputeProfile.ts"
import { type Estimate, estimate } from "../Estimate.ts"
import { type Data, type Surroundings, sizeOf, type Wish } from "../ProposalInput.ts"
import type { Stage } from "../Recipe.ts"
import type { StudentBase } from "../StudentBase.ts"
import type { DataSize } from "./DataSize.ts"
import { stagesFor } from "./StagePlan.ts"

/** As the tokenizer of this student counts it, where there is one. */
export const sizeFor = (data: Data, { id }: StudentBase, { tokens }: Surroundings): DataSize =>
  sizeOf(data, tokens?.get(id))

export interface Candidate {
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
  /** What the estimate is made for. */
  readonly profile: ComputeProfile
  /** Why it cannot be trained here; null: it can, if it is within the cost. */
  readonly missing: string | null
}

/** On the profile of the plan where that is within the cost, else where it is cheapest: a language model takes an accelerator. */
export const candidate = (data: Data, wish: Wish, student: StudentBase, around: Surroundings): Candidate => {
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

/** The best by the objective, among those within the cost; if there is none, the cheapest. */
const best = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Wish): Candidate => {
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
 * What can run here within the cost comes first; of that, the builtin student wherever it takes the case: it costs next to
 * nothing and needs no trainer.
 */
export const choose = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Wish): Candidate => {
  const among = (all: ReadonlyArray<Candidate>): Candidate | undefined => {
    const [first, ...others] = all.filter(isBuiltin).length > 0 ? all.filter(isBuiltin) : all
    return first && best([first, ...others], wish)
  }
  const canRun = candidates.filter((one) => one.missing === null && costOf(one) <= wish.maxCostMicros)
  return among(canRun) ?? among(candidates) ?? candidates[0]
}
