/** Random sequences of requests, made from a seed: what a workspace's clients may do, valid or not. */
import * as Generator from "@limbeck/testing/random/Generator"
import { acts } from "./Acts.ts"
import { beginning } from "./Beginning.ts"
import type { Step } from "./Step.ts"

/** One request in this many is of test mode. */
const testModeRarity = 8

/** One in this many requests repeats the key of an earlier one. */
const keysRepeat = 6

const stepOf = (generator: Generator.Generator, index: number): Step => {
  const { below, pick } = generator
  const act = pick(acts)(generator)
  const key = `key-${below(keysRepeat) === 0 ? below(index + 1) : index}`
  const mode = below(testModeRarity) === 0 ? "test" : "live"
  return { ...act, mode, ...(act.method === "POST" ? { key } : {}) }
}

/** The beginning, and random steps that refer to what it made. */
export const scenario = (seed: number, steps: number): ReadonlyArray<Step> => {
  const generator = Generator.make(seed)
  const first = beginning.map((act, index): Step => ({ ...act, mode: "live", key: `first-${index}` }))
  return [...first, ...Array.from({ length: steps }, (_, index) => stepOf(generator, index))]
}
