/**
 * Collects the rows of a training set as hashed counts, in bounded memory. Above the bound it keeps an even sample,
 * which depends on the content of the rows and on the seed, never on their order.
 */

import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as TakenNumbers from "@limbeck/distill/dataset/TakenNumbers"
import type { Settings } from "../Settings.ts"
import type { EmbeddingTable } from "../tables/Tables.ts"
import * as Features from "./Features.ts"
import { finalize } from "./Hashing.ts"
import * as Novelty from "./Novelty.ts"
import type { Targets } from "./Targets.ts"
import { partsOf, type Turn } from "./Text.ts"
import * as RequestTexts from "./vectors/RequestTexts.ts"

export interface Example {
  readonly turns: ReadonlyArray<Turn>
  /** The completion; null for a completion that a classifier cannot give, such as a tool call. */
  readonly label: string | null
  /** Whether the middle of the request was left out; see `Reading`. */
  readonly isCut?: boolean
  /** The probabilities of a row of decisions; such a row has no label. */
  readonly targets?: Targets
  /** Among the train rows of the version. Absent: rows arrive one by one. */
  readonly position?: number
  /** The id of its prompt, among several. */
  readonly template?: string
  /** How many calls of the traffic the row stands for. Absent: 1. */
  readonly weight?: number
  /** Of its text; present exactly where the settings name a model for it. */
  readonly embedding?: Float32Array
}

/** A table of rows; the features of row r are at `offsets[r]` to `offsets[r + 1]`. */
export interface Rows {
  length: number
  offsets: Uint32Array<ArrayBuffer>
  places: Uint32Array<ArrayBuffer>
  counts: Float32Array<ArrayBuffer>
  /** Two words of the row's name: the first decides the sample, both together decide the order. */
  names: Uint32Array<ArrayBuffer>
  /** Index of the label in `seen`. */
  labels: Uint32Array<ArrayBuffer>
  /** Empty for a row without decisions. */
  targets: Array<Targets>
  weights: Float64Array<ArrayBuffer>
  /** The number of the row's text in the corpus or among the embeddings, if there are any. */
  texts: Uint32Array<ArrayBuffer>
  /** The positions of the rows among those of the version's side. */
  positions: Uint32Array<ArrayBuffer>
}

/** Label of a row outside of every closed set. */
export const outside = 0xffffffff

const rowsOf = (rows: number, features: number): Rows => ({
  length: 0,
  offsets: new Uint32Array(rows + 1),
  places: new Uint32Array(features),
  counts: new Float32Array(features),
  names: new Uint32Array(rows * 2),
  labels: new Uint32Array(rows),
  targets: [],
  weights: new Float64Array(rows),
  texts: new Uint32Array(rows),
  positions: new Uint32Array(rows)
})

const featuresOf = (rows: Rows): number => rows.offsets[rows.length]!

/** Appends a copy of row `from` of another table. */
const copyRow = (into: Rows, rows: Rows, from: number) => {
  const start = rows.offsets[from]!
  const end = rows.offsets[from + 1]!
  const at = featuresOf(into)
  into.places.set(rows.places.subarray(start, end), at)
  into.counts.set(rows.counts.subarray(start, end), at)
  into.names.set(rows.names.subarray(from * 2, from * 2 + 2), into.length * 2)
  into.labels[into.length] = rows.labels[from]!
  into.targets[into.length] = rows.targets[from]!
  into.weights[into.length] = rows.weights[from]!
  into.texts[into.length] = rows.texts[from]!
  into.positions[into.length] = rows.positions[from]!
  into.length++
  into.offsets[into.length] = at + end - start
}

const copy = (rows: Rows, capacity: Rows, keep: (row: number) => boolean): Rows => {
  for (let row = 0; row < rows.length; row++) if (keep(row)) copyRow(capacity, rows, row)
  return capacity
}

export interface Collection extends RequestTexts.CollectedTexts {
  readonly rows: Rows
  /** Distinct completions in order of first appearance. */
  readonly seen: ReadonlyArray<string>
  /** Answer fields that copy numbers from the request. */
  readonly taken: ReadonlySet<string>
  /** Rows read, including rows outside of the sample. */
  readonly offered: number
  /** Rows among `offered` whose middle was not read. */
  readonly cut: number
  /** A bounded number of the conversations. */
  readonly examples: ReadonlyArray<ReadonlyArray<Turn>>
}

