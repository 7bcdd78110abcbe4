/**
 * Detects an input that is unlike the train rows: another task, another language, bytes. Four detectors look at it, and one is
 * enough: a logistic regression over hashed features that separates train rows from other requests to assistants ("outlier
 * exposure": Hendrycks, Mazeika and Dietterich, 2019); the words of the train rows, which must cover a part of the text;
 * orders to a model, which no train row gives; and several numbered texts in one. Lines common to all rows, and lines that mail and forms put around a text, do
 * not decide: held-back rows with such changes set the thresholds.
 */
import type { Unlike } from "@limbeck/distill/report/Unlike"
import * as Features from "./Features.ts"
import * as OtherTasks from "./OtherTasks.ts"
import type { Counts } from "./PlaceCounts.ts"
import { normalize, type Turn, tokensOf } from "./Text.ts"
import * as HarmlessChanges from "./unlike/HarmlessChanges.ts"
import * as HeldBack from "./unlike/HeldBack.ts"
import * as KnownWords from "./unlike/KnownWords.ts"
import * as NumberedItems from "./unlike/NumberedItems.ts"
import * as Orders from "./unlike/Orders.ts"
import * as Separator from "./unlike/Separator.ts"

export interface Novelty {
  /** Of the features of a text, indexed by the high bits of their hashes. */
  readonly weights: Separator.Weights
  readonly words: KnownWords.KnownWords
  readonly rules: Rules
  readonly unlike: Unlike
}

/** What a model file keeps to detect with. */
type Detectors = Omit<Novelty, "unlike">

export interface Rules {
  /** An input with a lower likeness is new. Null: the rows have no features that tell, and likeness decides nothing. */
  readonly likeness: number | null
  /** An input of which a smaller share is covered by known words is new. */
  readonly coverage: number
  /** An input with a sentence that begins so is new. */
  readonly orders: ReadonlyArray<string>
  /** Whether an input of several numbered texts is new. Absent in model files from before: it is not. */
  readonly lists?: boolean
}

/** The number of train rows in the sample. With fewer than `least` held-back rows there is no threshold. */
export const sample = { rows: 1_500, least: 100 }
/** One in this many sampled rows is held back: by turns for the thresholds and for the measurement. */
const heldBack = 3
/** Rows of the measurement. */
const measuredRows = 150
/** The share of held-back rows, changed or not, that each threshold sends away. */
const share = 0.005
/** The share of held-back texts without a known feature up to which such a text is unlike the rows. */
const unknownMax = 0.05
/** Train rows show only a part of their world, so inputs somewhat below the held-back rows still belong to it. */
const margin = 0.1

/** The characters kept of each end of a long request: an instruction stands at an end, and is a large part of it. */
const endCharacters = 240

const requestOf = (turns: ReadonlyArray<Turn>): string => turns.findLast(({ role }) => role === "user")?.text ?? ""

const withoutNumbers = (text: string): string => text.replaceAll(/\d/gu, "0")

/** A text as the detectors read it: its ends if it is long, and every digit a 0. */
const viewOf = (text: string): string =>
  withoutNumbers(
    text.length <= 2 * endCharacters ? text : `${text.slice(0, endCharacters)}\n${text.slice(-endCharacters)}`
  )

/** The distinct features of a text, on the places of the separator. */
const featurizer = (settings: Features.FeatureSettings) => {
  const { count } = Features.make(settings)
  const shift = settings.bits - Separator.bits
  return (view: string): Separator.Places => {
    const { length, places } = count([{ role: "user", text: view }])
    return Uint32Array.from(new Set(places.subarray(0, length).map((place) => place >>> shift)))
  }
}

const wordsOf = (text: string, charactersMax: number) => tokensOf(normalize(text, charactersMax))

/** A part of a text, as a featurizer reads it. */
interface Part {
  readonly counts: Pick<Counts, "length" | "places">
  readonly tokens: ReadonlyArray<string>
}

const paragraphEnd = /\n\s*\n/u

/** The paragraphs of a view. */
const partsReader = (settings: Features.FeatureSettings) => {
  const { count, tokens } = Features.make(settings)
  return (view: string): ReadonlyArray<Part> =>
    view.split(paragraphEnd).map((text) => {
      const { length, places } = count([{ role: "user", text }])
      return { counts: { length, places: places.slice(0, length) }, tokens: tokens() }
    })
}

/** What the thresholds are held against: of a text's paragraphs, the likeness of the best, and the coverage of all. */
const valuesOf = (
  { weights, words }: Pick<Novelty, "weights" | "words">,
  parts: ReadonlyArray<Part>,
  bits: number
) => ({
  likeness: Math.max(
    ...parts.map(({ counts }) => Separator.score(weights, counts.places.subarray(0, counts.length), bits))
  ),
  coverage: KnownWords.coverage(
    words,
    parts.flatMap(({ tokens }) => tokens)
  )
})

