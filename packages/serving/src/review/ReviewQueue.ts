/**
 * A review queue: people judge answers in version rows or deployment calls, entry by entry. A transaction stores each verdict with its
 * feedback.
 */
import { Giver } from "@limbeck/capture/feedback/Feedback"
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const ReviewQueueId = Id.schema("rvq")

/**
 * `suspects`: train rows with suspicious answers; `holdout`: a random sample from the holdout; `unsure`: deployment calls, contradicted
 * answers first, then by ascending student confidence.
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
  /** SHA-256 of a correction's right answer, else null. Only the feedback has the text. */
  answerDigest: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The id of its feedback; null for a skipped entry. */
  feedback: Schema.NullOr(Schema.String),
  /** Whether this verdict made the guard count the call's difference as agreement. */
  isRecounted: Schema.Boolean,
  givenAt: Millis
})
export type Verdict = typeof Verdict.Type

const Entry = Schema.Struct({
  /** Key of the row, suspect or call. */
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
