/** Small well-known hashes and a seeded generator, written plainly: the same numbers in every process and on every machine. */

/** The 32-bit offset basis of FNV-1a. */
export const fnvBasis = 0x811c9dc5

/** A step of FNV-1a, over a UTF-16 unit where the original takes a byte. */
export const fnvStep = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

export const fnvText = (hash: number, text: string): number => {
  let next = hash
  for (let index = 0; index < text.length; index++) next = fnvStep(next, text.charCodeAt(index))
  return next
}

/** The 32-bit finalizer of MurmurHash3: every input bit affects every result bit. The result is not negative. */
export const finalize = (value: number): number => {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whole numbers below 2^32, evenly spread, from sfc32 (Doty-Humphrey's small fast counting generator). */
export const generator = (seed: number, stream = 0): (() => number) => {
  let a = finalize(seed)
  let b = finalize(a ^ Math.floor(seed / 2 ** 32))
  let c = finalize(b ^ stream)
  let counter = 1
  const next = (): number => {
    const result = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return result >>> 0
  }
  // The first numbers still show the seed.
  for (let turn = 0; turn < 12; turn++) next()
  return next
}

/** Fisher and Yates, in place. */
export const shuffle = (values: Uint32Array, next: () => number): Uint32Array => {
  for (let index = values.length - 1; index > 0; index--) {
    const other = Math.floor((next() / 2 ** 32) * (index + 1))
    const value = values[index]!
    values[index] = values[other]!
    values[other] = value
  }
  return values
}
