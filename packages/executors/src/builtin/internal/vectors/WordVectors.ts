/**
 * Vectors of words, learnt from the texts alone: a truncated factorization of the words' mutual information. A text is the mean of
 * its words' vectors, rare words first (Arora et al., "A simple but tough-to-beat baseline for sentence embeddings", 2017). Words
 * are kept as hashes, so that a model names no word of a text.
 */
import { finalize, fnvText } from "../Hashing.ts"
import * as CoOccurrences from "./CoOccurrences.ts"
import type { Corpus } from "./Corpus.ts"
import * as LeadingDirections from "./LeadingDirections.ts"
import { VectorLimits } from "./Limits.ts"

export interface WordVectors {
  readonly dimensions: number
  /** The hashes of the words. */
  readonly words: Uint32Array<ArrayBuffer>
  /** Of each word its vector, multiplied by its weight in a text. */
  readonly vectors: Float32Array<ArrayBuffer>
}

/** Half the weight of a word that is this share of all tokens. */
const usualShare = 1e-3
const basis = finalize(6)

const hashOf = (word: string): number => finalize(fnvText(basis, word))

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The words to learn, most frequent first, and how often each occurs. */
const frequentWords = ({ tokens, words }: Corpus) => {
  const counts = new Uint32Array(words.length)
  for (const token of tokens) counts[token] = counts[token]! + 1
  const numbers = [...counts.keys()]
    .filter((word) => counts[word]! >= VectorLimits.leastOccurrences)
    .toSorted((a, b) => counts[b]! - counts[a]! || compare(words[a]!, words[b]!))
    .slice(0, VectorLimits.wordsMax)
  return { numbers, counts }
}

/** Yields between steps of a fraction of a second; null: too few words. */
export function* learn(corpus: Corpus, seed: number): Generator<void, WordVectors | null> {
  const { counts, numbers } = frequentWords(corpus)
  if (numbers.length < VectorLimits.wordsLeast) return null
  const kept = new Int32Array(corpus.words.length).fill(-1)
  for (const [at, word] of numbers.entries()) kept[word] = at
  const matrix = CoOccurrences.matrixOf(corpus, kept, numbers.length)
  yield
  const { dimensions, oversampling, passes } = VectorLimits
  const { rows, values, width } = yield* LeadingDirections.leading(matrix, { dimensions, oversampling, passes, seed })
  const vectors = new Float32Array(rows.length)
  for (const [at, word] of numbers.entries()) {
    const weight = usualShare / (usualShare + counts[word]! / corpus.tokens.length)
    for (let k = 0; k < width; k++) {
      vectors[at * width + k] = weight * rows[at * width + k]! * Math.sqrt(Math.abs(values[k]!))
    }
  }
  return { dimensions: width, words: Uint32Array.from(numbers, (word) => hashOf(corpus.words[word]!)), vectors }
}

/** Writes the mean of the words' vectors, of length 1, or zeros without a known word. */
export type Pooling = (words: ReadonlyArray<string>, into: Float32Array) => void

export const pooling = ({ dimensions, vectors, words }: WordVectors): Pooling => {
  const numbers = new Map<number, number>()
  // Of words with equal hashes the most frequent one comes first.
  for (const [number, hash] of words.entries()) if (!numbers.has(hash)) numbers.set(hash, number)
  return (text, into) => {
    into.fill(0)
    const count = Math.min(text.length, VectorLimits.textTokensMax)
    for (let at = 0; at < count; at++) {
      const number = numbers.get(hashOf(text[at]!))
      if (number === undefined) continue
      for (let k = 0; k < dimensions; k++) into[k] = into[k]! + vectors[number * dimensions + k]!
    }
    let squares = 0
    for (const value of into) squares += value * value
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
    for (let k = 0; k < dimensions; k++) into[k] = into[k]! * scale
  }
}
