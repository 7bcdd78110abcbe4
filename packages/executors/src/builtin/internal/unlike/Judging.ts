/** Judges how unlike the train rows a request is, detector by detector, and by the thresholds of a student. */
import type * as Features from "../Features.ts"
import type { Turn } from "../Text.ts"
import * as KnownPairs from "./KnownPairs.ts"
import * as KnownWords from "./KnownWords.ts"
import * as NumberedItems from "./NumberedItems.ts"
import * as Orders from "./Orders.ts"
import * as Separator from "./Separator.ts"
import * as Surroundings from "./Surroundings.ts"
import * as Views from "./Views.ts"

/** What a student learns of its rows. */
export interface Learnt {
  /** Of the features of a text, indexed by the high bits of their hashes. */
  readonly weights: Separator.Weights
  readonly words: KnownWords.KnownWords
  readonly pairs: KnownPairs.KnownPairs
}

interface Bounds {
  /**
   * A text with a lower likeness is new; of the whole text, likeness and known pairs together. Null: the rows have no features that
   * tell, and likeness decides nothing.
   */
  readonly likeness: number | null
  /** A text with less evidence of known words is new. */
  readonly evidence: number
}

export interface Rules extends Bounds {
  /** What a deviation of the known pairs counts beside the likeness. */
  readonly pairWeight: number
  /** Of the first paragraph alone. */
  readonly lead: Bounds
  /** A text of which a larger share is signs is new. */
  readonly signs: number
  /** A text with a sentence that begins so is new. */
  readonly orders: ReadonlyArray<string>
  /** A text whose first sentence begins so is new. */
  readonly firstOrders: ReadonlyArray<string>
  /** Folded lines that most rows have. */
  readonly lines: ReadonlyArray<string>
  /** Whether a text of several numbered texts is new. */
  readonly lists: boolean
}

interface Judgement {
  readonly likeness: number
  readonly evidence: number
}

/** A paragraph by its features, and by its pairs of tokens. */
export interface JudgedPart {
  readonly likeness: number
  readonly pairs: number
}

/** What the thresholds are held against. */
export interface Judgements {
  readonly parts: ReadonlyArray<JudgedPart>
  readonly evidence: number
  readonly lead: Judgement
  readonly signs: number
}

const judgePart = ({ pairs, weights }: Learnt, { counts, tokens }: Views.Part, bits: number): JudgedPart => ({
  likeness: Separator.score(weights, counts.places.subarray(0, counts.length), bits),
  pairs: KnownPairs.excess(pairs, tokens)
})

/** That of the best paragraph. */
export const likenessOf = (parts: ReadonlyArray<JudgedPart>, pairWeight: number): number =>
  Math.max(...parts.map(({ likeness, pairs }) => likeness + pairWeight * pairs))

/** The paragraphs with text; one without text of an empty request. */
const filled = (parts: ReadonlyArray<Views.Part>): ReadonlyArray<Views.Part> => {
  const some = parts.filter(({ tokens }) => tokens.length > 0)
  return some.length > 0 ? some : parts.slice(0, 1)
}

/** The text behind what the rows' layout, mail and forms put around it. `lines`: as of the rules. */
export const ownTexts = (lines: ReadonlyArray<string>): ((text: string) => string) => {
  const remove = Surroundings.remover(lines)
  return (text) => remove(Views.viewOf(text))
}

/** `whole`: as a featurizer has just read the request, if it read the request alone. */
export const reader = (learnt: Learnt, lines: ReadonlyArray<string>, settings: Features.FeatureSettings) => {
  const ownOf = ownTexts(lines)
  const partsOf = Views.partsReader(settings)
  return (request: string, whole?: Views.Part): Judgements & { readonly own: string } => {
    const own = ownOf(request)
    const isWhole = own === request && !Views.paragraphEnd.test(own)
    const parts = filled(isWhole && whole !== undefined ? [whole] : partsOf(own))
    const evidenceOf = (some: ReadonlyArray<Views.Part>) =>
      KnownWords.evidence(
        learnt.words,
        some.flatMap(({ tokens }) => tokens)
      )
    const judged = parts.map((part) => judgePart(learnt, part, settings.bits))
    const evidence = evidenceOf(parts)
    const lead = parts.length > 1 ? evidenceOf(parts.slice(0, 1)) : evidence
    return {
      own,
      parts: judged,
      evidence,
      lead: { likeness: likenessOf(judged.slice(0, 1), 0), evidence: lead },
      signs: Math.min(...parts.map(({ tokens }) => KnownWords.signs(tokens)))
    }
  }
}

const isBelow = ({ evidence, likeness }: Judgement, bounds: Bounds): boolean =>
  (bounds.likeness !== null && likeness < bounds.likeness) || evidence < bounds.evidence

/** Whether an input is unlike the train rows. `whole`: as a featurizer has just read it. */
export type Detector = (turns: ReadonlyArray<Turn>, whole: Views.Part | undefined) => boolean

export const detector = (learnt: Learnt, rules: Rules, settings: Features.FeatureSettings): Detector => {
  const read = reader(learnt, rules.lines, settings)
  const [isOrder, isFirstOrder] = [Orders.detector(rules.orders), Orders.detector(rules.firstOrders)]
  return (turns, whole) => {
    const request = Views.requestOf(turns)
    const { evidence, lead, own, parts, signs } = read(request, turns.length === 1 ? whole : undefined)
    return (
      isBelow({ likeness: likenessOf(parts, rules.pairWeight), evidence }, rules) ||
      isBelow(lead, rules.lead) ||
      signs > rules.signs ||
      isOrder(Views.viewOf(request)) ||
      isFirstOrder(Orders.firstSentence(own)) ||
      (rules.lists && NumberedItems.isList(request))
    )
  }
}
