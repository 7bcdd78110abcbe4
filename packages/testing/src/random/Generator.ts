/** Test cases made from a seed, so that a failing one can be made again. */
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

export interface Generator {
  /** A whole number from 0 and below `end`. */
  readonly below: (end: number) => number
  /** An item of a non-empty list. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Up to `max` items, each from a call of `make`. */
  readonly some: <A>(max: number, make: () => A) => ReadonlyArray<A>
}

/**
 * A generator whose choices are the same for the same seed.
 *
 * @example
 * const { pick, some } = Generator.make(7)
 * const text = some(20, () => pick(["a", "b", "{"])).join("")
 */
export const make = (seed: number): Generator => {
  const bits = SeededRandom.make(seed)
  const below = (end: number) => bits() % end
  return {
    below,
    pick: (items) => items[below(items.length)]!, // `below` is within the list, which is never empty here.
    some: (max, item) => Array.from({ length: below(max + 1) }, item)
  }
}
