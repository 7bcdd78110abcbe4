/** The words of texts as numbers, in bounded memory: what word vectors are learnt from. */
import { finalize, fnvBasis, fnvText } from "../Hashing.ts"
import { VectorLimits } from "./Limits.ts"

export interface Corpus {
  /** The distinct words; a token is an index of it. */
  readonly words: ReadonlyArray<string>
  readonly tokens: Uint32Array
  /** Text t has the tokens `ends[t - 1]` (0 for the first) to `ends[t]`. */
  readonly ends: ReadonlyArray<number>
}

export interface CorpusBuilder {
  /** Returns the number of the text. A text beyond the bounds has no tokens. */
  readonly add: (words: ReadonlyArray<string>) => number
  /** Adds a text unless an equal one is there. */
  readonly addNew: (words: ReadonlyArray<string>) => void
  readonly close: () => Corpus
}

export const builder = (): CorpusBuilder => {
  const numbers = new Map<string, number>()
  const ends: Array<number> = []
  /** A collision of 32 bits loses a text, which others make up for. */
  const names = new Set<number>()
  let tokens = new Uint32Array(2 ** 14)
  let length = 0

  const numberOf = (word: string): number | undefined => {
    const known = numbers.get(word)
    if (known !== undefined || numbers.size >= VectorLimits.vocabularyMax) return known
    numbers.set(word, numbers.size)
    return numbers.size - 1
  }

  const reserve = (more: number) => {
    if (length + more <= tokens.length) return
    const before = tokens
    tokens = new Uint32Array(Math.max(2 * before.length, length + more))
    tokens.set(before)
  }

  const nameOf = (words: ReadonlyArray<string>): number => finalize(fnvText(fnvBasis, words.join(" ")))

  const add = (words: ReadonlyArray<string>): number => {
    const count = Math.min(words.length, VectorLimits.textTokensMax)
    if (length + count <= VectorLimits.tokensMax) {
      reserve(count)
      for (let at = 0; at < count; at++) {
        const number = numberOf(words[at]!)
        if (number !== undefined) tokens[length++] = number
      }
    }
    names.add(nameOf(words))
    ends.push(length)
    return ends.length - 1
  }

  return {
    add,
    addNew: (words) => {
      if (length < VectorLimits.tokensMax && !names.has(nameOf(words))) add(words)
    },
    close: () => ({ words: [...numbers.keys()], tokens: tokens.subarray(0, length), ends })
  }
}

/** The tokens of a text. */
export const textOf = ({ ends, tokens }: Corpus, text: number): Uint32Array =>
  tokens.subarray(text === 0 ? 0 : ends[text - 1], ends[text])
