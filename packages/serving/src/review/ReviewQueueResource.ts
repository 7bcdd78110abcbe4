/** A review queue as the API shows it, and the turn of a person. */
import type { Giver } from "@limbeck/capture/feedback/Feedback"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { type Millis, toIso } from "@limbeck/core/time/Timestamp"
import { StoredSuspect } from "@limbeck/distill/suspects/SuspectResource"
import * as Schema from "effect/Schema"
import * as ReviewFigures from "./ReviewFigures.ts"
import { ReviewOf, type ReviewQueue, VerdictKind } from "./ReviewQueue.ts"
import type { ReviewTurn } from "./ReviewQueues.ts"
import * as ReviewRules from "./ReviewRules.ts"

export { VerdictKind }

const Person = Schema.Struct({
  kind: Schema.Literals(["person", "token", "operator"]),
  id: Schema.NullOr(Schema.String)
})

export const ReviewQueueResource = Schema.Struct({
  id: idOf("rvq"),
  object: Schema.Literal("review_queue"),
  livemode: Schema.Boolean,
  of: ReviewOf,
  dataset_version: Schema.NullOr(idOf("dsv")),
  deployment: Schema.NullOr(idOf("dep")),
  entries: Count,
  judged: Count.annotate({ description: "Entries with a verdict; skipping is none" }),
  gone: Count.annotate({ description: "Entries without an answer that a person can judge, or whose call was removed" }),
  people: Schema.Array(
    Schema.Struct({
      by: Person,
      verdicts: Count,
      skipped: Count,
      per_minute: Schema.NullOr(Schema.Finite).annotate({
        description: "Verdicts per minute of work; pauses of five minutes and more are left out"
      })
    })
  ),
  agreement: Schema.Struct({
    pairs: Count,
    agreed: Count,
    value: Schema.NullOr(Schema.Finite)
  }).annotate({ description: "Entries that two people judged, and the share on which they say the same" }),
  created_at: Timestamp
}).annotate({ identifier: "ReviewQueue" })

const ReviewEntry = Schema.Struct({
  entry: Schema.Int.annotate({ description: "From 1: names the entry in a verdict" }),
  messages: Schema.Array(Schema.JsonObject).annotate({ description: "The prompt" }),
  answer: Schema.String,
  suggested: Schema.NullOr(Schema.String).annotate({ description: "The most probable other answer to a suspect" }),
  confidence: Schema.NullOr(Schema.Finite).annotate({
    description: "Of the suggested answer, or of the student in its answer to the call"
  }),
  neighbours: StoredSuspect.fields.neighbours,
  labels: Schema.Array(Schema.String).annotate({
    description: "The answers to choose among, likely ones first; empty where the answers are no closed set"
  }),
  call: Schema.NullOr(idOf("call")),
  by_student: Schema.Boolean.annotate({ description: "Whether a student gave the answer" }),
  leased_until: Timestamp
})

export const ReviewTurnResource = Schema.Struct({
  object: Schema.Literal("review_turn"),
  queue: ReviewQueueResource,
  entry: Schema.NullOr(ReviewEntry).annotate({
    description: "Leased to the caller; null when nothing is left to judge"
  }),
  left: Count.annotate({ description: "Entries that the caller may judge now, this one included" }),
  last: Schema.NullOr(Schema.Int).annotate({
    description: "The entry of the caller's last verdict: what an undo names"
  })
}).annotate({ identifier: "ReviewTurn" })

export const render = Rendered.by(ReviewQueueResource, (partition: Partition, queue: ReviewQueue) => {
  const { agreed, gone, judged, pairs, people } = ReviewFigures.of(queue)
  return {
    id: queue.id,
    object: "review_queue",
    livemode: partition.livemode,
    of: queue.of,
    dataset_version: queue.version,
    deployment: queue.deployment,
    entries: queue.entries.length,
    judged,
    gone,
    people: people.map(({ by, perMinute, skipped, verdicts }) => ({ by, verdicts, skipped, per_minute: perMinute })),
    agreement: { pairs, agreed, value: pairs === 0 ? null : agreed / pairs },
    created_at: toIso(queue.createdAt)
  }
})

export const renderTurn = Rendered.by(
  ReviewTurnResource,
  (partition: Partition, by: Giver, now: Millis, { last, next, queue }: ReviewTurn) => ({
    object: "review_turn",
    queue: render(partition, queue),
    entry:
      next === null
        ? null
        : {
            entry: next.entry,
            messages: next.item.prompt,
            answer: next.item.answer,
            suggested: next.item.suggested,
            confidence: next.item.confidence,
            neighbours: next.item.neighbours,
            labels: next.item.labels,
            call: next.item.call?.id ?? null,
            by_student: next.item.call?.isStudents ?? false,
            leased_until: toIso(next.until)
          },
    left: queue.entries.filter((entry) => ReviewRules.isOpenTo(entry, by, now)).length,
    last
  })
)
