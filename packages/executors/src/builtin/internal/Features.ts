/**
 * Turns a conversation into signed, hashed counts (Weinberger et al., "Feature hashing", 2009): words and word pairs of the
 * request, its character 3- to 5-grams within words, and the words of the context by role. Among several prompts, each feature
 * of the request counts once more for its own prompt. The same text always gives the same counts, in the same order.
 */
import { finalize, fnvBasis, fnvStep, fnvText } from "./Hashing.ts"
import * as PlaceCounts from "./PlaceCounts.ts"
import { normalize, partsOf, type Turn, tokensOf } from "./Text.ts"

export interface FeatureSettings {
  /** Features are hashed to 2^bits places. */
  readonly bits: number
  /** The number of characters read of the request, and again of the context. */
  readonly charactersMax: number
}

/** Each kind of feature has its own hash basis. */
const basis = {
  word: finalize(1),
  pair: finalize(2),
  gram: finalize(3),
  context: finalize(4),
  template: finalize(5)
} as const
const space = 32
const gram = { shortest: 3, longest: 5 }

export interface Featurizer {
  /** The result is valid until the next call. A count of zero stays in the result. */
  readonly count: (turns: ReadonlyArray<Turn>, template?: string) => PlaceCounts.Counts
  /** The tokens of the request that was counted last. */
  readonly tokens: () => ReadonlyArray<string>
}

/** A growing list of hashes in a reused array. */
const makeHashes = () => {
  let values = new Int32Array(8192)
  let length = 0
  return {
    add: (hash: number) => {
      if (length === values.length) {
        const before = values
        values = new Int32Array(2 * length)
        values.set(before)
      }
      values[length++] = hash
    },
    read: (): PlaceCounts.Hashes => ({ values, length }),
    clear: () => {
      length = 0
    }
  }
}

export const make = ({ bits, charactersMax }: FeatureSettings): Featurizer => {
  const count = PlaceCounts.make(bits)
  const hashes = makeHashes()
  const { add } = hashes
  let units = new Uint16Array(64)

  /** Character n-grams of a token with a space on either side, so that n-grams mark beginnings and ends. */
  const addGrams = (token: string) => {
    const length = token.length + 2
    if (length > units.length) units = new Uint16Array(2 * length)
    units[0] = space
    for (let at = 1; at < length - 1; at++) units[at] = token.charCodeAt(at - 1)
    units[length - 1] = space
    for (let from = 0; from + gram.shortest <= length; from++) {
      const to = Math.min(from + gram.longest, length)
      let hash = basis.gram
      for (let at = from; at < to; at++) {
        hash = fnvStep(hash, units[at]!)
        if (at - from + 1 >= gram.shortest) add(hash)
      }
    }
  }

  let tokens: ReadonlyArray<string> = []

  const addRequest = (request: string) => {
    let before = basis.pair
    tokens = tokensOf(normalize(request, charactersMax))
    for (const token of tokens) {
      add(fnvText(basis.word, token))
      add(fnvText(fnvStep(before, space), token))
      before = fnvText(basis.pair, token)
      addGrams(token)
    }
  }

  const addContext = (context: ReadonlyArray<Turn>) => {
    let left = charactersMax
    for (const { role, text } of context) {
      if (left <= 0) return
      const said = normalize(text, left)
      left -= said.length
      const salt = fnvText(basis.context, role)
      for (const token of tokensOf(said)) add(fnvText(fnvStep(salt, space), token))
    }
  }

  /** Whatever was added so far, for this prompt alone; and the prompt itself. */
  const addForTemplate = (template: string) => {
    const salt = fnvText(basis.template, template)
    // Growth copies the list and does not change these values.
    const { length, values } = hashes.read()
    for (let at = 0; at < length; at++) add(finalize(values[at]! ^ salt))
    add(salt)
  }

  return {
    count: (turns, template) => {
      hashes.clear()
      const { context, request } = partsOf(turns)
      addRequest(request)
      if (template !== undefined) addForTemplate(template)
      addContext(context)
      return count(hashes.read())
    },
    tokens: () => tokens
  }
}

/** A 64-bit name of a conversation as the student reads it: conversations that normalize alike have the same name. */
export const identify = (turns: ReadonlyArray<Turn>, { charactersMax }: FeatureSettings): readonly [number, number] => {
  let high = fnvBasis
  let low = finalize(fnvBasis)
  for (const { role, text } of turns) {
    const said = `${role}\n${normalize(text, charactersMax)}\n`
    high = fnvText(high, said)
    low = finalize(fnvText(low, said))
  }
  return [finalize(high), low]
}
