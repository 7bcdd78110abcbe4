/**
 * Turns collected rows into the trainer's input: a closed set of labels, a training and a validation part, and
 * weighted, normalized features. Rows, labels and features are sorted, so that the order of arrival changes nothing.
 */
import { createHash } from "node:crypto"
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import type { Answers, AnswerWriting } from "@limbeck/distill/dataset/Answers"
import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Result from "effect/Result"
import type { Settings } from "../Settings.ts"
import * as DecisionFolds from "./DecisionFolds.ts"
import { type Collection, outside, type Rows } from "./Examples.ts"
import type { NameFeatures } from "./names/NameFeatures.ts"
import * as Questions from "./Questions.ts"
import type { Head, LearntQuestion, Targets } from "./Targets.ts"
import type { DenseFeatures } from "./vectors/Dense.ts"

/** A JSON object whose fields are separate questions, or a list of labels; and the text between their answers. */
export interface Fields extends AnswerWriting {
  readonly heads: ReadonlyArray<Head>
}

/** Sparse rows: the features of row r are at `offsets[r]` to `offsets[r + 1]`. */
export interface TrainingSet {
  /** Labels by descending frequency; with fields, field by field. */
  readonly labels: ReadonlyArray<string>
  /** Null if the whole completion is the label. */
  readonly fields: Fields | null
  /** Free properties, removed from answers before the training. Absent: the training reads whole answers. */
  readonly free?: ReadonlyArray<string>
  /** The questions of decisions, and the targets of each row; null for labels. */
  readonly questions: {
    readonly learnt: ReadonlyArray<LearntQuestion>
    readonly heads: ReadonlyArray<Head>
    readonly targets: ReadonlyArray<Targets>
  } | null
  /** Which places the features hash to, ascending; a feature's number is its index here. */
  readonly places: Uint32Array<ArrayBuffer>
  /** Inverse document frequency by feature. */
  readonly rarity: Float32Array<ArrayBuffer>
  readonly offsets: Uint32Array
  readonly features: Uint32Array
  readonly values: Float32Array
  /** The label of each row within its field, or `unasked`: all rows of the first field, then all rows of the next. */
  readonly labelOf: Uint16Array
  /** How many calls of the traffic each row stands for. */
  readonly weights: Float64Array
  /** Features of the label names, for the first weights. Absent: weights begin at zero. */
  readonly names?: NameFeatures | undefined
  /** Features with a value in every row, behind the sparse ones; absent: there are none. */
  readonly dense?: DenseFeatures
  /** The number of each row's text in the corpus. */
  readonly texts: Uint32Array
  /** The position of each row among the train rows of the version; decides nothing. */
  readonly positions: Uint32Array
  readonly training: Uint32Array
  readonly validation: Uint32Array
  /** Rows read, rows outside of the sample, rows outside of the closed set, and alternative spellings of labels. */
  readonly counts: {
    readonly offered: number
    readonly unsampled: number
    readonly outside: number
    readonly variants: number
    readonly cut: number
  }
  /** A bounded number of the conversations. */
  readonly examples: Collection["examples"]
  /** SHA-256 over all that decides the weights; hex. */
  readonly fingerprint: string
}

/** Why the rows cannot be learnt: a stable `code`, and a message for people. */
export interface Refusal {
  readonly code: "no_training_rows" | "labels_not_closed"
  readonly message: string
}

/** Weight of a count: each repetition of a feature adds less. */
const dampen = (count: number): number =>
  Math.abs(count) <= 1 ? count : Math.sign(count) * (1 + Math.log(Math.abs(count)))

/** Below this number of rows, a feature may occur in a single row; above it, such a feature would be memorized. */
const fewRows = 100

/** The label ranges of the questions. */
const headsOf = (questions: Answers["questions"]): ReadonlyArray<Head> => {
  let to = 0
  return questions.map((question) => {
    const from = to
    to += question.labels.length
    const { when } = question
    return { name: AnswerRules.nameOf(question), from, to, ...(when === undefined ? {} : { when }) }
  })
}

