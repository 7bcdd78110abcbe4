/**
 * The pairs of neighbouring tokens in the train rows. Texts of another subject share words with the rows, but few of their pairs.
 */
import { finalize, fnvBasis, fnvStep, fnvText } from "../Hashing.ts"

const bits = 20
const space = 32
/** The share of known pairs in ordinary texts. */
const usualShare = 0.3

/** A set of places, 32 in each number. */
export type KnownPairs = Uint32Array<ArrayBuffer>

const placesOf = (tokens: ReadonlyArray<string>): ReadonlyArray<number> =>
  tokens
    .slice(1)
    .map((token, at) => finalize(fnvText(fnvStep(fnvText(fnvBasis, tokens[at]!), space), token)) >>> (32 - bits))

export const learn = (texts: ReadonlyArray<ReadonlyArray<string>>): KnownPairs => {
  const known = new Uint32Array(2 ** (bits - 5))
  for (const tokens of texts) for (const at of placesOf(tokens)) known[at >>> 5] = known[at >>> 5]! | (1 << (at & 31))
  return known
}

/** By how many deviations more pairs are known than usual; 0 without a pair. */
export const excess = (known: KnownPairs, tokens: ReadonlyArray<string>): number => {
  const places = placesOf(tokens)
  if (places.length === 0) return 0
  const met = places.filter((at) => (known[at >>> 5]! & (1 << (at & 31))) !== 0).length
  return (met - usualShare * places.length) / Math.sqrt(places.length)
}
