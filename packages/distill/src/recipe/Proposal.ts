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
import { memoryNote } from "./internal/Footprint.ts"
import type { Counted, TokenCounts } from "./internal/TokenCounts.ts"
import { defaults, type Stage, type StageKind } from "./Recipe.ts"
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
  /** Why no student of an engine can be trained here, for a person; null: they can. */
  readonly missing: Readonly<Record<StudentBase["engine"], string | null>>
  /** Stages of language models that the trainer here cannot do, each with the reason, for a person. */
  readonly lacks?: Readonly<Partial<Record<StageKind, string>>>
  /** By student, where a tokenizer is at hand. */
  readonly tokens?: TokenCounts
}

/** `tokens`: what a tokenizer has counted. */
export const sizeOf = ({ holdoutRows, profile, trainRows }: Data, tokens?: Counted): DataSize => ({
  trainRows,
  holdoutRows,
  promptTokens: tokens ? tokens.promptTokens / tokens.rows : profile.promptTokens / profile.rows,
  requestTokens: profile.requestTokens === undefined ? undefined : profile.requestTokens / profile.rows,
  completionTokens: tokens ? tokens.completionTokens / tokens.rows : profile.completionTokens / profile.rows,
  tokens: tokens && { tokenizer: tokens.tokenizer, rows: tokens.rows },
  labels: profile.fields?.reduce((sum, { labels }) => sum + labels, 0) ?? profile.labels?.length ?? null,
  census: profile.census
})

const epochsFor: Record<Objective, number> = { cost: 2, latency: 3, quality: 4 }
/** Rows are few, and an epoch of the builtin student takes milliseconds. */
const builtinEpochs: Record<Objective, number> = { cost: 10, latency: 10, quality: 20 }

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)))

/** Of the longest row; where the tokenizer has not counted it, as the estimate and what was counted have it. */
const longestTokens = ({ profile }: Data, tokens: Counted | undefined): number => {
  if (tokens === undefined) return profile.longestTokens
  const estimated = (profile.promptTokens + profile.completionTokens) / profile.rows
  const counted = (tokens.promptTokens + tokens.completionTokens) / tokens.rows
  return Math.max(
    tokens.longestTokens,
    profile.longestTokens,
    (profile.longestTokens * counted) / Math.max(1, estimated)
  )
}

/** The longest row fits; 512 at least, for prompts that grow. */
const sequenceLength = (data: Data, student: StudentBase, tokens?: Counted): number =>
  Math.min(student.contextLength, Math.max(512, nextPowerOfTwo(longestTokens(data, tokens))))

/** For latency no more of a request is read, now and later, than rows like these need. */
const builtinSft = (data: Data, { objective }: Wish, student: StudentBase): Stage => {
  const shortest = Math.min(defaults.sft.max_seq_len, sequenceLength(data, student))
  const config = { epochs: builtinEpochs[objective], ...(objective === "latency" ? { max_seq_len: shortest } : {}) }
  return { kind: "sft", config }
}

const sft = (data: Data, wish: Wish, student: StudentBase, tokens: Counted | undefined): Stage =>
  student.engine === "builtin"
    ? builtinSft(data, wish, student)
    : {
        kind: "sft",
        config: {
          ...defaults.sft,
          epochs: epochsFor[wish.objective],
          lora_rank: wish.objective === "quality" ? 32 : 16,
          max_seq_len: sequenceLength(data, student, tokens)
        }
      }

const publish = (student: StudentBase): Stage => ({
  kind: "publish",
  config: student.engine === "builtin" ? {} : defaults.publish
})

/** Why a stage that the student takes cannot be done here; undefined: it can. */
const lackOf = (kind: StageKind, student: StudentBase, { lacks }: Surroundings): string | undefined =>
  student.engine === "llm" && student.stages.includes(kind) ? lacks?.[kind] : undefined

/** In canonical order, each with all of its config; a stage that the student does not take, or that cannot be done here, is left out. */
const stagesFor = (data: Data, wish: Wish, student: StudentBase, around: Surroundings): ReadonlyArray<Stage> => {
  const { rewards } = wish
  const grpo: Stage = { kind: "grpo", config: defaults.grpo }
  const evaluation: Stage = {
    kind: "eval",
    config: { rewards, sample: Math.min(data.holdoutRows, defaults.eval.sample) }
  }
  const stages = [
    sft(data, wish, student, around.tokens?.get(student.id)),
    ...(rewards.length > 0 ? [grpo] : []),
    ...(data.holdoutRows > 0 ? [evaluation] : []),
    ...(wish.outcome === "deployable_student" ? [publish(student)] : [])
  ]
  return stages.filter(({ kind }) => student.stages.includes(kind) && lackOf(kind, student, around) === undefined)
}