/**
 * Maps each distinct completion to its labels, or to undefined outside of the closed set. Fails with the reason if the
 * set is not closed.
 */
const closeLabels = ({ rows, seen, taken }: Collection, settings: Settings) => {
  const frequency = new Uint32Array(seen.length)
  let none = 0
  for (let row = 0; row < rows.length; row++) {
    const label = rows.labels[row]!
    if (label === outside) none++
    else frequency[label] = frequency[label]! + 1
  }
  const counts = new Map<string | null, number>(none === 0 ? [] : [[null, none]])
  for (const [number, text] of seen.entries()) if (frequency[number]! > 0) counts.set(text, frequency[number]!)
  const closed: Result.Result<Answers & { readonly free?: ReadonlyArray<string> }, LabelRules.OpenSet> =
    settings.fields === "closed_only"
      ? ClosedFields.close(counts, settings, taken)
      : AnswerRules.close(counts, settings, taken)
  return Result.map(closed, (answers) => {
    const { between, free, odd, questions, slots, variants } = answers
    const numbered = AnswerRules.numbering(answers)
    const heads = headsOf(questions)
    return {
      labels: questions.flatMap(({ labels }) => labels.map(({ text }) => text)),
      heads,
      fields:
        questions[0]?.name === null
          ? null
          : {
              heads,
              between,
              ...(slots === undefined ? {} : { slots }),
              ...(variants === undefined ? {} : { variants })
            },
      labelsOf: seen.map((text) => numbered(free === undefined ? text : (ClosedFields.without(text, free) ?? text))),
      ...(free === undefined ? {} : { free }),
      odd,
      variants: AnswerRules.countOf(answers).variants
    }
  })
}

type LabelsOf = (row: number) => ReadonlyArray<number> | undefined

/** Compares the labels of two rows field by field. */
const compareLabels = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const differs = one.findIndex((label, head) => label !== other[head])
  return differs === -1 ? 0 : one[differs]! - other[differs]!
}

/** Row indexes by name, and by label and weight for equal names. Leaves out rows outside of the closed set. */
const orderOf = (rows: Rows, labelsOf: LabelsOf): Uint32Array =>
  Uint32Array.from({ length: rows.length }, (_, row) => row)
    .filter((row) => labelsOf(row) !== undefined)
    .sort(
      (a, b) =>
        rows.names[a * 2]! - rows.names[b * 2]! ||
        rows.names[a * 2 + 1]! - rows.names[b * 2 + 1]! ||
        compareLabels(labelsOf(a) ?? [], labelsOf(b) ?? []) ||
        rows.weights[a]! - rows.weights[b]!
    )

/** The fields of a set, or its single question. */
export const headsIn = ({
  fields,
  labels,
  questions
}: Pick<TrainingSet, "fields" | "labels" | "questions">): ReadonlyArray<Head> =>
  questions?.heads ?? fields?.heads ?? [{ name: "", from: 0, to: labels.length }]

type Parts = Pick<TrainingSet, "training" | "validation">

/**
 * Holds back the first rows of each label by name, a pseudo-random choice, or the rows of a later fold. A label that is
 * too rare for a share loses no row. With fields, the field with the most labels that all rows have decides.
 */
