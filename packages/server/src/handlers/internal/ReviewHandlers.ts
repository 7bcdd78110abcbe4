/** The routes of review queues. */
import { type ReviewQueueCreate, ReviewsApi } from "@limbeck/api/ReviewsApi"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Caller from "@limbeck/core/tokens/Caller"
import * as ReviewQueueResource from "@limbeck/serving/review/ReviewQueueResource"
import { type NewReviewQueue, ReviewQueues, type ReviewTurn } from "@limbeck/serving/review/ReviewQueues"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

/** The contract admits one of both. */
const requestOf = ({
  dataset_version = "",
  deployment,
  of = "suspects",
  ...options
}: typeof ReviewQueueCreate.Type): NewReviewQueue =>
  deployment === undefined ? { version: dataset_version, of, ...options } : { deployment, of: "unsure", ...options }

const shown = (partition: Partition, caller: Caller.Caller) => (turn: ReviewTurn) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    ReviewQueueResource.renderTurn(partition, Caller.makerOf(caller), now, turn)
  )

export const make = Effect.map(ReviewQueues, (queues) =>
  handlersOf(ReviewsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(queues.create(partition, requestOf(payload)), (queue) => ReviewQueueResource.render(partition, queue)),
    list: ({ caller: { partition }, query }) => {
      const { dataset_version, deployment } = query
      return Lists.page(
        { partition, list: "review_queues", query, filters: { dataset_version, deployment } },
        (request) => queues.page(partition, { version: dataset_version, deployment }, request),
        (items) => items.map((queue) => ReviewQueueResource.render(partition, queue))
      )
    },
    get: ({ caller: { partition }, params }) =>
      Effect.map(queues.get(partition, params.review_queue_id), (queue) =>
        ReviewQueueResource.render(partition, queue)
      ),
    next: ({ caller, params }) =>
      Effect.flatMap(
        queues.next(caller.partition, params.review_queue_id, Caller.makerOf(caller)),
        shown(caller.partition, caller)
      ),
    judge: ({ caller, params, payload }) =>
      Effect.flatMap(
        queues.judge(caller.partition, params.review_queue_id, Caller.makerOf(caller), payload),
        shown(caller.partition, caller)
      ),
    undo: ({ caller, params, payload }) =>
      Effect.flatMap(
        queues.undo(caller.partition, params.review_queue_id, Caller.makerOf(caller), payload.entry),
        shown(caller.partition, caller)
      )
  })
)
