/**
 * Makes a proposal: what the rows are, which student fits the objective, by which stages, at what estimated cost. Pure: the
 * same data, request and catalog give the same proposal (contract 5).
 */
import { toUsd } from "@limbeck/core/money/Money"
import * as Schema from "effect/Schema"
import type { DatasetVersion, RowProfile } from "../dataset/DatasetVersion.ts"
import type { ComputeProfile } from "./ComputeProfile.ts"
import { type Estimate, estimate } from "./Estimate.ts"
import * as CaseJudge from "./internal/CaseJudge.ts"
import type { DataSize } from "./internal/DataSize.ts"
import { defaults, type Stage } from "./Recipe.ts"
import type { RunCase, StudentBase } from "./StudentBase.ts"

export const Objective = Schema.Literals(["cost", "quality", "latency"])
export type Objective = typeof Objective.Type

export const Outcome = Schema.Literals(["deployable_student", "report_only"])
export type Outcome = typeof Outcome.Type

export interface Wish {
  readonly objective: Objective
  /** Whole micro-dollars. */
  readonly maxCostMicros: number
  readonly outcome: Outcome
  readonly rewards: ReadonlyArray<string>
}

export interface Proposal {
  readonly case: RunCase
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
  readonly rationale: ReadonlyArray<string>
}

type Data = Pick<DatasetVersion, "trainRows" | "holdoutRows"> & { readonly profile: RowProfile }

export interface Surroundings {
  /** At least one of them takes every case. */
  readonly students: ReadonlyArray<StudentBase>
  readonly profiles: ReadonlyArray<ComputeProfile>
  /** What the estimate and the plan hash are made for. */
  readonly profile: ComputeProfile
  /** See `StudentProbe`. */
  readonly builtinSpeed: number
}

export const sizeOf = ({ holdoutRows, profile, trainRows }: Data): DataSize => ({
  trainRows,
  holdoutRows,
  promptTokens: profile.promptTokens / profile.rows,
  requestTokens: profile.requestTokens === undefined ? undefined : profile.requestTokens / profile.rows,
  completionTokens: profile.completionTokens / profile.rows,
  labels: profile.labels?.length ?? null,
  census: profile.census
})

const epochsFor: Record<Objective, number> = { cost: 2, latency: 3, quality: 4 }
/** Rows are few, and an epoch of the builtin student takes milliseconds. */
const builtinEpochs: Record<Objective, number> = { cost: 10, latency: 10, quality: 20 }

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)))

/** The longest row fits; 512 at least, for prompts that grow. */
const sequenceLength = (data: Data, student: StudentBase): number =>
  Math.min(student.contextLength, Math.max(512, nextPowerOfTwo(data.profile.longestTokens)))

/** For latency no more of a request is read, now and later, than rows like these need. */
const builtinSft = (data: Data, { objective }: Wish, student: StudentBase): Stage => {
  const shortest = Math.min(defaults.sft.max_seq_len, sequenceLength(data, student))
  const config = { epochs: builtinEpochs[objective], ...(objective === "latency" ? { max_seq_len: shortest } : {}) }
  return { kind: "sft", config }
}

const sft = (data: Data, wish: Wish, student: StudentBase): Stage =>
  student.engine === "builtin"
    ? builtinSft(data, wish, student)
    : {
        kind: "sft",
        config: {
          ...defaults.sft,
          epochs: epochsFor[wish.objective],
          lora_rank: wish.objective === "quality" ? 32 : 16,
          max_seq_len: sequenceLength(data, student)
        }
      }

const publish = (student: StudentBase): Stage => ({
  kind: "publish",
  config: student.engine === "builtin" ? {} : defaults.publish
})

/** In canonical order, each with all of its config; a stage that the student does not take is left out. */
const stagesFor = (data: Data, wish: Wish, student: StudentBase): ReadonlyArray<Stage> => {
  const { rewards } = wish
  const grpo: Stage = { kind: "grpo", config: defaults.grpo }
  const evaluation: Stage = {
    kind: "eval",
    config: { rewards, sample: Math.min(data.holdoutRows, defaults.eval.sample) }
  }
  const stages = [
    sft(data, wish, student),
    ...(rewards.length > 0 ? [grpo] : []),
    ...(data.holdoutRows > 0 ? [evaluation] : []),
    ...(wish.outcome === "deployable_student" ? [publish(student)] : [])
  ]
  return stages.filter(({ kind }) => student.stages.includes(kind))
}

interface Candidate {
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
}