export const carve = (
  set: Pick<TrainingSet, "fields" | "labels" | "labelOf" | "offsets" | "questions">,
  settings: Settings,
  fold = 0
): Parts => {
  if (set.questions !== null) return DecisionFolds.carve(set.questions, settings, fold)
  const sizes = headsIn(set).map(({ from, to, when }) => (when === undefined ? to - from : 0))
  const count = Math.max(...sizes)
  const rows = set.offsets.length - 1
  const labels = set.labelOf.subarray(sizes.indexOf(count) * rows, (sizes.indexOf(count) + 1) * rows)
  const share = Math.min(settings.validationFraction, settings.validationMax / labels.length)
  const quota = new Float64Array(count)
  for (const label of labels) quota[label] = quota[label]! + 1
  for (const [label, rows] of quota.entries()) quota[label] = Math.floor(rows * share)
  const seen = new Uint32Array(count)
  const training: Array<number> = []
  const validation: Array<number> = []
  for (const [row, label] of labels.entries()) {
    const nth = seen[label]!
    seen[label] = nth + 1
    const isHeldBack = quota[label]! > 0 && Math.floor(nth / quota[label]!) === fold
    if (isHeldBack) validation.push(row)
    else training.push(row)
  }
  return { training: Uint32Array.from(training), validation: Uint32Array.from(validation) }
}

/** The least document frequency that keeps the model within its number of weights. */
const leastOf = (documents: Uint32Array, least: number, featuresMax: number): number => {
  let from = least
  while (documents.reduce((sum, count) => sum + Number(count >= from), 0) > featuresMax) from++
  return from
}

/** Features that occur often enough, with their rarity. Features of every row carry no information. */
const vocabulary = (rows: Rows, order: Uint32Array, labels: number, { bits, weightsMax }: Settings) => {
  const documents = new Uint32Array(2 ** bits)
  for (const row of order) {
    for (let k = rows.offsets[row]!; k < rows.offsets[row + 1]!; k++) {
      if (rows.counts[k] !== 0) documents[rows.places[k]!] = documents[rows.places[k]!]! + 1
    }
  }
  const least = leastOf(documents, order.length < fewRows ? 1 : 2, weightsMax / labels)
  const places: Array<number> = []
  for (const [place, count] of documents.entries()) if (count >= least && count < order.length) places.push(place)
  const rarity = places.map((place) => Math.log((order.length + 1) / (documents[place]! + 1)))
  return { places: Uint32Array.from(places), rarity: Float32Array.from(rarity) }
}

/** Feature number by place; -1 for none. */
export const numbersOf = (places: Uint32Array, bits: number): Int32Array => {
  const numbers = new Int32Array(2 ** bits).fill(-1)
  for (const [number, place] of places.entries()) numbers[place] = number
  return numbers
}

/** Writes the weighted features of a row, normalized to length 1, from `at` on, and returns their end. */
export const weigh = (
  counts: { readonly places: Uint32Array; readonly counts: Float32Array; readonly from: number; readonly to: number },
  numbers: Int32Array,
  rarity: Float32Array,
  into: { readonly features: Uint32Array; readonly values: Float32Array },
  at: number
): number => {
  let end = at
  let squares = 0
  for (let k = counts.from; k < counts.to; k++) {
    const number = numbers[counts.places[k]!]!
    const value = number === -1 ? 0 : dampen(counts.counts[k]!) * rarity[number]!
    if (value === 0) continue
    into.features[end] = number
    into.values[end++] = value
    squares += value * value
  }
  const scale = 1 / Math.sqrt(squares)
  for (let k = at; k < end; k++) into.values[k] = into.values[k]! * scale
  return end
}

