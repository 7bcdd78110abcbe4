/**
 * Decides the side of the split: a pure function of the prompt's key, the seed and the holdout fraction. A row keeps
 * its side while the set grows, and near-duplicates share a side. With the same seed, a larger fraction only moves rows
 * from train to holdout.
 */
import type { Split } from "../Row.ts"

/** The 32-bit finalizer of MurmurHash3: every bit of the input reaches every bit of the result. */
const mix = (value: number): number => {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Where the row lies in [0, 1) under this seed. `digest`: whole words of 4 bytes. `seed`: a safe integer. */
export const placeOf = (digest: Uint8Array, seed: number): number => {
  const words = new DataView(digest.buffer, digest.byteOffset, digest.byteLength)
  let hash = mix(mix(seed | 0) ^ Math.floor(seed / 2 ** 32))
  for (let offset = 0; offset + 4 <= words.byteLength; offset += 4) hash = mix(hash ^ words.getInt32(offset))
  return (hash >>> 0) / 2 ** 32
}

export const splitOf = (digest: Uint8Array, seed: number, holdoutFraction: number): Split =>
  placeOf(digest, seed) < holdoutFraction ? "holdout" : "train"
