/** A filter of captured calls for a version (contract 6, 14.21). Absent members filter nothing. */
import * as Schema from "effect/Schema"

export const CallsFilter = Schema.Struct({
  /** Id of a source. */
  source: Schema.optionalKey(Schema.String),
  /** All of them. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  model: Schema.optionalKey(Schema.String),
  createdAfter: Schema.optionalKey(Schema.Int),
  createdBefore: Schema.optionalKey(Schema.Int),
  /** At least one feedback has this value or more. */
  minFeedback: Schema.optionalKey(Schema.Finite),
  /** The newest so many. */
  limit: Schema.optionalKey(Schema.Int)
})
export type CallsFilter = typeof CallsFilter.Type
