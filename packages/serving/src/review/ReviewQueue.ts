/**
 * A review queue: rows of a version or calls of a deployment whose answers people judge, one after the other. Each verdict is stored with
 * a feedback, in one transaction.
 */
import { Giver } from "@limbeck/capture/feedback/Feedback"
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

const ReviewQueueId = Id.schema("rvq")

/**
 * `suspects`: train rows of a version whose answers look wrong; `holdout`: a random sample of its holdout rows; `unsure`: calls of a
 * deployment: contradicted by a verification first, then by ascending confidence of the student.
 */
export const ReviewOf = Schema.Literals(["suspects", "holdout", "unsure"])
export type ReviewOf = typeof ReviewOf.Type

/** What a person says of an answer; `correction` names the right one. */
export const VerdictKind = Schema.Literals(["right", "wrong", "correction", "skip"])
export type VerdictKind = typeof VerdictKind.Type

const Lease = Schema.Struct({ by: Giver, until: Millis })
export type Lease = typeof Lease.Type

const Verdict = Schema.Struct({
  by: Giver,
  verdict: VerdictKind,
  /** The right answer of a correction, else null. */
  answer: Schema.NullOr(Schema.String),
  /** The id of its feedback; null for a skipped entry. */
  feedback: Schema.NullOr(Schema.String),
  /** Whether this verdict made the guard count the call's difference as agreement. */
  isRecounted: Schema.Boolean,
  givenAt: Millis
})
export type Verdict = typeof Verdict.Type

const Entry = Schema.Struct({
  /** The key of the row, of the suspect or of the call. */
  key: Schema.String,
  /** How many people judge it. */
  people: Schema.Int,
  /** Whether the call was removed since, or has no answer that a person can judge. */
  isGone: Schema.Boolean,
  leases: Schema.Array(Lease),
  verdicts: Schema.Array(Verdict)
})
export type Entry = typeof Entry.Type

export const ReviewQueue = Schema.Struct({
  id: ReviewQueueId,
  of: ReviewOf,
  /** One of both is null. */
  version: Schema.NullOr(Schema.String),
  deployment: Schema.NullOr(Schema.String),
  entries: Schema.Array(Entry),
  createdAt: Millis
})
export type ReviewQueue = typeof ReviewQueue.Type

export const kind = Kind.make({
  name: "review_queue",
  schema: ReviewQueue,
  labels: ({ deployment, version }) => [
    ...(version === null ? [] : [`version:${version}`]),
    ...(deployment === null ? [] : [`deployment:${deployment}`])
  ]
})
