/**
 * Positive pointwise mutual information of neighbouring words, as a sparse symmetric matrix. The probability of a neighbour is
 * smoothed by the power 3/4 (Levy et al., "Improving distributional similarity", 2015).
 */
import { finalize } from "../Hashing.ts"
import { type Corpus, textOf } from "./Corpus.ts"
import { VectorLimits } from "./Limits.ts"

/** Row r has the entries `offsets[r]` to `offsets[r + 1]`. */
export interface SparseMatrix {
  readonly size: number
  readonly offsets: Uint32Array
  readonly columns: Uint32Array
  readonly values: Float32Array
}

const smoothing = 0.75

/** An open hash table of pairs; a key is never 0, because the first word of a pair is the smaller one. */
const pairTable = () => {
  const slots = 2 * VectorLimits.pairsMax
  const keys = new Uint32Array(slots)
  const counts = new Uint32Array(slots)
  let used = 0
  /** The slot of the key, or the free slot for it. */
  const slotOf = (key: number): number => {
    let slot = finalize(key) & (slots - 1)
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & (slots - 1)
    return slot
  }
  return {
    add: (key: number, by: number) => {
      const slot = slotOf(key)
      if (keys[slot] === 0) {
        if (used === VectorLimits.pairsMax) return
        keys[slot] = key
        used++
      }
      counts[slot] = counts[slot]! + by
    },
    countOf: (key: number): number => counts[slotOf(key)]!,
    /** Ascending, so that the order of the texts changes nothing. */
    keys: () => keys.filter((key) => key !== 0).sort()
  }
}

/** Counts neighbours: a nearer one counts more. `kept`: the number of each word of the corpus among the kept ones, -1 for none. */
const countPairs = (corpus: Corpus, kept: Int32Array, size: number) => {
  const table = pairTable()
  const { window } = VectorLimits
  for (let text = 0; text < corpus.ends.length; text++) {
    const words = textOf(corpus, text)
    for (let at = 0; at < words.length; at++) {
      const one = kept[words[at]!]!
      if (one === -1) continue
      for (let distance = 1; distance <= window && at + distance < words.length; distance++) {
        const other = kept[words[at + distance]!]!
        if (other === -1 || other === one) continue
        table.add(Math.min(one, other) * size + Math.max(one, other), window + 1 - distance)
      }
    }
  }
  return table
}

/** Fills a symmetric matrix from its upper half, row by row; columns ascend in every row. */
const symmetric = (size: number, upper: Uint32Array, values: Float32Array): SparseMatrix => {
  const offsets = new Uint32Array(size + 1)
  for (const key of upper) {
    for (const row of [Math.floor(key / size), key % size]) offsets[row + 1] = offsets[row + 1]! + 1
  }
  for (let row = 0; row < size; row++) offsets[row + 1] = offsets[row + 1]! + offsets[row]!
  const next = offsets.slice()
  const matrix = {
    size,
    offsets,
    columns: new Uint32Array(2 * upper.length),
    values: new Float32Array(2 * upper.length)
  }
  const put = (row: number, column: number, value: number) => {
    const at = next[row]!
    next[row] = at + 1
    matrix.columns[at] = column
    matrix.values[at] = value
  }
  for (const [index, key] of upper.entries()) {
    const [one, other] = [Math.floor(key / size), key % size]
    put(one, other, values[index]!)
    put(other, one, values[index]!)
  }
  return matrix
}

/** Over `size` words; `kept` as above. */
export const matrixOf = (corpus: Corpus, kept: Int32Array, size: number): SparseMatrix => {
  const table = countPairs(corpus, kept, size)
  const keys = table.keys()
  const counts = keys.map(table.countOf)
  const sums = new Float64Array(size)
  for (const [index, key] of keys.entries()) {
    for (const word of [Math.floor(key / size), key % size]) sums[word] = sums[word]! + counts[index]!
  }
  const smoothed = sums.map((sum) => sum ** smoothing)
  const all = smoothed.reduce((sum, one) => sum + one, 0)
  const positive = (count: number, word: number, neighbour: number): number =>
    Math.max(0, Math.log((count * all) / (sums[word]! * smoothed[neighbour]!)))
  /** The mean of both directions, so that the matrix is symmetric. */
  const values = Float32Array.from(keys, (key, index) => {
    const [one, other] = [Math.floor(key / size), key % size]
    return (positive(counts[index]!, one, other) + positive(counts[index]!, other, one)) / 2
  })
  return symmetric(size, keys, values)
}