export interface Collector {
  readonly add: (example: Example) => void
  /** Adds a request without a label, for word vectors. */
  readonly addText: (request: string) => void
  readonly close: () => Collection
}

/** Numbers distinct completions in order of first appearance, in bounded memory. */
const completionNumbers = (labelCharactersMax: number) => {
  const numbers = new Map<string, number>()
  const isRemembered = LabelRules.makeMemory(labelCharactersMax)
  return {
    of: (label: string | null): number => {
      if (label === null) return outside
      const known = numbers.get(label)
      if (known !== undefined) return known
      if (!isRemembered(label)) return outside
      numbers.set(label, numbers.size)
      return numbers.size - 1
    },
    seen: (): ReadonlyArray<string> => [...numbers.keys()]
  }
}

/** `table`: the static embeddings of the settings. */
export const collector = (settings: Settings, table?: EmbeddingTable): Collector => {
  const featurizer = Features.make(settings)
  const numbers = completionNumbers(settings.labelCharactersMax)
  const { fields, labelCharactersMax, seed } = settings
  /** Shortens answers for a training of closed fields. */
  const keptOf = (label: string | null) =>
    label === null || fields === undefined ? label : ClosedFields.shorten(label, labelCharactersMax)
  const taken = TakenNumbers.observer()
  let rows = rowsOf(1024, 2 ** 18)
  let offered = 0
  let cut = 0
  const examples: Array<ReadonlyArray<Turn>> = []
  const requests = RequestTexts.make(settings, table)
  /** Rows with a name below the threshold are kept. */
  let threshold = 2 ** 32

  /** Grows the table for one more row with this number of features. */
  const reserve = (features: number) => {
    const enoughRows = rows.length < rows.labels.length
    const enoughFeatures = featuresOf(rows) + features <= rows.places.length
    if (enoughRows && enoughFeatures) return
    const wider = rowsOf(
      enoughRows ? rows.labels.length : rows.labels.length * 2,
      enoughFeatures ? rows.places.length : Math.max(rows.places.length * 2, featuresOf(rows) + features)
    )
    rows = copy(rows, wider, () => true)
  }

  /**
   * Halves the sample until it is within bounds. The sample holds the rows below one threshold, so their order has no
   * influence.
   */
  const thin = () => {
    while (rows.length > settings.rowsMax || (featuresOf(rows) > settings.featuresMax && rows.length > 1)) {
      threshold /= 2
      const fresh = rowsOf(rows.labels.length, rows.places.length)
      rows = copy(rows, fresh, (row) => rows.names[row * 2]! < threshold)
    }
  }

  return {
    add: ({ embedding, isCut, label, position = offered, targets = [], template, turns, weight = 1 }) => {
      offered++
      if (isCut) cut++
      if (label !== null) taken.add(partsOf(turns).request, label)
      // Rows arrive in the order of their digests, so the first rows are a random sample.
      if (examples.length < Novelty.sample.rows) examples.push(turns)
      const [high, low] = Features.identify(turns, settings)
      const name = finalize(high ^ finalize(seed))
      if (name >= threshold) return
      const { counts, length, places } = featurizer.count(turns, template)
      const text = requests.add({ turns, words: featurizer.tokens(), embedding })
      reserve(length)
      const at = featuresOf(rows)
      rows.places.set(places.subarray(0, length), at)
      rows.counts.set(counts.subarray(0, length), at)
      rows.names.set([name, low], rows.length * 2)
      rows.labels[rows.length] = numbers.of(keptOf(label))
      rows.targets[rows.length] = targets
      rows.weights[rows.length] = weight
      rows.texts[rows.length] = text
      rows.positions[rows.length] = position
      rows.length++
      rows.offsets[rows.length] = at + length
      thin()
    },
    addText: requests.addUnlabelled,
    close: () => ({
      rows,
      seen: numbers.seen(),
      taken: taken.fields(),
      offered,
      cut,
      examples,
      ...requests.close()
    })
  }
}
