/** Words of dense features: features with a value in every row. */
import { DistillLimits } from "@limbeck/distill/Limits"
import type { Standard } from "./Standard.ts"
import type { WordVectors } from "./WordVectors.ts"

/** Of more rows no dense features are chosen. */
export const embeddedRowsMax = DistillLimits.embeddedRowsMax

export interface DenseFeatures {
  readonly dimensions: number
  /** For each head whether it learns from them. */
  readonly heads: ReadonlyArray<boolean>
  /** Learnt from the texts; null for embeddings. */
  readonly vectors: WordVectors | null
  /** Of the embeddings of a source; absent for others. */
  readonly standard?: Standard
}
