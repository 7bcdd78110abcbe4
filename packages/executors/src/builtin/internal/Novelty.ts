/**
 * Detects an input that is unlike the train rows: another task, another language. A logistic regression over hashed
 * features separates train rows from other requests to assistants ("outlier exposure": Hendrycks, Mazeika and
 * Dietterich, 2019), which appear alone and in front of train rows. An input with the features of neither counts as
 * unlike, too. The threshold rejects one in a hundred held-back rows.
 */
import * as Features from "./Features.ts"
import { generator } from "./Hashing.ts"
import * as OtherTasks from "./OtherTasks.ts"
import type { Turn } from "./Text.ts"

export interface Novelty {
  /** The weight of each feature place, indexed by the high bits of its hash. */
  readonly weights: Float32Array<ArrayBuffer>
  /** An input with a lower score is new. */
  readonly threshold: number
}

const bits = 15
/** The number of train rows in the sample. With fewer than `least` held-back rows there is no threshold. */
export const sample = { rows: 1_500, least: 100 }
/** One in this many sampled rows is held back for the threshold. */
const heldBack = 3
const share = 0.01
const epochs = 5
const step = 0.3
/** Train rows show only a part of their world, so inputs somewhat below the held-back rows still belong to it. */
const margin = 0.1

/** The characters kept of each end of a long request: an instruction stands at an end, and is a large part of it. */
const endCharacters = 240

/** The ends of a long request; undefined if the request is short enough. */
export const viewOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<Turn> | undefined => {
  const text = turns.findLast(({ role }) => role === "user")?.text ?? ""
  if (text.length <= 2 * endCharacters) return undefined
  return [{ role: "user", text: `${text.slice(0, endCharacters)} ${text.slice(-endCharacters)}` }]
}

interface Counts {
  readonly length: number
  readonly places: Uint32Array
}

/** The distinct feature places of a text. */
const placesOf = ({ length, places }: Counts, placeBits: number): Uint32Array =>
  Uint32Array.from(new Set(places.subarray(0, length).map((place) => place >>> (placeBits - bits))))

const scoreOf = (weights: Float32Array, places: Uint32Array): number => {
  let sum = 0
  for (const place of places) sum += weights[place]!
  return places.length === 0 ? Number.NEGATIVE_INFINITY : sum / Math.sqrt(places.length)
}

/** The likeness of the input to the train rows; the least possible one for an input without features. */
export const score = ({ weights }: Pick<Novelty, "weights">, { length, places }: Counts, placeBits: number): number => {
  let sum = 0
  for (let k = 0; k < length; k++) sum += weights[places[k]! >>> (placeBits - bits)]!
  return length === 0 ? Number.NEGATIVE_INFINITY : sum / Math.sqrt(length)
}

/** Other tasks, alone, in front of rows and behind rows. */
const negativesOf = (rows: ReadonlyArray<ReadonlyArray<Turn>>): ReadonlyArray<ReadonlyArray<Turn>> => {
  const texts = rows.map((turns) => turns.findLast(({ role }) => role === "user")?.text ?? "")
  return OtherTasks.tasks.flatMap((task, index) => {
    const text = texts[index % texts.length] ?? ""
    const mixed = index % 2 === 0 ? `${task}\n\n${text}` : `${text}\n\n${task}`
    return [[{ role: "user", text: task }], [{ role: "user", text: mixed }]]
  })
}

/** Returns null if there are too few rows. The order of the rows carries no information. */
export const train = (rows: ReadonlyArray<ReadonlyArray<Turn>>, settings: Features.FeatureSettings): Novelty | null => {
  const known = rows.slice(0, sample.rows)
  if (known.length < sample.least * heldBack) return null
  const featurizer = Features.make(settings)
  const read = (turns: ReadonlyArray<Turn>) => placesOf(featurizer.count(viewOf(turns) ?? turns), settings.bits)
  const own = known.map(read)
  const others = negativesOf(known.filter((_, index) => index % heldBack !== 0)).map(read)
  const learnt = own.filter((_, index) => index % heldBack !== 0)
  const weights = new Float32Array(2 ** bits)
  const next = generator(1)
  const pick = (from: ReadonlyArray<Uint32Array>) => from[next() % from.length]!
  const learn = (places: Uint32Array, target: number, rate: number) => {
    if (places.length === 0) return
    const error = 1 / (1 + Math.exp(-scoreOf(weights, places))) - target
    const change = (rate * error) / Math.sqrt(places.length)
    for (const place of places) weights[place] = weights[place]! - change
  }
  const rounds = epochs * learnt.length
  for (let round = 0; round < rounds; round++) {
    const rate = step * (1 - round / rounds)
    learn(pick(learnt), 1, rate)
    learn(pick(others), 0, rate)
  }
  const scores = own
    .filter((_, index) => index % heldBack === 0)
    .map((places) => scoreOf(weights, places))
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const lowest = scores[Math.floor(scores.length * share)]
  const middle = scores[Math.floor(scores.length / 2)]
  if (lowest === undefined || middle === undefined) return null
  return { weights, threshold: lowest - margin * (middle - lowest) }
}