const sizeFor = (data: Data, { id }: StudentBase, { tokens }: Surroundings): DataSize => sizeOf(data, tokens?.get(id))

interface Candidate {
  readonly student: StudentBase
  readonly stages: ReadonlyArray<Stage>
  readonly estimate: Estimate
  /** What the estimate is made for. */
  readonly profile: ComputeProfile
  /** Why it cannot be trained here; null: it can, if it is within the cost. */
  readonly missing: string | null
}

/** On the profile of the plan where that is within the cost, else where it is cheapest: a language model takes an accelerator. */
const candidate = (data: Data, wish: Wish, student: StudentBase, around: Surroundings): Candidate => {
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
const isBuiltin = ({ student }: Candidate): boolean => student.engine === "builtin"

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
const choose = (candidates: readonly [Candidate, ...Array<Candidate>], wish: Wish): Candidate => {
  const among = (all: ReadonlyArray<Candidate>): Candidate | undefined => {
    const [first, ...others] = all.filter(isBuiltin).length > 0 ? all.filter(isBuiltin) : all
    return first && best([first, ...others], wish)
  }
  const canRun = candidates.filter((one) => one.missing === null && costOf(one) <= wish.maxCostMicros)
  return among(canRun) ?? among(candidates) ?? candidates[0]
}

const reasons: Record<Objective, string> = {
  cost: "is the cheapest that fits",
  latency: "is the smallest that fits, and so the fastest to serve",
  quality: "is the largest that fits within max_cost_usd"
}

const builtinReasons: Record<Objective, string> = {
  cost: "For the objective cost it learns in few epochs.",
  latency: "For the objective latency it reads no more of a request than rows like these need.",
  quality: "For the objective quality it learns in more epochs."
}

const dollars = (micros: number): string => `$${toUsd(micros)}`

const choiceReason = (chosen: Candidate, wish: Wish): string => {
  const { estimate, student } = chosen
  const isAbove = estimate.costMicros > wish.maxCostMicros
  if (isBuiltin(chosen)) {
    const above = isAbove ? ` It is estimated at ${dollars(estimate.costMicros)} all the same.` : ""
    return `${student.id} learns a closed set of labels on this machine in seconds; no language model is needed. ${builtinReasons[wish.objective]}${above}`
  }
  return isAbove
    ? `No student is estimated within ${dollars(wish.maxCostMicros)} on any profile; ${student.id} is the cheapest, at ${dollars(estimate.costMicros)} on ${chosen.profile.id}.`
    : `For the objective ${wish.objective}, ${student.id} ${reasons[wish.objective]}.`
}

/** What has to be done before the plan can run, and why a better one is not proposed. */
const obstacles = (chosen: Candidate, candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> => {
  const builtin = candidates.find(isBuiltin)
  const passed = builtin !== undefined && !isBuiltin(chosen) ? (builtin.missing ?? "It is above max_cost_usd") : null
  return [
    ...(passed === null ? [] : [`${builtin?.student.id} is not proposed: ${passed}.`]),
    ...(chosen.missing === null ? [] : [`A live run of this plan is refused here: ${chosen.missing}.`])
  ]
}

/** On which profile the estimate holds, where that is not the plan's; else where the same plan would be cheaper. */
const elsewhere = (data: Data, chosen: Candidate, around: Surroundings): ReadonlyArray<string> => {
  const { estimate: own, profile, stages, student } = chosen
  if (student.engine === "builtin") return []
  const size = sizeFor(data, student, around)
  if (profile.id !== around.profile.id) {
    const here = estimate({ student, profile: around.profile, stages, data: size })
    return [
      `On ${profile.id} the same plan is estimated at ${dollars(own.costMicros)}: name it as compute.profile of the run; on ${around.profile.id} it would be ${dollars(here.costMicros)}.`
    ]
  }
  const best = around.profiles
    .filter(({ id }) => id !== profile.id)
    .map((other) => ({ id: other.id, ...estimate({ student, profile: other, stages, data: size }) }))
    .toSorted((a, b) => a.costMicros - b.costMicros)[0]
  return best !== undefined && best.costMicros < own.costMicros
    ? [`On ${best.id} the same plan is estimated at ${dollars(best.costMicros)} in ${best.wallClockMinutes} minutes.`]
    : []
}

/** How much there is to learn, and who counted it. */
const tokensNote = (chosen: Candidate, { completionTokens, promptTokens, tokens, trainRows }: DataSize) => {
  const rows = `It trains on ${trainRows} rows of about ${Math.round(promptTokens + completionTokens)} tokens`
  if (isBuiltin(chosen)) return `${rows}.`
  return tokens === undefined
    ? `${rows}, estimated from their bytes: no tokenizer of ${chosen.student.id} is in MODELS_DIR.`
    : `${rows}, counted by the tokenizer of ${tokens.tokenizer} in ${tokens.rows} of them.`
}

/** How long the plan takes on each profile; the builtin student is trained where the server is. */
const minutesNotes = (data: Data, { stages, student }: Candidate, around: Surroundings): ReadonlyArray<string> => {
  if (student.engine === "builtin") return []
  const size = sizeFor(data, student, around)
  const each = around.profiles.map((profile) => {
    const { wallClockMinutes } = estimate({ student, profile, stages, data: size })
    return `${wallClockMinutes} on ${profile.id}`
  })
  return [`It is estimated to take these minutes: ${each.join(", ")}.`]
}

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`)

/** What of the rows is not as it seems. */
const builtinNotes = ({ answers, census }: RowProfile): ReadonlyArray<string> => [
  ...(answers === undefined || answers.variants === 0
    ? []
    : [
        `${counted(answers.variants, "other writing", "other writings")} of labels, in case, spaces, end punctuation or form of JSON, are read as them.`
      ]),
  ...(answers === undefined || answers.odd === 0
    ? []
    : [`${counted(answers.odd, "row has", "rows have")} an odd completion, such as a refusal, and are left out.`]),
  ...(census?.cut === undefined || census.cut === 0
    ? []
    : [
        `${census.cut} of ${census.rows} requests looked at are longer than is read, but for what all have in common: their middle is left out.`
      ])
]

/** Which rewards would suit, where none is named; or why those that are named are not optimized. */
const rewardNotes = (
  judged: RunCase,
  { rewards }: Wish,
  { student }: Candidate,
  around: Surroundings
): ReadonlyArray<string> => {
  const lack = lackOf("grpo", student, around)
  if (student.engine === "builtin") return []
  if (rewards.length > 0) return lack === undefined ? [] : [`The rewards are not optimized: ${lack}.`]
  return judged === "extraction"
    ? ["No reward is named: json_schema would score the form of the JSON, and exact_match the whole of it."]
    : ["No reward is named: exact_match would score answers that have one right form, and llm_judge all others."]
}

/** What becomes of a student for which nobody asked expressly: without holdout rows nothing speaks for it. */
export const outcomeFor = ({ holdoutRows }: Data): Outcome => (holdoutRows > 0 ? "deployable_student" : "report_only")

/** Undefined when no student of the catalog takes the case. The version holds at least one row. */
export const propose = (data: Data, wish: Wish, around: Surroundings): Proposal | undefined => {
  const judged = CaseJudge.judge(data.profile)
  const candidates = around.students
    .filter(({ cases }) => cases.includes(judged.case))
    .map((student) => candidate(data, wish, student, around))
  const [first, ...others] = candidates
  if (first === undefined) return undefined
  const chosen = choose([first, ...others], wish)
  const size = sizeFor(data, chosen.student, around)
  return {
    case: judged.case,
    student: chosen.student,
    stages: chosen.stages,
    estimate: chosen.estimate,
    rationale: [
      judged.because,
      ...(isBuiltin(chosen) ? builtinNotes(data.profile) : []),
      choiceReason(chosen, wish),
      ...obstacles(chosen, candidates),
      tokensNote(chosen, size),
      data.holdoutRows > 0
        ? `It is evaluated on ${Math.min(data.holdoutRows, defaults.eval.sample)} of ${data.holdoutRows} holdout rows.`
        : "The version has no holdout rows, so nothing can be evaluated, and a student is published only for the outcome deployable_student.",
      ...rewardNotes(judged.case, wish, chosen, around),
      memoryNote(chosen.student, size),
      ...minutesNotes(data, chosen, around),
      ...(wish.outcome === "report_only" ? ["No student is published: the outcome is a report."] : []),
      ...elsewhere(data, chosen, around)
    ]
  }
}
