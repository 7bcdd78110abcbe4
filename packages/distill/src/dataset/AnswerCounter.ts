/** Counts completions row by row, and derives their closed label sets. */
import type * as Result from "effect/Result"
import type { AnswerFields } from "../recipe/Recipe.ts"
import * as AnswerRules from "./AnswerRules.ts"
import type { Answers } from "./Answers.ts"
import * as ClosedFields from "./ClosedFields.ts"
import * as LabelRules from "./LabelRules.ts"
import * as TakenNumbers from "./TakenNumbers.ts"

/** Mutable, and held by one. */
export interface AnswerCounter {
  /** `label`: null for a completion that is none. `request`: the text that it answers. */
  readonly add: (label: string | null, request: string) => void
  readonly rows: () => number
  readonly close: () => Result.Result<Answers, LabelRules.OpenSet>
}

/** `fields`: the part of JSON answers that a training reads. */
export const make = (fields: AnswerFields = "whole"): AnswerCounter => {
  const completions = LabelRules.counter()
  const taken = TakenNumbers.observer()
  let rows = 0
  return {
    add: (label, request) => {
      rows++
      const isWhole = label === null || fields === "whole"
      completions.add(isWhole ? label : ClosedFields.shorten(label, LabelRules.bounds.labelCharactersMax))
      if (label !== null) taken.add(request, label)
    },
    rows: () => rows,
    close: () =>
      (fields === "whole" ? AnswerRules : ClosedFields).close(completions.counts(), LabelRules.bounds, taken.fields())
  }
}
