/** Scores rows by a fixed model in WebAssembly: the arithmetic of `score` in Softmax.ts, to the bit, at a fraction of its time. */
import { type Row, score } from "../Softmax.ts"
import { scoreWasm } from "./scoreWasm.ts"

/** Writes a score per label: `bias + Σ value · weight`. */
export type Scorer = (row: Row, into: Float64Array) => void

export interface LearntModel {
  /** Of each feature its weight for every label. */
  readonly weights: Float32Array
  readonly bias: Float32Array
}

type Add = (
  features: number,
  values: number,
  count: number,
  weights: number,
  stride: number,
  sums: number,
  labels: number
) => void

/** Features per call of the module. A multiple of `together`. */
const batch = 1024
/** Features that the module adds up at a time. */
const together = 8
const pageBytes = 65_536

const module = new WebAssembly.Module(Buffer.from(scoreWasm, "base64"))

/** Each memory reserves addresses, which a process may not have: `ulimit -v` bounds them. */
const memoryOf = (bytes: number): WebAssembly.Memory | undefined => {
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Copies the weights into the module's memory; scores in place if the memory cannot hold them. */
export const make = (learnt: LearntModel): Scorer => {
  const labels = learnt.bias.length
  const at = { values: batch * 4, sums: batch * 8, weights: batch * 8 + labels * 8 }
  const memory = memoryOf(at.weights + learnt.weights.byteLength)
  if (memory === undefined) {
    return (row, into) => score(row, { weights: learnt.weights, stride: labels }, 1, learnt.bias, into)
  }
  const add = new WebAssembly.Instance(module, { limbeck: { memory } }).exports["add"] as Add
  const features = new Uint32Array(memory.buffer, 0, batch)
  const values = new Float32Array(memory.buffer, at.values, batch)
  const sums = new Float64Array(memory.buffer, at.sums, labels)
  new Float32Array(memory.buffer, at.weights, learnt.weights.length).set(learnt.weights)
  const bias = learnt.bias.slice()
  return (row, into) => {
    sums.fill(0)
    for (let from = row.from; from < row.to; from += batch) {
      const to = Math.min(from + batch, row.to)
      // The rest of the eight has the value 0 and adds nothing.
      const count = Math.ceil((to - from) / together) * together
      features.fill(0, to - from, count).set(row.features.subarray(from, to))
      values.fill(0, to - from, count).set(row.values.subarray(from, to))
      add(0, at.values, count, at.weights, labels * 4, at.sums, labels)
    }
    for (let label = 0; label < labels; label++) into[label] = bias[label]! + sums[label]!
  }
}
