/**
 * Finds the closed set of labels among completions (contract 5). Spellings that differ in case, white space or end
 * punctuation are one label, and so are equal JSON values; the most frequent spelling is the answer. A few answers
 * outside, such as refusals, do not open the set.
 */

import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"

/** How often each completion was seen, by its text; null: too long, empty or a tool call. */
export type LabelCounts = ReadonlyMap<string | null, number>

export interface Label {
  /** The most frequent of its writings. */
  readonly text: string
  readonly count: number
  /** Every spelling seen, including `text`. */
  readonly writings: ReadonlyArray<string>
}

export interface ClosedSet {
  /** Most frequent first. */
  readonly labels: ReadonlyArray<Label>
  /** Rows outside of the set. */
  readonly odd: number
}

export interface OpenSet {
  readonly outside: number
  readonly different: number
  /** The fields with numbers from the request; `""`: the whole completion. Absent: none has any. */
  readonly taken?: ReadonlyArray<string>
}

export interface Bounds {
  readonly labelsMax: number
  readonly labelCharactersMax: number
  /** The maximum share of rows outside the set. */
  readonly outsideMax: number
}

export const bounds: Bounds = {
  labelsMax: DistillLimits.labelsMax,
  labelCharactersMax: DistillLimits.labelCharactersMax,
  outsideMax: DistillLimits.oddAnswersMax
}

/** A set with more labels is closed only if labels repeat; a smaller set may be a small sample. */
const fewLabels = 64
const rowsPerLabel = 4

const endPunctuation = /[\s.,;:!?…。！？]+$/u
const foldedText = (text: string): string => {
  const plain = text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()
  return plain.replace(endPunctuation, "") || plain
}

const foldedJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return foldedText(value)
  if (Array.isArray(value)) return value.map(foldedJson)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, foldedJson(member as Schema.Json)]))
    : value
}

/** The JSON object or array in a text; undefined for other text. */
export const structureOf = (text: string): Schema.Json | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The normal form of a JSON value, common to all its spellings. */
export const formOfJson = (text: string): string => canonicalJson(foldedJson(JSON.parse(text)))

/** The normal form of a label, common to all its spellings. */
export const formOf = (text: string): string => {
  const json = structureOf(text)
  return json === undefined ? foldedText(text) : canonicalJson(foldedJson(json))
}

/** Whether two completions are the same label; a completion without text equals none. */
export const isSame = (one: string, other: string | null): boolean =>
  other !== null && (one === other || formOf(one) === formOf(other))

/** Whether a completion of this text can be a label. Labels in JSON may be longer: their names of fields say little. */
export const canBeLabel = (text: string, max = bounds.labelCharactersMax): boolean =>
  text.trim() !== "" &&
  (text.length <= max || (text.length <= DistillLimits.jsonLabelCharactersMax && structureOf(text) !== undefined))

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The completions as labels, most frequent first. */
export const labelsOf = (seen: LabelCounts, form = formOf): ReadonlyArray<Label> => {
  const writings = new Map<string, Array<readonly [text: string, count: number]>>()
  for (const [text, count] of seen) {
    if (text === null) continue
    const key = form(text)
    const known = writings.get(key)
    if (known === undefined) writings.set(key, [[text, count]])
    else known.push([text, count])
  }
  return [...writings.values()]
    .map((all) => {
      const ordered = all.toSorted(([a, often], [b, seldom]) => seldom - often || compare(a, b))
      const count = all.reduce((sum, [, times]) => sum + times, 0)
      return { text: ordered[0]![0], count, writings: ordered.map(([text]) => text) }
    })
    .toSorted((a, b) => b.count - a.count || compare(a.text, b.text))
}

