/**
 * Turns a conversation into signed, hashed counts (Weinberger et al., "Feature hashing", 2009): words and word pairs of the
 * request, its character 3- to 5-grams within words, and the words of the context by role. The same text always gives the
 * same counts, in the same order.
 */
import { finalize, fnvBasis, fnvStep, fnvText } from "./Hashing.ts"
import * as PlaceCounts from "./PlaceCounts.ts"
import { normalize, partsOf, type Turn, tokensOf } from "./Text.ts"

export interface FeatureSettings {
  /** Features are hashed into 2^bits places. */
  readonly bits: number
  /** Characters of the request that are read, and as many again of the context. */
  readonly charactersMax: number
}

/** Kinds of features are hashed apart. */
const basis = { word: finalize(1), pair: finalize(2), gram: finalize(3), context: finalize(4) } as const
const space = 32
const gram = { shortest: 3, longest: 5 }

export interface Featurizer {
  /** Valid until the next text is counted; a count that came to zero is left in. */
  readonly count: (turns: ReadonlyArray<Turn>) => PlaceCounts.Counts
}

export const make = ({ bits, charactersMax }: FeatureSettings): Featurizer => {
  const shift = 32 - bits
  const tally = PlaceCounts.make()

  /** The high bits of the hash are the place, its lowest bit is the sign. */
  const add = (hash: number) => {
    const mixed = finalize(hash)
    tally.add(mixed >>> shift, (mixed & 1) * 2 - 1)
  }

  /** Character n-grams of a token with a space on either side, so that beginnings and ends show. */
  const addGrams = (token: string) => {
    const last = token.length + 1
    for (let from = 0; from <= last; from++) {
      let hash = basis.gram
      for (let size = 1; size <= gram.longest && from + size <= last + 1; size++) {
        const at = from + size - 1
        hash = fnvStep(hash, at === 0 || at === last ? space : token.charCodeAt(at - 1))
        if (size >= gram.shortest) add(hash)
      }
    }
  }

  const addRequest = (request: string) => {
    let before = basis.pair
    for (const token of tokensOf(normalize(request, charactersMax))) {
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

  return {
    count: (turns) => {
      tally.clear()
      const { context, request } = partsOf(turns)
      addRequest(request)
      addContext(context)
      return tally.read()
    }
  }
}

/** Names a conversation as the student reads it, in 64 bits: what normalizes alike has one name. */
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
