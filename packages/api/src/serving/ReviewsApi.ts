/** Review queues: people judge answers one after the other, and each verdict is feedback. */
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import { ServingLimits } from "@limbeck/serving/Limits"
import {
  ReviewQueueResource as ReviewQueue,
  ReviewTurnResource as ReviewTurn,
  VerdictKind
} from "@limbeck/serving/review/ReviewQueueResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { asCreated, idOf, listOf, listQuery, NoFields, Reference, referenceTo } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { ReviewQueue, ReviewTurn }

const isOneSubject = ({
  dataset_version,
  deployment
}: {
  readonly dataset_version?: string
  readonly deployment?: string
}) => (dataset_version === undefined) !== (deployment === undefined)

/** JSON Schema of a request that has these texts; null counts as absent. */
const named = (...members: ReadonlyArray<string>) => ({
  required: members,
  properties: Object.fromEntries(members.map((member) => [member, { type: "string" }]))
})

const withoutAnswer = VerdictKind.literals.filter((verdict) => verdict !== "correction")

/** A member that means nothing in this request, and is refused rather than ignored. */
const misplaced = (member: string, issue: string) => ({ path: [member], issue })

export const ReviewQueueCreate = Schema.Struct({
  dataset_version: Schema.optionalKey(referenceTo("dsv")),
  deployment: Schema.optionalKey(referenceTo("dep")),
  of: Schema.optionalKey(
    Schema.Literals(["suspects", "holdout"]).annotate({
      default: "suspects",
      description:
        "Of a version: the rows whose answers look wrong, or a random sample of the holdout, by which reports speak of reviewers"
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ServingLimits.reviewEntriesMax })).annotate({
      default: ServingLimits.reviewEntriesDefault
    })
  ),
  shared: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
      default: ServingLimits.reviewSharedDefault,
      description: "The share of the entries that two people judge, so that their agreement is known"
    })
  )
})
  .check(
    Schema.makeFilter(
      (request) => {
        if (!isOneSubject(request)) return "Name a dataset version or a deployment"
        if (request.deployment === undefined || request.of === undefined) return true
        return misplaced("of", "Only a dataset version's queue has this choice")
      },
      {
        toJsonSchema: () => ({ oneOf: [named("dataset_version"), named("deployment")], not: named("deployment", "of") })
      }
    )
  )
  .annotate({
    identifier: "ReviewQueueCreate",
    examples: [{ dataset_version: "dsv_01kaf3tn0e5v2b8w6xq4rj7mcd" }]
  })

const entry = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const ReviewVerdict = Schema.Struct({
  entry,
  verdict: VerdictKind,
  answer: Schema.optionalKey(
    Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.commentMax)).annotate({
      description: "Of a `correction`: the right answer, one of the entry's labels where it has any"
    })
  )
})
  .check(
    Schema.makeFilter(
      ({ answer, verdict }) =>
        answer === undefined || verdict === "correction" || misplaced("answer", "Only a correction has an answer"),
      {
        toJsonSchema: () => ({
          not: {
            required: ["answer"],
            properties: { answer: { type: "string" }, verdict: { enum: withoutAnswer } }
          }
        })
      }
    )
  )
  .annotate({
    identifier: "ReviewVerdict",
    examples: [{ entry: 1, verdict: "correction", answer: "refund" }]
  })

export const ReviewUndo = Schema.Struct({ entry }).annotate({ identifier: "ReviewUndo" })

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", idempotency: "supported", workflowStage } as const
const params = { review_queue_id: idOf("rvq") }
const path = "/v1/distill/review_queues"

export class ReviewsApi extends HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.post("create", path, {
      payload: ReviewQueueCreate,
      success: asCreated(ReviewQueue),
      error: writeErrors
    }).annotateMerge(
      operation(
        "createReviewQueue",
        "Queue rows of a version, or a deployment's least confident calls, for human review",
        write
      )
    )
  )
  .add(
    HttpApiEndpoint.get("list", path, {
      query: {
        ...listQuery,
        dataset_version: Schema.optionalKey(Reference),
        deployment: Schema.optionalKey(Reference)
      },
      success: listOf(ReviewQueue),
      error: readErrors
    }).annotateMerge(operation("listReviewQueues", "Review queues, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", `${path}/:review_queue_id`, {
      params,
      success: ReviewQueue,
      error: readErrors
    }).annotateMerge(
      operation("getReviewQueue", "One review queue, with the pace of its people and their agreement", read)
    )
  )
  .add(
    HttpApiEndpoint.post("next", `${path}/:review_queue_id/next`, {
      params,
      payload: NoFields,
      success: ReviewTurn,
      error: writeErrors
    }).annotateMerge(
      operation(
        "leaseReviewEntry",
        "The next entry, leased to the caller for five minutes, or the one that the caller holds",
        {
          ...write,
          bodyOptional: true
        }
      )
    )
  )
  .add(
    HttpApiEndpoint.post("judge", `${path}/:review_queue_id/verdicts`, {
      params,
      payload: ReviewVerdict,
      success: ReviewTurn,
      error: writeErrors
    }).annotateMerge(
      operation(
        "giveReviewVerdict",
        "Judge an entry; the same verdict again counts once, and the next entry comes back",
        write
      )
    )
  )
  .add(
    HttpApiEndpoint.post("undo", `${path}/:review_queue_id/undo`, {
      params,
      payload: ReviewUndo,
      success: ReviewTurn,
      error: writeErrors
    }).annotateMerge(
      operation("undoReviewVerdict", "Take back the caller's verdict on an entry, and its feedback", write)
    )
  )
  .annotateMerge(about("Queues in which people judge answers.")) {}