/** How teachers begin when they answer in their own words instead. */
const refusal = /^(?:i['’]?m sorry|i am sorry|sorry|i can(?:['’]?t|not)|i['’]?m (?:unable|not able)|as an ai)\b/iu
const wordsOf = (text: string): number => text.trim().split(/\s+/u).length
/** A label has not so many words, unless others have. */
const sentence = 4

/** Whether a label is a refusal, or a unique sentence longer than other labels. */
const isOdd = (label: Label, longest: number): boolean => {
  const words = structureOf(label.text) === undefined ? wordsOf(label.text) : 0
  return words >= sentence && ((label.count === 1 && words > longest) || refusal.test(label.text))
}

/** Whether the labels repeat too seldom for this number of rows. */
export const isSparse = (labels: ReadonlyArray<Label>, rows: number): boolean =>
  labels.length > fewLabels && labels.length * rowsPerLabel > rows

const sumOf = (labels: ReadonlyArray<Label>): number => labels.reduce((sum, { count }) => sum + count, 0)

/**
 * The closed set of the completions. A failure reports how far they are from one. Without rows the set is closed and
 * empty.
 */
export const close = (seen: LabelCounts, by: Bounds = bounds): Result.Result<ClosedSet, OpenSet> => {
  const all = labelsOf(seen)
  const rows = sumOf(all) + (seen.get(null) ?? 0)
  const often = all.filter(({ count }) => count > 1)
  const longest = Math.max(0, ...often.filter(({ text }) => !refusal.test(text)).map(({ text }) => wordsOf(text)))
  const plain = all.filter((label) => !isOdd(label, longest)).slice(0, by.labelsMax)
  // If odd answers are frequent, they are the subject of the work and count as labels.
  const labels = rows - sumOf(plain) <= rows * by.outsideMax ? plain : all.slice(0, by.labelsMax)
  const outside = rows - sumOf(labels)
  const seldom = isSparse(labels, rows)
  if (outside > rows * by.outsideMax || seldom) {
    return Result.fail({ outside: seldom ? rows - sumOf(all.slice(0, fewLabels)) : outside, different: all.length })
  }
  return Result.succeed({ labels, odd: outside })
}

/** Why fields are no labels, for a person. */
export const conflictReason = (taken: ReadonlyArray<string>): string => {
  const named = taken.filter((name) => name !== "").map((name) => JSON.stringify(name))
  const fields = named.length === 0 ? "their numbers" : `the numbers of ${named.join(", ")}`
  return `${fields} are taken from the request, as they stand there or as positions in it`
}

/** Why rows cannot be learnt as labels, for a person. */
export const openReason = ({ different, outside, taken = [] }: OpenSet, rows: number, by: Bounds = bounds): string =>
  taken.length > 0
    ? `The completions are no closed set: ${conflictReason(taken)}`
    : `The completions are no closed set: ${outside} of ${rows} train rows are outside of the ${Math.min(by.labelsMax, different)} ` +
      `most frequent of ${different} completions of up to ${by.labelCharactersMax} characters, or come too seldom to be labels`

/**
 * Maximum of distinct completions in memory. Beyond it completions are odd, or the set is open. JSON gets a character
 * bound instead, because fields with closed sets may have many combinations.
 */
const differentMax = 10_000
const jsonCharactersMax = 2 ** 21

/** Returns whether a new completion fits in memory. Mutable, for a single owner. */
export const makeMemory = (labelCharactersMax = bounds.labelCharactersMax): ((text: string) => boolean) => {
  let different = 0
  let characters = 0
  return (text) => {
    if (!canBeLabel(text, labelCharactersMax)) return false
    if (different < differentMax) {
      different++
      return true
    }
    characters += text.length
    return characters <= jsonCharactersMax && structureOf(text) !== undefined
  }
}

/** Counts completions one after the other; mutable, and held by one. */
export interface Counter {
  readonly add: (text: string | null) => void
  readonly counts: () => LabelCounts
}

/** Counts completions in bounded memory: beyond 10,000 distinct ones, or 2 MB of JSON, only their number is known. */
export const counter = (): Counter => {
  const isRemembered = makeMemory()
  const counts = new Map<string | null, number>()
  const count = (text: string | null) => counts.set(text, (counts.get(text) ?? 0) + 1)
  return {
    add: (text) => {
      const isKnown = text !== null && counts.has(text)
      count(text !== null && (isKnown || isRemembered(text)) ? text : null)
    },
    counts: () => counts
  }
}

const separators = /\s*[,;|\n]\s*/u

const partsOf = (text: string): ReadonlyArray<string> => {
  const json = structureOf(text)
  const list = Array.isArray(json) ? json : isObject(json) ? Object.values(json).find(Array.isArray) : undefined
  if (list !== undefined) return list.map((item) => String(item))
  return json === undefined ? text.split(separators).filter((part) => part !== "") : [text]
}

/**
 * The number of distinct labels if a completion may list several; null if each is one label. Completions list several
 * labels if a third of them are lists, and all lists together have fewer distinct items than there are completions.
 */
export const multipleOf = (labels: ReadonlyArray<string>): number | null => {
  const lists = labels.map((label) => partsOf(label).map(foldedText))
  const several = lists.filter(({ length }) => length > 1).length
  const different = new Set(lists.flat())
  return several * 3 >= labels.length && labels.length > 2 && different.size < labels.length ? different.size : null
}
