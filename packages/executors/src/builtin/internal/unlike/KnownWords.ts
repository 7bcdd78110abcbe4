/**
 * The words of the train rows, and how much of a text they cover. The best part of a text counts, so that what mail and forms
 * put around it decides nothing. Long words count more: languages share short ones.
 */
import { finalize, fnvBasis, fnvText } from "../Hashing.ts"
import { commonFrom } from "./Separator.ts"

const bits = 18
/** Tokens of a part. */
const windowTokens = 12
/** The most characters that a word counts for. */
const weightMax = 8

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

/**
 * The covered share of the best part. A text of common words alone counts as covered, and so does a short text without words; a
 * long text of signs and numbers alone does not.
 */
export const coverage = (known: KnownWords, tokens: ReadonlyArray<string>): number => {
  /** The weights of the last tokens, negative for one that is not known. */
  const recent = new Int8Array(windowTokens)
  let [words, whole, met, best] = [0, 0, 0, 0]
  let hasCommon = false
  for (const token of tokens) {
    if (!isTelling(token)) continue
    const place = placeOf(token)
    if (has(known, common + place)) {
      hasCommon = true
      continue
    }
    const left = recent[words % windowTokens]!
    const weight = Math.min(token.length, weightMax)
    const signed = has(known, place) ? weight : -weight
    recent[words % windowTokens] = signed
    words++
    whole += weight - Math.abs(left)
    met += Math.max(0, signed) - Math.max(0, left)
    if (words >= windowTokens) best = Math.max(best, met / whole)
  }
  if (words === 0) return hasCommon || tokens.length < windowTokens ? 1 : 0
  return words < windowTokens ? met / whole : best
}
