/** The detectors of model files from before. */
import * as Features from "../Features.ts"
import type * as Judging from "./Judging.ts"
import * as KnownWords from "./KnownWords.ts"
import * as NumberedItems from "./NumberedItems.ts"
import * as Orders from "./Orders.ts"
import * as Separator from "./Separator.ts"
import * as Views from "./Views.ts"

export interface CoverageRules {
  /** An input with a lower likeness is new. Null: likeness decides nothing. */
  readonly likeness: number | null
  /** An input of which a smaller share is covered by known words is new. */
  readonly coverage: number
  /** An input with a sentence that begins so is new. */
  readonly orders: ReadonlyArray<string>
  /** Whether an input of several numbered texts is new. Absent: it is not. */
  readonly lists?: boolean
}

/** By the likeness of the best paragraph, and the share of known words. */
export const coverage = (
  { weights, words }: Pick<Judging.Learnt, "weights" | "words">,
  rules: CoverageRules,
  settings: Features.FeatureSettings
): Judging.Detector => {
  const partsOf = Views.partsReader(settings)
  const isOrder = Orders.detector(rules.orders)
  const likenessOf = ({ counts }: Views.Part) =>
    Separator.score(weights, counts.places.subarray(0, counts.length), settings.bits)
  return (turns, whole) => {
    const request = Views.requestOf(turns)
    const view = Views.viewOf(request)
    const isWhole = view === request && turns.length === 1 && !Views.paragraphEnd.test(view)
    const parts = isWhole && whole !== undefined ? [whole] : partsOf(view)
    const tokens = parts.flatMap((part) => part.tokens)
    return (
      (rules.likeness !== null && Math.max(...parts.map(likenessOf)) < rules.likeness) ||
      KnownWords.coverage(words, tokens) < rules.coverage ||
      isOrder(view) ||
      (rules.lists === true && NumberedItems.isList(request))
    )
  }
}

/** By the likeness of the whole text, or of its ends, alone. */
export const likeness = (
  weights: Separator.Weights,
  threshold: number,
  settings: Features.FeatureSettings
): Judging.Detector => {
  const featurizer = Features.make(settings)
  return (turns, whole) => {
    const text = Views.requestOf(turns)
    const isLong = Views.isLong(text)
    const ends = [{ role: "user", text: Views.endsOf(text, " ") }]
    const { length, places } = !isLong && whole !== undefined ? whole.counts : featurizer.count(isLong ? ends : turns)
    return Separator.scoreOfAll(weights, places.subarray(0, length), settings.bits) < threshold
  }
}
