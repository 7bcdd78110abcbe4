/** Counts what the rows of a version are like, one row after the other. Pure; the order of rows does not matter. */
import { Limits } from "../Limits.ts"
import type { RowProfile } from "./DatasetVersion.ts"
import type { Row } from "./Row.ts"
import { exampleOf, textOf, tokensOf, usesTools } from "./RowText.ts"

/** The profile on its way; `labels` is null once the completions are no closed set. */
export interface Tally extends Omit<RowProfile, "labels"> {
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

const withLabel = (labels: Tally["labels"], text: string): Tally["labels"] => {
  if (labels === null || text === "" || text.length > Limits.labelCharactersMax) return null
  if (labels.has(text)) return labels
  return labels.size < Limits.labelsMax ? new Set([...labels, text]) : null
}

const one = (is: boolean): number => (is ? 1 : 0)

export const add = (tally: Tally, row: Row): Tally => {
  const { completion, prompt } = exampleOf(row)
  const text = textOf(completion)
  const tokens = prompt.map(tokensOf)
  const promptTokens = tokens.reduce((sum, count) => sum + count, 0)
  const requestTokens = tokens[prompt.findLastIndex(({ role }) => role === "user")] ?? tokens.at(-1) ?? 0
  const completionTokens = tokensOf(completion)
  return {
    rows: tally.rows + 1,
    multiTurn: tally.multiTurn + one(prompt.filter(({ role }) => role === "user").length > 1),
    toolUse: tally.toolUse + one([...prompt, completion].some(usesTools)),
    structured: tally.structured + one(isStructured(text)),
    labels: withLabel(tally.labels, text),
    promptTokens: tally.promptTokens + promptTokens,
    requestTokens: tally.requestTokens + requestTokens,
    completionTokens: tally.completionTokens + completionTokens,
    longestTokens: Math.max(tally.longestTokens, promptTokens + completionTokens)
  }
}

export const profileOf = (tally: Tally): RowProfile => ({
  ...tally,
  labels: tally.labels === null ? null : [...tally.labels].sort()
})
