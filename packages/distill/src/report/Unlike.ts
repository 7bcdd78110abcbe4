/** The shares of texts that a student sends away as unlike its rows, measured at its training (contract 16.41). */
import * as Schema from "effect/Schema"

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Shares = Schema.Record(Schema.String, Share)

export const Unlike = Schema.Struct({
  /** Rows that were held back. */
  rows: Schema.Int,
  as_they_are: Share,
  /** Of the same rows, by a change that leaves their task and meaning. Such a text should stay. */
  changed: Shares,
  /** Of texts of other tasks and languages, and of bytes. Such a text should be sent away. */
  others: Shares
}).annotate({
  identifier: "Unlike",
  description:
    "The shares sent away as out_of_distribution, measured at the training: of rows held back as they are, of the same rows " +
    "with harmless changes by name, and of other tasks, languages and bytes"
})
export type Unlike = typeof Unlike.Type
