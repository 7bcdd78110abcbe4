/**
 * The words of the train rows, and how much of a text they cover. The best part of a text counts, so that what mail and forms
 * put around it decides nothing. Long words count more: languages share short ones. A long text of unknown words is stronger
 * evidence than a short one.
 */
import { finalize, fnvBasis, fnvText } from "../Hashing.ts"
import { commonFrom } from "./Separator.ts"

const bits = 18
/** Tokens of a part. */
const windowTokens = 12
/** The most characters that a word counts for. */
const weightMax = 8
/** A longer token is a key or encoded bytes, and counts for its characters up to `tokenMax`. */
const wordMax = 20
const tokenMax = 64
/** The characters that a sign of a script without spaces counts for. */
const ideograph = 3
/** The share of known characters in ordinary texts. */
const usualShare = 0.9

const placeOf = (word: string): number => finalize(fnvText(fnvBasis, word)) >>> (32 - bits)

/** Two sets of places, 32 in each number: the words of the rows, and the common words of nearly all rows. */
export type KnownWords = Uint32Array<ArrayBuffer>

const common = 2 ** bits
const has = (known: KnownWords, at: number): boolean => (known[at >>> 5]! & (1 << (at & 31))) !== 0

export const learn = (texts: ReadonlyArray<ReadonlyArray<string>>): KnownWords => {
  const rows = new Uint32Array(2 ** bits)
  for (const tokens of texts) for (const place of new Set(tokens.map(placeOf))) rows[place] = rows[place]! + 1
  const known = new Uint32Array(2 ** (bits - 4))
  for (const [place, count] of rows.entries()) {
    for (const at of [...(count > 0 ? [place] : []), ...(count > commonFrom * texts.length ? [common + place] : [])]) {
      known[at >>> 5] = known[at >>> 5]! | (1 << (at & 31))
    }
  }
  return known
}

const number = /^\p{N}+$/u

/** A number tells nothing, and a single sign neither, where words have several. */
const isTelling = (token: string): boolean => (token.length > 1 || token.charCodeAt(0) > 0x2ff) && !number.test(token)

const weightOf = (token: string): number => {
  if (token.length === 1) return ideograph
  return token.length > wordMax ? Math.min(token.length, tokenMax) : Math.min(token.length, weightMax)
}

/** Characters of a part of a text. */
interface Part {
  readonly known: number
  readonly all: number
}

interface PartsSummary {
  /** The highest value of a part; null without words that tell. */
  readonly best: number | null
  /** Whether the text has common words. */
  readonly hasCommon: boolean
}

/** Judges every part of a text, or the whole of a shorter text. */
const judgeParts = (
  known: KnownWords,
  tokens: ReadonlyArray<string>,
  weigh: (token: string) => number,
  valueOf: (part: Part) => number
): PartsSummary => {
  /** The weights of the last tokens, negative for one that is not known. */
  const recent = new Int8Array(windowTokens)
  let [words, all, met] = [0, 0, 0]
  let best: number | null = null
  let hasCommon = false
  for (const token of tokens) {
    if (!isTelling(token)) continue
    const place = placeOf(token)
    if (has(known, common + place)) {
      hasCommon = true
      continue
    }
    const left = recent[words % windowTokens]!
    const weight = weigh(token)
    const signed = has(known, place) ? weight : -weight
    recent[words % windowTokens] = signed
    words++
    all += weight - Math.abs(left)
    met += Math.max(0, signed) - Math.max(0, left)
    if (words >= windowTokens) best = Math.max(best ?? Number.NEGATIVE_INFINITY, valueOf({ known: met, all }))
  }
  if (words > 0 && best === null) best = valueOf({ known: met, all })
  return { best, hasCommon }
}

/**
 * By how many deviations the known share of the best part is above the usual share; negative for unknown words, and
 * lower for longer ones. A long text of signs and numbers alone counts as unknown.
 */
export const evidence = (known: KnownWords, tokens: ReadonlyArray<string>): number => {
  const { best, hasCommon } = judgeParts(
    known,
    tokens,
    weightOf,
    (part) => (part.known / part.all - usualShare) * Math.sqrt(part.all)
  )
  if (best !== null) return best
  return hasCommon || tokens.length < windowTokens ? 0 : -usualShare * Math.sqrt(tokens.length * ideograph)
}

/** The share of signs and single letters among the tokens; 0 of a short text. */
export const signs = (tokens: ReadonlyArray<string>): number => {
  if (tokens.length < windowTokens) return 0
  return tokens.filter((token) => !isTelling(token) && !number.test(token)).length / tokens.length
}

/**
 * The covered share of the best part, in model files from before `evidence`. A text of common words alone counts as covered, and
 * so does a short text without words; a long text of signs and numbers alone does not.
 */
export const coverage = (known: KnownWords, tokens: ReadonlyArray<string>): number => {
  const weigh = (token: string) => Math.min(token.length, weightMax)
  const { best, hasCommon } = judgeParts(known, tokens, weigh, (part) => part.known / part.all)
  return best ?? Number(hasCommon || tokens.length < windowTokens)
}
