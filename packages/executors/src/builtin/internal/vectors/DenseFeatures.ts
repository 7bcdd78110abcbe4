/**
 * Adds the vector of each row's text to a training set, as features behind the sparse ones. Each head uses them or not, so that
 * one set serves the trials with and without.
 */
import { createHash } from "node:crypto"
import type { TrainingSet } from "../TrainingSet.ts"
import { type Corpus, textOf } from "./Corpus.ts"
import { pooling, type WordVectors } from "./WordVectors.ts"

export interface DenseFeatures {
  readonly dimensions: number
  /** For each head whether it learns from them. */
  readonly heads: ReadonlyArray<boolean>
  readonly vectors: WordVectors
}

/** The number of dense features that some head of the set learns from. */
export const usedDimensions = ({ dense }: Pick<TrainingSet, "dense">): number =>
  dense?.heads.includes(true) ? dense.dimensions : 0

const bytesOf = (array: Float32Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** The set with these vectors for its rows' texts. No head uses them yet. */
export const add = (set: TrainingSet, corpus: Corpus, vectors: WordVectors, heads: number): TrainingSet => {
  const { dimensions } = vectors
  const rows = set.offsets.length - 1
  const offsets = set.offsets.map((offset, row) => offset + row * dimensions)
  const features = new Uint32Array(set.features.length + rows * dimensions)
  const values = new Float32Array(features.length)
  const pool = pooling(vectors)
  for (let row = 0; row < rows; row++) {
    const from = set.offsets[row]!
    const to = set.offsets[row + 1]!
    features.set(set.features.subarray(from, to), offsets[row])
    values.set(set.values.subarray(from, to), offsets[row])
    const end = offsets[row]! + to - from
    for (let k = 0; k < dimensions; k++) features[end + k] = set.places.length + k
    const words = Array.from(textOf(corpus, set.texts[row]!), (token) => corpus.words[token]!)
    pool(words, values.subarray(end, end + dimensions))
  }
  const hash = createHash("sha256").update(set.fingerprint)
  for (const part of [vectors.words, vectors.vectors]) hash.update(bytesOf(part))
  return {
    ...set,
    offsets,
    features,
    values,
    fingerprint: hash.digest("hex"),
    dense: { dimensions, heads: Array.from({ length: heads }, () => false), vectors }
  }
}

/** The set whose heads use the dense features or not. */
export const usedBy = (set: TrainingSet, heads: ReadonlyArray<boolean>): TrainingSet =>
  set.dense === undefined ? set : { ...set, dense: { ...set.dense, heads } }
