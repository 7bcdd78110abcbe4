/**
 * The census of a version for the builtin student, over an even sample of the train rows, or over all rows of a small
 * version. The cost of a training depends on the features per row, the number of distinct features, and the frequency
 * of common features. The version stores the counts, so that estimates never change.
 */
import * as Schema from "effect/Schema"

/** `beyond` is counted from the 2^first most frequent features on, at each power of two below 2^(first + places). */
export const curve = { first: 10, places: 8 } as const

export const Census = Schema.Struct({
  rows: Schema.Int,
  /** Characters read: of the requests, and of their context. */
  requestCharacters: Schema.Int,
  contextCharacters: Schema.Int,
  /** Features of each row, summed up over the rows. */
  features: Schema.Int,
  /** Distinct features; features in a single row; features in every row. A training learns neither of the last two. */
  different: Schema.Int,
  single: Schema.Int,
  everywhere: Schema.Int,
  /** Occurrences of learnt features outside of the 1,024 most frequent, the 2,048 most frequent, and so on. */
  beyond: Schema.Array(Schema.Int),
  /** Rows with a request too long to be read whole. Absent in older versions. */
  cut: Schema.optionalKey(Schema.Int),
  /** Different completions that can be labels. */
  labels: Schema.Int
})
export type Census = typeof Census.Type
