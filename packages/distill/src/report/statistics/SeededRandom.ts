/** Reproducible random numbers: xoshiro128** (Blackman and Vigna), seeded by one number. Not for secrets. */

/** The next 32 random bits, as a whole number from 0. */
export type Bits = () => number

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

/** The generator from a state of four 32-bit words, not all 0. */
export const fromState = (state: readonly [number, number, number, number]): Bits => {
  let [a, b, c, d] = state
  return () => {
    const bits = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotated(d, 11)
    return bits
  }
}

/** Well-mixed words for neighbouring seeds: a Weyl sequence through the finalizer of MurmurHash3. */
const words = (seed: number): Bits => {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}

/** `seed`: a whole number; its low 32 bits count. */
export const make = (seed: number): Bits => {
  const next = words(seed)
  // Four consecutive words of a full-period sequence are never all 0.
  return fromState([next(), next(), next(), next()])
}

/** A seed from a text such as an id: FNV-1a of its code units. */
export const seedOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
