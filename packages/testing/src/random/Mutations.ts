/** Mistakes in bytes, made from a seed: what a broken or hostile sender may send. */
import type { Generator } from "./Generator.ts"

/** Texts that parsers of HTTP, JSON and event streams treat apart. */
const tokens = [
  "\0",
  "\r\n",
  "\n\n",
  "\r",
  ":",
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  "0",
  "-",
  "9".repeat(40),
  "1e999",
  "null",
  "data: ",
  "[DONE]",
  "\ufeff",
  "\ud83d",
  "%00",
  "../",
  " ".repeat(500)
]

const splice = (bytes: Buffer, start: number, removed: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)])

const lengthMax = 40

const mutateOnce = (bytes: Buffer, { below, pick }: Generator): Buffer => {
  const start = below(bytes.length + 1)
  const length = below(lengthMax)
  switch (below(6)) {
    case 0:
      return splice(bytes, start, 1, Uint8Array.of(below(256)))
    case 1:
      return splice(bytes, start, length, Buffer.alloc(0))
    case 2:
      return splice(bytes, start, 0, bytes.subarray(start, start + length))
    case 3:
      return bytes.subarray(0, start)
    default:
      return splice(bytes, start, 0, Buffer.from(pick(tokens)))
  }
}

/**
 * The bytes with one to three mistakes: a byte changed, a part left out or repeated, the end cut off, or a token put in.
 *
 * @example
 * const broken = mutated(Buffer.from('{"a":1}'), Generator.make(7))
 */
export const mutated = (bytes: Uint8Array, generator: Generator): Buffer => {
  let result = Buffer.from(bytes)
  for (let left = 1 + generator.below(3); left > 0; left--) result = Buffer.from(mutateOnce(result, generator))
  return result
}
