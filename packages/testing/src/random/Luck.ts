/** Random numbers that a seed repeats. */
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"

/**
 * Returns a generator of numbers from 0 up to, but not including, 1. The same seed gives the same numbers.
 *
 * @example
 * const next = luck(20_261_121)
 * const isKilled = next() < 0.5
 */
export const luck = (seed: number): (() => number) => {
  const bits = SeededRandom.make(seed)
  return () => bits() / 2 ** 32
}