const candidate = (data: Data, wish: Wish, student: StudentBase, around: Surroundings): Candidate => {
  const { builtinSpeed, profile } = around
  const stages = stagesFor(data, wish, student)
  return { student, stages, estimate: estimate({ student, profile, stages, data: sizeOf(data), builtinSpeed }) }
}

const parameters = ({ student }: Candidate): number => student.parameters ?? 0

/** The best by the objective, among those within the cost; if there is none, the cheapest. */
const choose = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Wish): Candidate => {
  const least = (of: (one: Candidate) => number, among: ReadonlyArray<Candidate>, first: Candidate) =>
    among.reduce((best, one) => (of(one) < of(best) ? one : best), first)
  const cost = (one: Candidate) => one.estimate.costMicros
  const [first, ...others] = candidates.filter((one) => cost(one) <= wish.maxCostMicros)
  if (first === undefined) return least(cost, candidates, candidates[0])
  switch (wish.objective) {
    case "cost":
      return least(cost, others, first)
    case "latency":
      return least(parameters, others, first)
    case "quality":
      return least((one) => -parameters(one), others, first)
  }
}

/** The builtin student wherever it takes the case: it costs next to nothing and needs no trainer. */
const studentsFor = (runCase: RunCase, students: ReadonlyArray<StudentBase>): ReadonlyArray<StudentBase> => {
  const taking = students.filter(({ cases }) => cases.includes(runCase))
  const builtin = taking.filter(({ engine }) => engine === "builtin")
  return builtin.length > 0 ? builtin : taking
}

const reasons: Record<Objective, string> = {
  cost: "is the cheapest that fits",
  latency: "is the smallest that fits, and so the fastest to serve",
  quality: "is the largest that fits within max_cost_usd"
}

const builtinReasons: Record<Objective, string> = {
  cost: "For the objective cost it learns in few epochs.",
  latency: "For the objective latency it reads no more of a request than rows like these need.",
  quality: "For the objective quality it learns in twice as many epochs."
}

const dollars = (micros: number): string => `$${toUsd(micros)}`

const choiceReason = ({ estimate, student }: Candidate, wish: Wish): string => {
  if (student.engine === "builtin") {
    const above =
      estimate.costMicros > wish.maxCostMicros
        ? ` It is estimated at ${dollars(estimate.costMicros)} all the same.`
        : ""
    return `${student.id} learns a closed set of labels on this machine in seconds; no language model is needed. ${builtinReasons[wish.objective]}${above}`
  }
  return estimate.costMicros <= wish.maxCostMicros
    ? `For the objective ${wish.objective}, ${student.id} ${reasons[wish.objective]}.`
    : `No student is estimated within ${dollars(wish.maxCostMicros)}; ${student.id} is the cheapest, at ${dollars(estimate.costMicros)}.`
}

/** Where the same plan would be cheaper; nothing when it would not be. */
const cheaperElsewhere = (data: Data, { estimate: own, stages, student }: Candidate, around: Surroundings) => {
  const elsewhere = around.profiles
    .filter(({ id }) => id !== around.profile.id && student.engine === "llm")
    .map((profile) => ({ id: profile.id, ...estimate({ student, profile, stages, data: sizeOf(data) }) }))
  const best = elsewhere.toSorted((a, b) => a.costMicros - b.costMicros)[0]
  return best !== undefined && best.costMicros < own.costMicros
    ? [`On ${best.id} the same plan is estimated at ${dollars(best.costMicros)} in ${best.wallClockMinutes} minutes.`]
    : []
}

/** Undefined when no student of the catalog takes the case. The version holds at least one row. */
export const propose = (data: Data, wish: Wish, around: Surroundings): Proposal | undefined => {
  const judged = CaseJudge.judge(data.profile)
  const [first, ...others] = studentsFor(judged.case, around.students).map((student) =>
    candidate(data, wish, student, around)
  )
  if (first === undefined) return undefined
  const chosen = choose([first, ...others], wish)
  return {
    case: judged.case,
    ...chosen,
    rationale: [
      judged.because,
      choiceReason(chosen, wish),
      `It trains on ${data.trainRows} rows of about ${Math.round(sizeOf(data).promptTokens + sizeOf(data).completionTokens)} tokens.`,
      data.holdoutRows > 0
        ? `It is evaluated on ${Math.min(data.holdoutRows, defaults.eval.sample)} of ${data.holdoutRows} holdout rows.`
        : "The version has no holdout rows, so nothing can be evaluated.",
      ...(wish.outcome === "report_only" ? ["No student is published: the outcome is a report."] : []),
      ...cheaperElsewhere(data, chosen, around)
    ]
  }
}
