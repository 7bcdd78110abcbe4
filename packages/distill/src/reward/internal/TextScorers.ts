/** The scorers that need nothing but the two texts: `exact_match`, `contains` and `numeric`. */
import { type Message, textOf } from "../../dataset/RowText.ts"
import { saysTheSame } from "../Completion.ts"
import { makeFailure, type RewardScore, verdict } from "./RewardScore.ts"

/** 1 when both say the same; case and spaces count, and so do tool calls. */
export const exactMatch = (reference: Message, completion: Message): RewardScore =>
  verdict(
    saysTheSame(reference, completion),
    "The completion is the row's completion",
    "The completion differs from the row's completion"
  )

/** 1 if the text contains `value`, with exact case and spaces. Only an empty text contains an empty value. */
export const contains = (value: string, completion: Message): RewardScore => {
  const text = textOf(completion)
  return verdict(
    value === "" ? text === "" : text.includes(value),
    "The completion contains the value",
    "The completion does not contain the value"
  )
}

/**
 * Digits, with commas between groups of three or without; a fraction; an exponent. A sign right after a letter or a digit
 * is a hyphen: `10-5` ends in 5.
 */
const number = /(?:(?<![\p{L}\p{N}])[-+\u2212])?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?/gu

/** The last decimal number of a text, whatever units and words stand around it; undefined when there is none. */
export const lastNumber = (text: string): number | undefined => {
  let last: string | undefined
  for (const [found] of text.matchAll(number)) last = found
  if (last === undefined) return undefined
  const value = Number(last.replaceAll(",", "").replace("\u2212", "-"))
  return Number.isFinite(value) ? value : undefined
}

/** What two doubles may differ by although their decimal numbers are `tolerance` apart: 1.1 - 1 is above 0.1. */
const rounding = (a: number, b: number, tolerance: number): number =>
  4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b), tolerance)

/** 1 when the last numbers of both texts differ by at most `tolerance`; a completion without a number scores 0. */
export const numeric = (tolerance: number, reference: Message, completion: Message): RewardScore => {
  const expected = lastNumber(textOf(reference))
  const found = lastNumber(textOf(completion))
  if (expected === undefined) return makeFailure("no_reference", "The row's completion holds no number")
  if (found === undefined) {
    return verdict(false, "", "The completion holds no number", { expected, found: null, difference: null })
  }
  const difference = Math.abs(expected - found)
  return verdict(
    difference <= tolerance + rounding(expected, found, tolerance),
    "The numbers agree within the tolerance",
    "The numbers differ by more than the tolerance",
    { expected, found, difference: Number.isFinite(difference) ? difference : null }
  )
}
