/** Classifies the rows of a profile into a case (contract 5). */
import type { DatasetVersion, RowProfile } from "../../dataset/DatasetVersion.ts"
import * as LabelRules from "../../dataset/LabelRules.ts"
import type { RunCase } from "../StudentBase.ts"

export interface Judgement {
  readonly case: RunCase
  /** One sentence for a person. */
  readonly because: string
}

/** A trait in a greater share of rows decides the case. */
const mostly = 0.5
/** With a greater share of tool calls, the student must support tools. */
const toolShare = 0.2

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** A closed set has at least two labels, each with two rows on average; other sets count as free text. */
export const isClosedSet = ({ labels, rows }: RowProfile): boolean =>
  labels !== null && labels.length >= 2 && labels.length * 2 <= rows

const shown = (label: string): string => JSON.stringify(label.length > 40 ? `${label.slice(0, 40)}…` : label)

/** Describes the kind of the labels. */
const describe = ({ rows, structured }: RowProfile, labels: ReadonlyArray<string>): string => {
  const multiple = LabelRules.multipleOf(labels)
  if (multiple !== null) {
    return (
      `The completions are multi-label: ${labels.length} combinations of ${multiple} labels. ` +
      "Each combination is learnt as one label, and none is answered that was not seen."
    )
  }
  const written = structured > rows * mostly ? ", written as JSON" : ""
  return `The completions are a closed set of ${labels.length} labels${written}.`
}

const fieldsShown = 10

const namesOf = (fields: NonNullable<RowProfile["fields"]>): string => {
  const named = fields
    .slice(0, fieldsShown)
    .map(({ isList = false, labels, name }) => `${shown(name)} (${isList ? "a list of " : ""}${labels} labels)`)
  const others = fields.length > fieldsShown ? ` and ${fields.length - fieldsShown} more` : ""
  return `${named.join(", ")}${others}`
}

const describeFields = (fields: NonNullable<RowProfile["fields"]>): string => {
  const [first] = fields
  if (fields.length === 1 && first?.isList === true) {
    return (
      `The completions are multi-label: lists of ${first.labels} labels. ` +
      "Each label is learnt by itself, as present or not, so combinations that no row has can be answered."
    )
  }
  return (
    `The completions are written as JSON with ${fields.length} fields that are closed sets: ${namesOf(fields)}. ` +
    "Each field is learnt by itself, so combinations that no row has can be answered."
  )
}

/** Tool calls from a closed set. */
const describeCalls = ({ calls = 0, fields, labels, rows }: RowProfile): string =>
  `${percent(calls / rows)} of the completions are calls of tools. ` +
  (fields === undefined
    ? `They are a closed set of ${labels?.length ?? 0} calls, each a tool with its arguments.`
    : `Their tools and arguments are closed sets: ${namesOf(fields)}. Each is learnt by itself.`)

const describeQuestions = (questions: NonNullable<DatasetVersion["questions"]>): string => {
  const named = questions.slice(0, fieldsShown).map(({ name, question }) => shown(name ?? question))
  const others = questions.length > fieldsShown ? ` and ${questions.length - fieldsShown} more` : ""
  return (
    `The rows answer ${questions.length} ${questions.length === 1 ? "question" : "questions"}: ${named.join(", ")}${others}. ` +
    "Each question is learnt by itself, and one that is not learnt well enough stays upstream."
  )
}

export const judge = (profile: RowProfile, questions: DatasetVersion["questions"] = []): Judgement => {
  if (questions.length > 0) return { case: "decision", because: describeQuestions(questions) }
  const share = (count: number): number => (profile.rows === 0 ? 0 : count / profile.rows)
  const { calls = 0, fields, labels, multiTurn, structured, taken = [], toolUse } = profile
  const isClosed = fields !== undefined || isClosedSet(profile)
  if (share(toolUse) >= toolShare && isClosed && calls === toolUse) {
    return { case: "classification", because: describeCalls(profile) }
  }
  if (share(toolUse) >= toolShare) {
    return { case: "tool_use", because: `${percent(share(toolUse))} of the rows use tools.` }
  }
  if (fields !== undefined) return { case: "classification", because: describeFields(fields) }
  if (labels !== null && isClosedSet(profile)) return { case: "classification", because: describe(profile, labels) }
  if (labels?.length === 1 && profile.rows > 1) {
    const because = `The completions are single-label: all say ${shown(labels[0]!)}. A constant would answer as well as any student.`
    return { case: "classification", because }
  }
  const numbers = taken.length === 0 ? "" : ` They are no labels: ${LabelRules.conflictReason(taken)}.`
  if (share(structured) > mostly) {
    return { case: "extraction", because: `${percent(share(structured))} of the completions are JSON.${numbers}` }
  }
  return share(multiTurn) > mostly
    ? { case: "conversation", because: `${percent(share(multiTurn))} of the rows have more than one user turn.` }
    : { case: "generation", because: `The completions are free text to single requests.${numbers}` }
}
