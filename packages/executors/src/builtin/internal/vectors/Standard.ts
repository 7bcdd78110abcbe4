/**
 * Standardizes the embeddings of a source: over the train rows, each dimension has the mean 0 and the same variance, and a text the
 * length 1 on average. The embeddings of many models lie in a narrow cone, whose direction says nothing of a text.
 */

export interface Standard {
  readonly means: Float32Array<ArrayBuffer>
  /** Multiply the deviations from the means; 0 for a dimension that is the same in all rows. */
  readonly scales: Float32Array<ArrayBuffer>
}

/** Deviations below this are rounding errors. */
const deviationLeast = 1e-9

/** `embeddings`: one at least, all of one length. */
export const of = (embeddings: ReadonlyArray<Float32Array>): Standard => {
  const dimensions = embeddings[0]?.length ?? 0
  const sums = new Float64Array(dimensions)
  for (const embedding of embeddings) for (let k = 0; k < dimensions; k++) sums[k] = sums[k]! + embedding[k]!
  const means = Float32Array.from(sums, (sum) => sum / embeddings.length)
  const squares = new Float64Array(dimensions)
  for (const embedding of embeddings) {
    for (let k = 0; k < dimensions; k++) squares[k] = squares[k]! + (embedding[k]! - means[k]!) ** 2
  }
  const scales = Float32Array.from(squares, (sum) => {
    const deviation = Math.sqrt(sum / embeddings.length)
    return deviation < deviationLeast ? 0 : 1 / (deviation * Math.sqrt(dimensions))
  })
  return { means, scales }
}

/** Writes the standardized embedding. */
export const apply = ({ means, scales }: Standard, embedding: Float32Array, into: Float32Array): void => {
  for (let k = 0; k < into.length; k++) into[k] = (embedding[k]! - means[k]!) * scales[k]!
}
