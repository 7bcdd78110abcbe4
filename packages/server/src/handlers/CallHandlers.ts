/** The routes of captured calls and of feedback (contract 4, 6). */
import * as CallResource from "@limbeck/gateway/capture/CallResource"
import { Calls } from "@limbeck/gateway/capture/Calls"
import { Feedbacks } from "@limbeck/gateway/capture/Feedbacks"
import * as Effect from "effect/Effect"
import * as Lists from "../http/Lists.ts"
import { type Handlers, handlersOf } from "../http/Routes.ts"

export const make: Effect.Effect<Handlers<"calls">, never, Calls | Feedbacks> = Effect.gen(function* () {
  const calls = yield* Calls
  const feedbacks = yield* Feedbacks

  return handlersOf("calls")({
    list: ({ caller: { partition }, query }) => {
      const { external_id, model, outcome, served_by, source, tag } = query
      return Lists.page(
        { partition, list: "calls", query, filters: { external_id, model, outcome, served_by, source, tag } },
        (request) =>
          calls.page(
            partition,
            {
              source,
              model,
              outcome,
              externalId: external_id,
              ...(tag === undefined ? {} : { tags: [tag] }),
              ...(served_by === undefined ? {} : { servedBy: [served_by] })
            },
            request
          ),
        (items) => items.map((call) => CallResource.render(partition, call))
      )
    },
    get: ({ caller: { partition }, params }) =>
      Effect.map(calls.get(partition, params.call_id), (detail) => CallResource.renderDetail(partition, detail)),
    delete: ({ caller: { partition }, params: { call_id: id } }) =>
      Effect.as(calls.remove(partition, id), { id, object: "captured_call" as const, deleted: true as const }),
    createFeedback: ({ caller: { partition }, payload: { call_id, comment, external_id, name, value } }) =>
      Effect.map(
        feedbacks.create(partition, { call: call_id, externalId: external_id, name, value, comment }),
        (feedback) => CallResource.renderFeedback(partition, feedback)
      ),
    listFeedback: ({ caller: { partition }, query }) => {
      const { call_id, external_id, name } = query
      return Lists.page(
        { partition, list: "feedback", query, filters: { call_id, external_id, name } },
        (request) => feedbacks.page(partition, { call: call_id, externalId: external_id, name }, request),
        (items) => items.map((feedback) => CallResource.renderFeedback(partition, feedback))
      )
    }
  })
})