const bytesOf = (array: Uint16Array | Uint32Array | Float32Array | Float64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

const fingerprintOf = (settings: Settings, set: Omit<TrainingSet, "fingerprint">): string => {
  const about = [settings, set.labels, ...[set.fields, set.questions].filter((part) => part !== null)]
  const hash = createHash("sha256").update(JSON.stringify(about))
  const { features, labelOf, offsets, places, rarity, training, values, weights } = set
  for (const part of [places, rarity, offsets, features, values, labelOf, training]) hash.update(bytesOf(part))
  // Checkpoints of rows without weights remain usable.
  if (weights.some((weight) => weight !== 1)) hash.update(bytesOf(weights))
  return hash.digest("hex")
}

/** The features of the rows, in this order. */
const weighedRows = (rows: Rows, order: Uint32Array, labels: number, settings: Settings) => {
  const { places, rarity } = vocabulary(rows, order, labels, settings)
  const numbers = numbersOf(places, settings.bits)
  const offsets = new Uint32Array(order.length + 1)
  const weighed = { features: new Uint32Array(rows.places.length), values: new Float32Array(rows.places.length) }
  for (const [at, row] of order.entries()) {
    const counts = { ...rows, from: rows.offsets[row]!, to: rows.offsets[row + 1]! }
    offsets[at + 1] = weigh(counts, numbers, rarity, weighed, offsets[at]!)
  }
  const end = offsets[order.length]!
  const { features, values } = weighed
  return { places, rarity, offsets, features: features.subarray(0, end), values: values.subarray(0, end) }
}

/** The most probable option of each target stands for its label; a row without the question has none. */
const ofDecisions = (
  { cut, examples, offered, rows }: Collection,
  settings: Settings,
  learnt: ReadonlyArray<LearntQuestion>
): TrainingSet | Refusal => {
  const order = orderOf(rows, (row) => (rows.targets[row]!.length === 0 ? undefined : []))
  if (order.length === 0) return { code: "no_training_rows", message: "No train row answers a question" }
  const labels = learnt.flatMap(({ options }) => options.map(({ value }) => String(value)))
  const targets = Array.from(order, (row) => rows.targets[row]!)
  const questions = { learnt, heads: Questions.headsOf(learnt), targets }
  const set = {
    ...weighedRows(rows, order, labels.length, settings),
    labels,
    fields: null,
    questions,
    labelOf: new Uint16Array(),
    weights: Float64Array.from(order, (row) => rows.weights[row]!),
    texts: order.map((row) => rows.texts[row]!),
    positions: order.map((row) => rows.positions[row]!),
    ...DecisionFolds.carve(questions, settings, 0),
    counts: { offered, unsampled: offered - rows.length, outside: rows.length - order.length, variants: 0, cut },
    examples
  }
  return { ...set, fingerprint: fingerprintOf(settings, set) }
}

export const make = (collected: Collection, settings: Settings): TrainingSet | Refusal => {
  const { cut, examples, offered, rows } = collected
  if (rows.length === 0) return { code: "no_training_rows", message: "The version has no train rows" }
  if (settings.questions !== undefined) return ofDecisions(collected, settings, settings.questions)
  const found = closeLabels(collected, settings)
  if (Result.isFailure(found)) {
    return { code: "labels_not_closed", message: LabelRules.openReason(found.failure, rows.length, settings) }
  }
  const closed = found.success
  const labelsOf: LabelsOf = (row) => closed.labelsOf[rows.labels[row]!]
  const order = orderOf(rows, labelsOf)
  const labelOf = new Uint16Array(order.length * closed.heads.length)
  for (const [at, row] of order.entries()) {
    for (const [head, label] of (labelsOf(row) ?? []).entries()) labelOf[head * order.length + at] = label
  }
  const { fields, labels } = closed
  const table = weighedRows(rows, order, labels.length, settings)
  const { training, validation } = carve({ fields, labels, labelOf, offsets: table.offsets, questions: null }, settings)
  const set = {
    ...table,
    labels,
    fields,
    ...(closed.free === undefined ? {} : { free: closed.free }),
    questions: null,
    labelOf,
    weights: Float64Array.from(order, (row) => rows.weights[row]!),
    texts: order.map((row) => rows.texts[row]!),
    positions: order.map((row) => rows.positions[row]!),
    training,
    validation,
    counts: { offered, unsampled: offered - rows.length, outside: closed.odd, variants: closed.variants, cut },
    examples
  }
  return { ...set, fingerprint: fingerprintOf(settings, set) }
}

export const isRefusal = (made: TrainingSet | Refusal): made is Refusal => "code" in made
