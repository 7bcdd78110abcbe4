/**
 * What rows are like to the builtin student, counted over an even sample of a version's train rows, or over all of them
 * where they are few: what its trainings take depends on how many features a row has, how many of them are different,
 * and how often the frequent ones come. Counts are stored with the version, so that estimates are the same whenever they
 * are made.
 */
import * as Schema from "effect/Schema"

/** `beyond` is counted from the 2^first most frequent features on, at each power of two below 2^(first + places). */
export const curve = { first: 10, places: 8 } as const

export const Census = Schema.Struct({
  rows: Schema.Int,
  /** Characters that are read: of the requests, and of what surrounds them. */
  requestCharacters: Schema.Int,
  contextCharacters: Schema.Int,
  /** Features of each row, summed up over the rows. */
  features: Schema.Int,
  /** How many of them are different; met in one row only; met in every row: neither of the last two is learnt. */
  different: Schema.Int,
  single: Schema.Int,
  everywhere: Schema.Int,
  /** Of the features that are learnt, those that are not among the 1,024 most frequent, the 2,048 most frequent, and so on. */
  beyond: Schema.Array(Schema.Int),
  /** Rows whose request is too long to be read whole. Absent in versions from before it was counted. */
  cut: Schema.optionalKey(Schema.Int),
  /** Different completions that can be labels. */
  labels: Schema.Int
})
export type Census = typeof Census.Type
