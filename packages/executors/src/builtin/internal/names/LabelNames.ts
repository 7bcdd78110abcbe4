/**
 * The names of labels, and their descriptions in the common system prompt, as weak evidence for labels with few rows: a training may
 * begin with the features of a label's name as weights, in place of zeros. Pure.
 */
import * as Features from "../Features.ts"
import type { Template } from "../Reading.ts"
import { numbersOf, type TrainingSet, weigh } from "../TrainingSet.ts"
import type { NameFeatures } from "./NameFeatures.ts"

/** With more rows a label, rows tell what names tell. */
const rowsPerLabelMax = 30

/** Whether rows are few. Questions of decisions have no names of their own. */
export const isUseful = ({ labels, questions, training, validation }: TrainingSet): boolean =>
  questions === null && labels.length > 1 && training.length + validation.length <= rowsPerLabelMax * labels.length

/** A list item that begins with a name: a bullet or a number, quotes, the name, and a sign before the description. */
const item = /^\s*(?:[-*•]|\d+[.)])?\s*["'`*]*(.+?)["'`*]*\s*(?:[:=–—]|\s-\s)\s*(.+)$/u

/** A JSON string without its quotes. */
const plainOf = (label: string): string => {
  if (!label.startsWith('"')) return label
  try {
    return String(JSON.parse(label))
  } catch {
    return label
  }
}

const folded = (text: string): string => text.normalize("NFKC").toLowerCase().trim()

/** The words of a name such as `card_arrival`, `card-arrival` or `cardArrival`. */
const wordsOf = (label: string): string =>
  plainOf(label)
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[_\-./]+/gu, " ")

/** Descriptions of list items in a prompt, by their names. */
const descriptionsIn = (prompt: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const line of prompt.split("\n")) {
    const [, name = "", description = ""] = item.exec(line) ?? []
    if (description !== "") found.set(folded(name), description)
  }
  return found
}

export const textsOf = (labels: ReadonlyArray<string>, { system }: Pick<Template, "system">): ReadonlyArray<string> => {
  const descriptions = descriptionsIn(system ?? "")
  return labels.map((label) => `${wordsOf(label)} ${descriptions.get(folded(plainOf(label))) ?? ""}`.trim())
}

/** `places`, `rarity`: of the rows; other features of names have no weight. */
export const of = (
  texts: ReadonlyArray<string>,
  { places, rarity }: { readonly places: Uint32Array; readonly rarity: Float32Array },
  settings: Features.FeatureSettings
): NameFeatures => {
  const featurizer = Features.make(settings)
  const numbers = numbersOf(places, settings.bits)
  const offsets = new Uint32Array(texts.length + 1)
  const rows = texts.map((text, label) => {
    const counts = featurizer.count([{ role: "user", text }])
    const row = { features: new Uint32Array(counts.length), values: new Float32Array(counts.length) }
    const length = weigh({ ...counts, from: 0, to: counts.length }, numbers, rarity, row, 0)
    offsets[label + 1] = offsets[label]! + length
    return { features: row.features.subarray(0, length), values: row.values.subarray(0, length) }
  })
  const features = new Uint32Array(offsets[texts.length]!)
  const values = new Float32Array(features.length)
  for (const [label, row] of rows.entries()) {
    features.set(row.features, offsets[label])
    values.set(row.values, offsets[label])
  }
  return { offsets, features, values }
}
