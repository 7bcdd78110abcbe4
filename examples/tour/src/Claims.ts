/** What the tour asserts. A claim that does not hold ends the tour with its sentence. */
import { isDeepStrictEqual } from "node:util"

let checked = 0

export const count = (): number => checked

export class BrokenClaim extends Error {
  override readonly name = "BrokenClaim"
}

/** `sentence` says what ought to be true. */
export function claim(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenClaim(sentence)
  checked += 1
}

const show = (value: unknown): string => JSON.stringify(value) ?? String(value)

export const claimEqual = (actual: unknown, expected: unknown, what: string): void =>
  claim(isDeepStrictEqual(actual, expected), `${what} ought to be ${show(expected)}, and is ${show(actual)}`)

/** The value, which must be there. */
export const expectPresent = <A>(value: A | null | undefined, what: string): A => {
  claim(value !== null && value !== undefined, `${what} ought to be there`)
  return value
}
