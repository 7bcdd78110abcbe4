/** Words of dense features: features with a value in every row. */
import type { WordVectors } from "./WordVectors.ts"

/** Of more rows no dense features are chosen. */
export const embeddedRowsMax = 20_000

export interface DenseFeatures {
  readonly dimensions: number
  /** For each head whether it learns from them. */
  readonly heads: ReadonlyArray<boolean>
  /** Learnt from the texts; null for static embeddings. */
  readonly vectors: WordVectors | null
}
