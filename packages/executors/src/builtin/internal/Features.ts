/**
 * Turns a conversation into signed, hashed counts (Weinberger et al., "Feature hashing", 2009): words and word pairs of the
 * request, its character 3- to 5-grams within words, and the words of the context by role. The same text always gives the
 * same counts, in the same order.
 */
import { finalize, fnvBasis, fnvStep, fnvText } from "./Hashing.ts"
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

/** Places and counts of one text, valid until the next is read; a count that came to zero is left in. */
interface Counts {
  readonly length: number
  readonly places: Uint32Array
  readonly counts: Float32Array
}

export interface Featurizer {
  readonly count: (turns: ReadonlyArray<Turn>) => Counts
}

export const make = ({ bits, charactersMax }: FeatureSettings): Featurizer => {
  const shift = 32 - bits
  let length = 0
  let places = new Uint32Array(4096)
  let counts = new Float32Array(4096)
  /** An open hash table: of a place its number in `places`, from 1 on; 0 is free. It is small, so that it stays in the cache. */
  let slots = new Uint32Array(4 * 4096)

  /** The slot of a place, or the free one that it would take. */
  const slotOf = (place: number): number => {
    const mask = slots.length - 1
    let slot = place & mask
    while (slots[slot] !== 0 && places[slots[slot]! - 1] !== place) slot = (slot + 1) & mask
    return slot
  }

  const grow = () => {
    const before = { places, counts }
    places = new Uint32Array(length * 2)
    counts = new Float32Array(length * 2)
    slots = new Uint32Array(length * 8)
    places.set(before.places)
    counts.set(before.counts)
    for (let as = 0; as < length; as++) slots[slotOf(places[as]!)] = as + 1
  }

  /** The high bits of the hash are the place, its lowest bit is the sign. */
  const add = (hash: number) => {
    const mixed = finalize(hash)
    const place = mixed >>> shift
    const slot = slotOf(place)
    const sign = (mixed & 1) * 2 - 1
    const as = slots[slot]! - 1
    if (as >= 0) {
      counts[as] = counts[as]! + sign
      return
    }
    places[length] = place
    counts[length] = sign
    slots[slot] = ++length
    if (length === places.length) grow()
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
      slots.fill(0)
      length = 0
      const { context, request } = partsOf(turns)
      addRequest(request)
      addContext(context)
      return { length, places, counts }
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
