/** A logistic regression over sets of hashed features, which separates texts like the train rows (1) from others (0). */
import { generator } from "../Hashing.ts"

export const bits = 15
const epochs = 5
const step = 0.3
/** Features of more rows than this share come from text around all rows, and are ignored. */
export const commonFrom = 0.8

/** The distinct places of a text's features, each below 2^15. */
export type Places = Uint32Array

export type Weights = Float32Array<ArrayBuffer>

/**
 * The sum of the weights by the square root of their number; the least possible where no feature is known. `placeBits`: of the
 * places, of which the high ones count.
 */
export const score = (weights: Weights, places: Places, placeBits = bits): number => {
  let [sum, known] = [0, 0]
  for (const place of places) {
    const weight = weights[place >>> (placeBits - bits)]!
    sum += weight
    known += Number(weight !== 0)
  }
  return known === 0 ? Number.NEGATIVE_INFINITY : sum / Math.sqrt(known)
}

/** Whether a place is a common one of the rows. */
const commonOf = (own: ReadonlyArray<Places>): ((place: number) => boolean) => {
  const rows = new Uint32Array(2 ** bits)
  for (const places of own) for (const place of places) rows[place] = rows[place]! + 1
  return (place) => rows[place]! > commonFrom * own.length
}

const sumOf = (weights: Weights, places: Places, placeBits = bits): number => {
  let sum = 0
  for (const place of places) sum += weights[place >>> (placeBits - bits)]!
  return sum
}

/** The score of model files from before, which counts features that are not known too. */
export const scoreOfAll = (weights: Weights, places: Places, placeBits: number): number =>
  places.length === 0 ? Number.NEGATIVE_INFINITY : sumOf(weights, places, placeBits) / Math.sqrt(places.length)

/** Learns from both sides in turn, without the common features of `own`. The order carries no information. */
export const learn = (own: ReadonlyArray<Places>, others: ReadonlyArray<Places>): Weights => {
  const isCommon = commonOf(own)
  const telling = (side: ReadonlyArray<Places>) =>
    side.map((places) => places.filter((place) => !isCommon(place))).filter(({ length }) => length > 0)
  const [ours, theirs] = [telling(own), telling(others)]
  const weights: Weights = new Float32Array(2 ** bits)
  if (ours.length === 0 || theirs.length === 0) return weights
  const next = generator(1)
  const pick = (from: ReadonlyArray<Places>) => from[next() % from.length]!
  const learnOne = (places: Places, target: number, rate: number) => {
    const error = 1 / (1 + Math.exp(-sumOf(weights, places) / Math.sqrt(places.length))) - target
    const change = (rate * error) / Math.sqrt(places.length)
    for (const place of places) weights[place] = weights[place]! - change
  }
  const rounds = epochs * ours.length
  for (let round = 0; round < rounds; round++) {
    const rate = step * (1 - round / rounds)
    learnOne(pick(ours), 1, rate)
    learnOne(pick(theirs), 0, rate)
  }
  return weights
}
