/** What an evaluation found of hosted models beside its student, and which way to answer is the cheapest (contract 16.14). */
import * as Schema from "effect/Schema"

const Bounds = Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })

export const CandidateResult = Schema.Struct({
  source: Schema.String,
  model: Schema.String,
  /** With the rows' completions, with a 95 % interval; null in a rehearsal. Rows that failed do not agree. */
  agreement: Schema.NullOr(Bounds),
  /** Means of the answered rows. */
  rewards: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      kind: Schema.String,
      score: Schema.NullOr(Schema.Finite)
    })
  ),
  /** In a rehearsal the estimate; null without a price. */
  cost_per_1000_calls_usd: Schema.NullOr(Schema.Finite),
  /** Of the answered rows; null without any. */
  latency_ms: Schema.NullOr(Schema.Struct({ p50: Schema.Finite, p95: Schema.Finite })),
  answered: Schema.Int,
  failed: Schema.Int
})
export type CandidateResult = typeof CandidateResult.Type

export const CheapestAlternative = Schema.Struct({
  kind: Schema.Literals(["student", "cascade", "candidate", "teacher"]),
  /** `source/model` of a candidate. */
  name: Schema.String,
  cost_per_1000_calls_usd: Schema.Finite,
  /** The teacher's agreement with itself, or 1, minus the lower bound of this agreement: a share. */
  within_points: Schema.Finite,
  /** Names of those that are good enough and cost at most 1 % more. */
  tied_with: Schema.Array(Schema.String)
})
export type CheapestAlternative = typeof CheapestAlternative.Type

export const Race = Schema.Struct({
  candidates: Schema.Array(CandidateResult),
  cheapest: Schema.NullOr(CheapestAlternative)
})
export type Race = typeof Race.Type