/** Whether an input is unlike the train rows. `whole`: as a featurizer has just read it, where it read the input alone. */
export type Detector = (turns: ReadonlyArray<Turn>, whole: Part | undefined) => boolean

export const detector = ({ rules, ...learnt }: Detectors, settings: Features.FeatureSettings): Detector => {
  const partsOf = partsReader(settings)
  const isOrder = Orders.detector(rules.orders)
  return (turns, whole) => {
    const request = requestOf(turns)
    const view = viewOf(request)
    const isWhole = view === request && turns.length === 1 && !paragraphEnd.test(view)
    const parts = isWhole && whole !== undefined ? [whole] : partsOf(view)
    const { coverage, likeness } = valuesOf(learnt, parts, settings.bits)
    return (
      (rules.likeness !== null && likeness < rules.likeness) ||
      coverage < rules.coverage ||
      isOrder(view) ||
      (rules.lists === true && NumberedItems.isList(request))
    )
  }
}

/** The detector of model files from before: the likeness of the whole text, or of its ends, alone. */
export const likenessDetector = (
  weights: Separator.Weights,
  threshold: number,
  settings: Features.FeatureSettings
): Detector => {
  const featurizer = Features.make(settings)
  return (turns, whole) => {
    const text = requestOf(turns)
    const isLong = text.length > 2 * endCharacters
    const ends = [{ role: "user", text: `${text.slice(0, endCharacters)} ${text.slice(-endCharacters)}` }]
    const { length, places } = !isLong && whole !== undefined ? whole.counts : featurizer.count(isLong ? ends : turns)
    return Separator.scoreOfAll(weights, places.subarray(0, length), settings.bits) < threshold
  }
}

/** Other tasks, alone, in front of rows and behind rows. */
const negativesOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  OtherTasks.tasks.flatMap((task, index) => {
    const text = texts[index % texts.length] ?? ""
    return [task, index % 2 === 0 ? `${task}\n\n${text}` : `${text}\n\n${task}`]
  })

/**
 * Of the held-back texts with a known feature: a text without any is unlike the rows by itself. Null where more than a few held-back
 * texts have none.
 */
const thresholdOf = (held: ReadonlyArray<number>): number | null => {
  const scores = held.filter(Number.isFinite).toSorted((a, b) => a - b)
  if (held.length - scores.length > unknownMax * held.length) return null
  const lowest = scores[Math.floor(scores.length * share)]
  const middle = scores[Math.floor(scores.length / 2)]
  return lowest === undefined || middle === undefined ? null : lowest - margin * (middle - lowest)
}

/** Returns null if there are too few rows. The order of the rows carries no information. */
export const train = (rows: ReadonlyArray<ReadonlyArray<Turn>>, settings: Features.FeatureSettings): Novelty | null => {
  const texts = rows.slice(0, sample.rows).map(requestOf)
  if (texts.length < sample.least * heldBack) return null
  const learnt = texts.filter((_, index) => index % heldBack !== 0)
  const { learnt: changes } = HarmlessChanges
  const changed = (text: string, index: number) => changes[index % changes.length]!(text, index)
  const placesOf = featurizer(settings)
  const read = (text: string) => placesOf(viewOf(text))
  const weights = Separator.learn([...learnt, ...learnt.map(changed)].map(read), negativesOf(learnt).map(read))
  const words = KnownWords.learn(learnt.map((text) => wordsOf(text, settings.charactersMax)))
  const held = texts.filter((_, index) => index % heldBack === 0)
  const views = held
    .filter((_, index) => index % 2 === 0)
    .flatMap((text, index) => [text, changed(text, index), changed(text, index + 1)])
    .map(viewOf)
  const partsOf = partsReader(settings)
  const values = views.map((view) => valuesOf({ weights, words }, partsOf(view), settings.bits))
  const rules: Rules = {
    likeness: thresholdOf(values.map(({ likeness }) => likeness)),
    coverage: thresholdOf(values.map(({ coverage }) => coverage)) ?? 0,
    orders: Orders.learn([...learnt.map(viewOf), ...views]),
    lists: NumberedItems.areNew(texts)
  }
  const isNew = detector({ weights, words, rules }, settings)
  const { count, tokens } = Features.make(settings)
  const isNewText = (text: string) => {
    const turns = [{ role: "user", text }]
    return isNew(turns, { counts: count(turns), tokens: tokens() })
  }
  const measured = held.filter((_, index) => index % 2 === 1).slice(0, measuredRows)
  return { weights, words, rules, unlike: HeldBack.measure(measured, isNewText) }
}
