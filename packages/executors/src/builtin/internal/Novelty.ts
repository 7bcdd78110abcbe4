/**
 * Detects an input that is unlike the train rows: another task, another language, bytes. Several detectors look at it, and one is
 * enough: a logistic regression over hashed features that separates train rows from other requests to assistants ("outlier
 * exposure": Hendrycks, Mazeika and Dietterich, 2019); the words of the train rows, against the evidence of unknown ones; orders
 * to a model, which no train row gives; the neighbouring words of the train rows, beside the regression; signs in place of words; and several numbered texts in one. The first paragraph is judged
 * once more by itself, for another task may stand there. Lines common to all rows, and lines that mail and forms put around a text,
 * do not decide: held-back rows with such changes set the thresholds.
 */
import type { Unlike } from "@limbeck/distill/report/Unlike"
import * as Features from "./Features.ts"
import * as OtherTasks from "./OtherTasks.ts"
import { normalize, type Turn, tokensOf } from "./Text.ts"
import * as EarlierDetectors from "./unlike/EarlierDetectors.ts"
import * as HarmlessChanges from "./unlike/HarmlessChanges.ts"
import * as HeldBack from "./unlike/HeldBack.ts"
import * as Judging from "./unlike/Judging.ts"
import * as KnownPairs from "./unlike/KnownPairs.ts"
import * as KnownWords from "./unlike/KnownWords.ts"
import * as NumberedItems from "./unlike/NumberedItems.ts"
import * as Orders from "./unlike/Orders.ts"
import * as Separator from "./unlike/Separator.ts"
import * as Surroundings from "./unlike/Surroundings.ts"
import * as Thresholds from "./unlike/Thresholds.ts"
import * as Views from "./unlike/Views.ts"

export interface Novelty extends Judging.Learnt {
  readonly rules: Judging.Rules
  readonly unlike: Unlike
}

/** Rules of any model file, earlier formats included. */
export type Rules = Judging.Rules | EarlierDetectors.CoverageRules

/** The number of train rows in the sample. With fewer than `least` held-back rows there is no threshold. */
export const sample = { rows: 1_500, least: 100 }
/** One in this many sampled rows is held back: by turns for the thresholds and for the measurement. */
const heldBack = 3
/** Rows of the measurement. */
const measuredRows = 150

export const detector = (learnt: Judging.Learnt, rules: Rules, settings: Features.FeatureSettings): Judging.Detector =>
  "pairWeight" in rules ? Judging.detector(learnt, rules, settings) : EarlierDetectors.coverage(learnt, rules, settings)

/** The distinct features of a text, on the places of the separator. */
const featurizer = (settings: Features.FeatureSettings) => {
  const { count } = Features.make(settings)
  const shift = settings.bits - Separator.bits
  return (view: string): Separator.Places => {
    const { length, places } = count([{ role: "user", text: view }])
    return Uint32Array.from(new Set(places.subarray(0, length).map((place) => place >>> shift)))
  }
}

/** Other tasks, alone, in front of rows and behind rows. */
const negativesOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  OtherTasks.tasks.flatMap((task, index) => {
    const text = texts[index % texts.length] ?? ""
    return [task, index % 2 === 0 ? `${task}\n\n${text}` : `${text}\n\n${task}`]
  })

/** The first paragraph of a text with several. */
const leadOf = (own: string): ReadonlyArray<string> => {
  const [lead, ...others] = own.split(Views.paragraphEnd).filter((paragraph) => paragraph.trim() !== "")
  return lead === undefined || others.length === 0 ? [] : [lead]
}

const { surroundings, typos } = HarmlessChanges.learnt
const surrounded = (text: string, index: number): string => surroundings[index % surroundings.length]!(text, index)
const changed = (text: string, index: number): string => {
  const changes = [...surroundings, typos]
  return changes[index % changes.length]!(text, index)
}

/** Learns the words of the rows, and the regression that separates them from other tasks. */
const learnFrom = (
  texts: ReadonlyArray<string>,
  lines: ReadonlyArray<string>,
  settings: Features.FeatureSettings
): Judging.Learnt => {
  const ownOf = Judging.ownTexts(lines)
  const placesOf = featurizer(settings)
  const owns = texts.map(ownOf)
  const tokens = owns.map((own) => tokensOf(normalize(own, settings.charactersMax)))
  const positives = [...owns, ...texts.map(changed).map(ownOf), ...owns.flatMap(leadOf)]
  return {
    weights: Separator.learn(positives.map(placesOf), negativesOf(texts).map(ownOf).map(placesOf)),
    words: KnownWords.learn(tokens),
    pairs: KnownPairs.learn(tokens)
  }
}

/** Returns null if there are too few rows. The order of the rows carries no information. */
export const train = (rows: ReadonlyArray<ReadonlyArray<Turn>>, settings: Features.FeatureSettings): Novelty | null => {
  const texts = rows.slice(0, sample.rows).map(Views.requestOf)
  if (texts.length < sample.least * heldBack) return null
  const own = texts.filter((_, index) => index % heldBack !== 0)
  const held = texts.filter((_, index) => index % heldBack === 0)
  const tuned = held.filter((_, index) => index % 2 === 0)
  const lines = Surroundings.commonLines(own)
  const learnt = learnFrom(own, lines, settings)
  const read = Judging.reader(learnt, lines, settings)
  const readAll = (of: ReadonlyArray<string>) => of.map((text) => read(text))
  const plain = readAll(tuned)
  const seen = [...own, ...tuned]
  const ownOf = Judging.ownTexts(lines)
  const rules: Judging.Rules = {
    ...Thresholds.of({
      plain,
      surrounded: readAll(tuned.map(surrounded)),
      typos: readAll(tuned.filter((_, index) => index % 2 === 0).map(typos))
    }),
    orders: Orders.learn(seen.map(Views.viewOf)),
    firstOrders: Orders.learn(seen.map((text) => Orders.firstSentence(ownOf(text)))),
    lines,
    lists: NumberedItems.areNew(texts)
  }
  const isNew = Judging.detector(learnt, rules, settings)
  const { count, tokens } = Features.make(settings)
  const isNewText = (text: string) => {
    const turns = [{ role: "user", text }]
    return isNew(turns, { counts: count(turns), tokens: tokens() })
  }
  const measured = held.filter((_, index) => index % 2 === 1).slice(0, measuredRows)
  return { ...learnt, rules, unlike: HeldBack.measure(measured, own, isNewText) }
}
