/** Running counts of stored calls, by hour and by day. */
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { ServedBy } from "../call/CapturedCall.ts"

/** `hour` and `day` are of UTC. `all` has no end, and counts only the priced calls of deployments that an upstream answered. */
export const TallyWidth = Schema.Literals(["hour", "day", "all"])
export type TallyWidth = typeof TallyWidth.Type

/** The calls of one source, model, responder and deployment whose creation time is in one interval. */
export const CallTally = Schema.Struct({
  /** The start of the interval; 0 for `all`. */
  startsAt: Millis,
  source: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  servedBy: ServedBy,
  deployment: Schema.NullOr(Schema.String),
  calls: Schema.Int,
  /** Calls whose outcome is `failed`. */
  failed: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int,
  pricedCalls: Schema.Int,
  /** Calls of an upstream without a known cost; neither failed calls nor those of a student. */
  unpricedCalls: Schema.Int,
  costMicros: Schema.Int,
  /** What students have paid for embeddings of requests, beside `costMicros`. */
  studentMicros: Schema.Int,
  /** The sum of the squares of the costs. */
  costSquares: Schema.Finite,
  /** The latencies of succeeded calls: how many are in each bucket (`TallyRules.bucketOf`). Empty buckets are absent. */
  latencies: Schema.Record(Schema.String, Schema.Int)
})
export type CallTally = typeof CallTally.Type

/** The tallies of a width that start at `from` or later, and before `until`. */
export interface TallyRange {
  readonly width: TallyWidth
  readonly from: Millis
  readonly until: Millis
}
