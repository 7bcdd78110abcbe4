/** Counts a version's rows into a profile, in any order. */
import * as Result from "effect/Result"
import * as AnswerCounter from "./AnswerCounter.ts"
import * as AnswerRules from "./AnswerRules.ts"
import type { Answers } from "./Answers.ts"
import type { RowProfile } from "./DatasetVersion.ts"
import * as FieldKinds from "./FieldKinds.ts"
import * as LabelRules from "./LabelRules.ts"
import { isDecisionRow, type Row } from "./Row.ts"
import { exampleOf, hasMedia, textOf, tokensOf, usesTools } from "./RowText.ts"
import { instructionOf } from "./TemplateRules.ts"
import * as ToolAnswers from "./ToolAnswers.ts"

/** The profile under construction: a tally per number, with a common counter of completions. */
export interface Tally extends Omit<RowProfile, "labels" | "fields" | "fieldKinds" | "answers" | "census" | "taken"> {
  readonly media: number
  readonly calls: number
  readonly completions: AnswerCounter.AnswerCounter
  readonly answerFields: FieldKinds.Observer
  readonly requestTokens: number
}

/** A tally of no rows yet. */
export const begin = (): Tally => ({
  rows: 0,
  multiTurn: 0,
  toolUse: 0,
  structured: 0,
  calls: 0,
  completions: AnswerCounter.make(),
  answerFields: FieldKinds.observer(),
  promptTokens: 0,
  requestTokens: 0,
  completionTokens: 0,
  longestTokens: 0,
  media: 0
})

/** The measures of one row, kept until the row is stored or dropped. */
export interface RowMeasure {
  readonly isMultiTurn: boolean
  readonly usesTools: boolean
  readonly isStructured: boolean
  readonly hasMedia: boolean
  /** Null: its completion can be no label. Undefined: it has no completion, but decisions. */
  readonly label: string | null | undefined
  /** The completion as text, or as the label of its call; null for any other. */
  readonly answer: string | null
  /** Whether only the answer uses tools, in a call usable as a label. */
  readonly isCall: boolean
  /** The text that the completion answers. */
  readonly request: string
  readonly promptTokens: number
  readonly requestTokens: number
  readonly completionTokens: number
  /** See `TemplateRules`; null for a row of decisions, whose questions say what it asks. */
  readonly instruction: string | null
}

export const measure = (row: Row): RowMeasure => {
  const { completion, prompt } = exampleOf(row)
  const text = textOf(completion)
  const label = ToolAnswers.labelOf(completion)
  const tokens = prompt.map(tokensOf)
  const asked = prompt.findLastIndex(({ role }) => role === "user")
  return {
    isMultiTurn: prompt.filter(({ role }) => role === "user").length > 1,
    usesTools: prompt.some(usesTools) || usesTools(completion),
    isStructured: LabelRules.structureOf(text) !== undefined,
    hasMedia: prompt.some(hasMedia),
    label: isDecisionRow(row) ? undefined : label !== null && LabelRules.canBeLabel(label) ? label : null,
    answer: isDecisionRow(row) ? null : label,
    isCall: label !== null && usesTools(completion) && !prompt.some(usesTools),
    promptTokens: tokens.reduce((sum, count) => sum + count, 0),
    request: textOf(prompt.at(asked) ?? { role: "user" }),
    requestTokens: tokens.at(asked) ?? 0,
    completionTokens: tokensOf(completion),
    instruction: isDecisionRow(row) ? null : instructionOf(prompt)
  }
}

const one = (is: boolean): number => (is ? 1 : 0)

/** Adds a row to the tally. The previous tally must not be used again. */
export const addMeasured = (tally: Tally, row: RowMeasure): Tally => {
  // A classifier does not learn from rows with media.
  if (row.label !== undefined && !row.hasMedia) tally.completions.add(row.label, row.request)
  if (row.answer !== null) tally.answerFields.add(row.request, row.answer)
  return {
    completions: tally.completions,
    answerFields: tally.answerFields,
    rows: tally.rows + 1,
    multiTurn: tally.multiTurn + one(row.isMultiTurn),
    toolUse: tally.toolUse + one(row.usesTools),
    structured: tally.structured + one(row.isStructured),
    calls: tally.calls + one(row.isCall),
    promptTokens: tally.promptTokens + row.promptTokens,
    requestTokens: tally.requestTokens + row.requestTokens,
    completionTokens: tally.completionTokens + row.completionTokens,
    longestTokens: Math.max(tally.longestTokens, row.promptTokens + row.completionTokens),
    media: tally.media + one(row.hasMedia)
  }
}

export const add = (tally: Tally, row: Row): Tally => addMeasured(tally, measure(row))

/** A label list counts as a single field. */
const fieldsOf = (questions: Answers["questions"]): NonNullable<RowProfile["fields"]> =>
  [...Map.groupBy(questions, ({ name }) => name)].flatMap(([name, group]) => {
    const [first] = group
    if (name === null || first === undefined) return []
    return first.item === undefined
      ? [{ name, labels: first.labels.length }]
      : [{ name, labels: group.length, isList: true as const }]
  })

const noFields: ReadonlyArray<string> = []

export const profileOf = ({ answerFields, completions, ...tally }: Tally): RowProfile => {
  const closed = completions.close()
  const copied = Result.isFailure(closed) ? (closed.failure.taken ?? noFields) : noFields
  const kinds = answerFields.fields(tally.rows, new Set(copied))
  const counts = { ...tally, ...(kinds.length === 0 ? {} : { fieldKinds: kinds }) }
  if (Result.isFailure(closed)) {
    const { taken } = closed.failure
    return { ...counts, labels: null, ...(taken === undefined ? {} : { taken }) }
  }
  const { odd, questions } = closed.success
  const { variants } = AnswerRules.countOf(closed.success)
  const fields = fieldsOf(questions)
  const [whole] = questions
  return {
    ...counts,
    ...(fields.length > 0
      ? { labels: null, fields }
      : { labels: whole?.labels.map(({ text }) => text).sort() ?? null }),
    answers: { odd, variants }
  }
}
