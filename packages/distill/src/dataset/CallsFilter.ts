/**
 * A filter of captured calls for a version (contract 6, 14.21). Absent members filter nothing, except `servedBy` (every
 * responder but students), `tags` (calls of evaluations need theirs), `outcome` (succeeded calls) and `verifies` (none under `servedBy` or `minFeedback`, which concern
 * the answer that a caller got).
 */
import { Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import * as Schema from "effect/Schema"

export const CallsFilter = Schema.Struct({
  /** Id of a source. */
  source: Schema.optionalKey(Schema.String),
  /** All of them. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** A tag beside `tags`, as the list of calls names its filter. */
  tag: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  /** Id of a deployment: the calls for it, and those that verify its answers. */
  deployment: Schema.optionalKey(Schema.String),
  externalId: Schema.optionalKey(Schema.String),
  servedBy: Schema.optionalKey(ServedBy),
  outcome: Schema.optionalKey(Outcome),
  /** True: only calls that verify a student's answer; false: all others. */
  verifies: Schema.optionalKey(Schema.Boolean),
  /** `traffic` (the default): rows stand for all calls of the traffic; `none`: every row for itself. */
  weights: Schema.optionalKey(Schema.Literals(["traffic", "none"])),
  /** A part of the request or the answer; case is ignored. */
  text: Schema.optionalKey(Schema.String),
  createdAfter: Schema.optionalKey(Schema.Int),
  createdBefore: Schema.optionalKey(Schema.Int),
  /** At least one feedback has this value or more. */
  minFeedback: Schema.optionalKey(Schema.Finite),
  /** These calls, and no others; `servedBy` and `outcome` alone may stand beside them. */
  ids: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The newest so many. */
  limit: Schema.optionalKey(Schema.Int)
})
export type CallsFilter = typeof CallsFilter.Type

/** Of both members. */
export const tagsOf = ({ tag, tags = [] }: Pick<CallsFilter, "tag" | "tags">): ReadonlyArray<string> =>
  tag === undefined ? tags : [...tags, tag]
