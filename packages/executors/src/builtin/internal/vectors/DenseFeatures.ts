/**
 * Adds the vector of each row's text to a training set, as features behind the sparse ones. Each head uses them or not, so that
 * one set serves the trials with and without.
 */
import { createHash } from "node:crypto"
import type { TrainingSet } from "../TrainingSet.ts"
import { type Corpus, textOf } from "./Corpus.ts"
import * as Standard from "./Standard.ts"
import { pooling, type WordVectors } from "./WordVectors.ts"

/** Where the vectors of texts come from. */
export interface TextVectors {
  readonly dimensions: number
  readonly vectors: WordVectors | null
  readonly standard?: Standard.Standard
  /** Writes the vector of a text by its number. */
  readonly write: (text: number, into: Float32Array) => void
}

/** The number of dense features that some head of the set learns from. */
export const usedDimensions = ({ dense }: Pick<TrainingSet, "dense">): number =>
  dense?.heads.includes(true) ? dense.dimensions : 0

const bytesOf = (array: Float32Array): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** By word vectors. */
export const ofWords = (corpus: Corpus, vectors: WordVectors): TextVectors => {
  const pool = pooling(vectors)
  return {
    dimensions: vectors.dimensions,
    vectors,
    write: (text, into) =>
      pool(
        Array.from(textOf(corpus, text), (token) => corpus.words[token]!),
        into
      )
  }
}

/** By static embeddings, made when the rows arrived. */
export const ofEmbeddings = (embeddings: ReadonlyArray<Float32Array>): TextVectors => ({
  dimensions: embeddings[0]?.length ?? 0,
  vectors: null,
  write: (text, into) => into.set(embeddings[text]!)
})

/** By embeddings of a source, standardized. */
export const ofSource = (embeddings: ReadonlyArray<Float32Array>): TextVectors => {
  const standard = Standard.of(embeddings)
  return {
    dimensions: standard.means.length,
    vectors: null,
    standard,
    write: (text, into) => Standard.apply(standard, embeddings[text]!, into)
  }
}

/** The set with these vectors for its rows' texts. No head uses them yet. */
export const add = (
  set: TrainingSet,
  { dimensions, standard, vectors, write }: TextVectors,
  heads: number
): TrainingSet => {
  const rows = set.offsets.length - 1
  const offsets = set.offsets.map((offset, row) => offset + row * dimensions)
  const features = new Uint32Array(set.features.length + rows * dimensions)
  const values = new Float32Array(features.length)
  const hash = createHash("sha256").update(set.fingerprint)
  for (let row = 0; row < rows; row++) {
    const from = set.offsets[row]!
    const to = set.offsets[row + 1]!
    features.set(set.features.subarray(from, to), offsets[row])
    values.set(set.values.subarray(from, to), offsets[row])
    const end = offsets[row]! + to - from
    for (let k = 0; k < dimensions; k++) features[end + k] = set.places.length + k
    const vector = values.subarray(end, end + dimensions)
    write(set.texts[row]!, vector)
    hash.update(bytesOf(vector))
  }
  return {
    ...set,
    offsets,
    features,
    values,
    fingerprint: hash.digest("hex"),
    dense: {
      dimensions,
      heads: Array.from({ length: heads }, () => false),
      vectors,
      ...(standard === undefined ? {} : { standard })
    }
  }
}

/** The set whose heads use the dense features or not. */
export const assignHeads = (set: TrainingSet, heads: ReadonlyArray<boolean>): TrainingSet =>
  set.dense === undefined ? set : { ...set, dense: { ...set.dense, heads } }
