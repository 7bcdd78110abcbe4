/** Counts what the rows of a version are like, one row after the other. Pure; the order of rows does not matter. */
import { DistillLimits } from "../Limits.ts"
import type { RowProfile } from "./DatasetVersion.ts"
import type { Row } from "./Row.ts"
import { exampleOf, textOf, tokensOf, usesTools } from "./RowText.ts"

/** The profile on its way; `labels` is null once the completions are no closed set. */
export interface Tally extends Omit<RowProfile, "labels" | "census"> {
  readonly labels: ReadonlySet<string> | null
  readonly requestTokens: number
}

export const empty: Tally = {
  rows: 0,
  multiTurn: 0,
  toolUse: 0,
  structured: 0,
  labels: new Set(),
  promptTokens: 0,
  requestTokens: 0,
  completionTokens: 0,
  longestTokens: 0
}

const isStructured = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const withLabel = (labels: Tally["labels"], label: string | null): Tally["labels"] => {
  if (labels === null || label === null) return null
  if (labels.has(label)) return labels
  return labels.size < DistillLimits.labelsMax ? new Set([...labels, label]) : null
}

/** What one row counts for: all that is to be remembered of it until it is known whether it is kept. */
export interface RowMeasure {
  readonly isMultiTurn: boolean
  readonly usesTools: boolean
  readonly isStructured: boolean
  /** Null: its completion is no label. */
  readonly label: string | null
  readonly promptTokens: number
  readonly requestTokens: number
  readonly completionTokens: number
}

export const measure = (row: Row): RowMeasure => {
  const { completion, prompt } = exampleOf(row)
  const text = textOf(completion)
  const tokens = prompt.map(tokensOf)
  return {
    isMultiTurn: prompt.filter(({ role }) => role === "user").length > 1,
    usesTools: prompt.some(usesTools) || usesTools(completion),
    isStructured: isStructured(text),
    label: text === "" || text.length > DistillLimits.labelCharactersMax ? null : text,
    promptTokens: tokens.reduce((sum, count) => sum + count, 0),
    requestTokens: tokens[prompt.findLastIndex(({ role }) => role === "user")] ?? tokens.at(-1) ?? 0,
    completionTokens: tokensOf(completion)
  }
}

const one = (is: boolean): number => (is ? 1 : 0)

export const addMeasured = (tally: Tally, row: RowMeasure): Tally => ({
  rows: tally.rows + 1,
  multiTurn: tally.multiTurn + one(row.isMultiTurn),
  toolUse: tally.toolUse + one(row.usesTools),
  structured: tally.structured + one(row.isStructured),
  labels: withLabel(tally.labels, row.label),
  promptTokens: tally.promptTokens + row.promptTokens,
  requestTokens: tally.requestTokens + row.requestTokens,
  completionTokens: tally.completionTokens + row.completionTokens,
  longestTokens: Math.max(tally.longestTokens, row.promptTokens + row.completionTokens)
})

export const add = (tally: Tally, row: Row): Tally => addMeasured(tally, measure(row))

export const profileOf = (tally: Tally): RowProfile => ({
  ...tally,
  labels: tally.labels === null ? null : [...tally.labels].sort()
})
