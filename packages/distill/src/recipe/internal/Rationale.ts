/** The reasons of a proposal, in sentences for people. */
import { toUsd } from "@limbeck/core/money/Money"
import type { RowProfile } from "../../dataset/DatasetVersion.ts"
import type { ProfiledField } from "../../dataset/FieldKinds.ts"
import { estimate } from "../Estimate.ts"
import type { Data, Environment, Objective, Preferences } from "../ProposalInput.ts"
import type { RunCase, StudentBase } from "../StudentBase.ts"
import type { Judgement } from "./CaseJudge.ts"
import type { DataSize } from "./DataSize.ts"
import { memoryNote } from "./Footprint.ts"
import { lackOf, proposedSample } from "./StagePlan.ts"
import { type Candidate, isBuiltin, sizeFor } from "./StudentChoice.ts"

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

/** Names of fields in a sentence. */
const namesShown = 10

const dollars = (micros: number): string => `$${toUsd(micros)}`

const choiceReason = (chosen: Candidate, wish: Preferences): string => {
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

/** Names the profile of the estimate if it differs from the plan's, else a cheaper profile for the same plan. */
const elsewhere = (data: Data, chosen: Candidate, around: Environment): ReadonlyArray<string> => {
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

/** The amount of training data, and the method of counting it. */
const tokensNote = (chosen: Candidate, { completionTokens, promptTokens, tokens, trainRows }: DataSize) => {
  const rows = `It trains on ${trainRows} rows of about ${Math.round(promptTokens + completionTokens)} tokens`
  if (isBuiltin(chosen)) return `${rows}.`
  return tokens === undefined
    ? `${rows}, estimated from their bytes: no tokenizer of ${chosen.student.id} is in MODELS_DIR.`
    : `${rows}, counted by the tokenizer of ${tokens.tokenizer} in ${tokens.rows} of them.`
}

/** The duration on each profile. The builtin student trains on the server, so it has none. */
const minutesNotes = (data: Data, { stages, student }: Candidate, around: Environment): ReadonlyArray<string> => {
  if (student.engine === "builtin") return []
  const size = sizeFor(data, student, around)
  const each = around.profiles.map((profile) => {
    const { wallClockMinutes } = estimate({ student, profile, stages, data: size })
    return `${wallClockMinutes} on ${profile.id}`
  })
  return [`It is estimated to take these minutes: ${each.join(", ")}.`]
}

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`)

/** Notes on unusual properties of the rows. */
const builtinNotes = ({ answers, census, media = 0 }: RowProfile): ReadonlyArray<string> => [
  ...(answers === undefined || answers.variants === 0
    ? []
    : [
        `${counted(answers.variants, "other writing", "other writings")} of labels, in case, spaces, end punctuation or form of JSON, are read as them.`
      ]),
  ...(answers === undefined || answers.odd === 0
    ? []
    : [`${counted(answers.odd, "row has", "rows have")} an odd completion, such as a refusal, and are left out.`]),
  ...(media === 0
    ? []
    : [
        `${counted(media, "row has", "rows have")} an image, audio or a file, which it does not read, and are left out.`
      ]),
  ...(census?.cut === undefined || census.cut === 0
    ? []
    : [
        `${census.cut} of ${census.rows} requests looked at are longer than is read, but for what all have in common: their middle is left out.`
      ])
]

const namesOf = (names: ReadonlyArray<string>): string => {
  const others = names.length > namesShown ? ` and ${names.length - namesShown} more` : ""
  return `${names
    .slice(0, namesShown)
    .map((name) => JSON.stringify(name))
    .join(", ")}${others}`
}

const isFillable = ({ kind }: ProfiledField): boolean => kind === "closed" || kind === "ordered"

/** The top-level property that contains a field. */
const propertyOf = ({ name }: ProfiledField): string => name.split("/")[0] ?? ""

/** Lists the closed fields of JSON answers with open fields, and the setting for them. */
const fieldNotes = ({ fieldKinds = [], toolUse }: RowProfile): ReadonlyArray<string> => {
  const open = fieldKinds.filter((field) => !isFillable(field))
  if (open.length === 0) return []
  const without = new Set(open.map(propertyOf))
  const closed = [...new Set(fieldKinds.map(propertyOf))].filter((name) => !without.has(name))
  const copies = open.filter(({ kind }) => kind === "number" || kind === "span").map(({ name }) => name)
  const advice =
    toolUse > 0
      ? "A builtin student learns whole calls only."
      : `With \`fields: "closed_only"\` in the sft stage of a builtin student, and in its deployment, it fills them, and the fallback the others.`
  return [
    ...(closed.length === 0 ? [] : [`These fields are closed sets: ${namesOf(closed)}. ${advice}`]),
    ...(copies.length === 0
      ? []
      : [`No builtin student fills ${namesOf(copies)}: the values are numbers or copied from the request.`])
  ]
}

/** Suggests rewards if the request names none, or explains why named rewards are not optimized. */
const rewardNotes = (
  judged: RunCase,
  { rewards }: Preferences,
  { student }: Candidate,
  around: Environment
): ReadonlyArray<string> => {
  const lack = lackOf("grpo", student, around)
  if (student.engine === "builtin") return []
  if (rewards.length > 0) return lack === undefined ? [] : [`The rewards are not optimized: ${lack}.`]
  return judged === "extraction"
    ? ["No reward is named: json_schema would score the form of the JSON, and exact_match the whole of it."]
    : ["No reward is named: exact_match would score answers that have one right form, and llm_judge all others."]
}

const holdoutNote = ({ holdoutRows }: Data, student: StudentBase): string =>
  holdoutRows > 0
    ? `It is evaluated on ${proposedSample({ holdoutRows }, student)} of ${holdoutRows} holdout rows.`
    : "The version has no holdout rows, so nothing can be evaluated, and a student is published only for the outcome deployable_student."

/** The decision and its inputs. */
export interface Decision {
  readonly judged: Judgement
  readonly candidates: ReadonlyArray<Candidate>
  /** The chosen candidate. */
  readonly chosen: Candidate
}

export const rationale = (
  { candidates, chosen, judged }: Decision,
  data: Data,
  wish: Preferences,
  around: Environment
): ReadonlyArray<string> => {
  const size = sizeFor(data, chosen.student, around)
  return [
    judged.because,
    ...(isBuiltin(chosen) ? builtinNotes(data.profile) : fieldNotes(data.profile)),
    choiceReason(chosen, wish),
    ...obstacles(chosen, candidates),
    tokensNote(chosen, size),
    holdoutNote(data, chosen.student),
    ...rewardNotes(judged.case, wish, chosen, around),
    memoryNote(chosen.student, size),
    ...minutesNotes(data, chosen, around),
    ...(wish.outcome === "report_only" ? ["No student is published: the outcome is a report."] : []),
    ...elsewhere(data, chosen, around)
  ]
}
