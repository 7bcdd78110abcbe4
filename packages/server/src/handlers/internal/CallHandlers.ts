/** The routes of captured calls and feedback (contract 4, 6). */
import { CallsApi } from "@limbeck/api/CallsApi"
import * as CallResource from "@limbeck/capture/call/CallResource"
import { Calls } from "@limbeck/capture/call/Calls"
import { Feedbacks } from "@limbeck/capture/feedback/Feedbacks"
import * as Caller from "@limbeck/core/tokens/Caller"
import * as Effect from "effect/Effect"
import * as JsonAnswer from "../../http/internal/JsonAnswer.ts"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof CallsApi>, never, Calls | Feedbacks> = Effect.gen(function* () {
  const calls = yield* Calls
  const feedbacks = yield* Feedbacks

  return handlersOf(CallsApi)({
    list: ({ caller: { partition }, query }) => {
      const { external_id, model, outcome, served_by, source, tag, text, verifies } = query
      const page = Lists.page(
        {
          partition,
          list: "calls",
          query,
          filters: { external_id, model, outcome, served_by, source, tag, text, verifies }
        },
        (request) =>
          calls.page(
            partition,
            {
              source,
              model,
              outcome,
              externalId: external_id,
              text,
              verifies: verifies === "true",
              ...(tag === undefined ? {} : { tags: [tag] }),
              ...(served_by === undefined ? {} : { servedBy: [served_by] })
            },
            request
          ),
        (items) => items.map((call) => CallResource.render(partition, call))
      )
      return Effect.flatMap(page, JsonAnswer.of)
    },
    get: ({ caller: { partition }, params }) =>
      Effect.flatMap(calls.get(partition, params.call_id), (detail) =>
        JsonAnswer.of(CallResource.renderDetail(partition, detail))
      ),
    delete: ({ caller: { partition }, params: { call_id: id } }) =>
      Effect.as(calls.remove(partition, id), { id, object: "captured_call" as const, deleted: true as const }),
    createFeedback: ({ caller, payload: { call_id, external_id, ...about } }) => {
      const { partition } = caller
      const request = { call: call_id, externalId: external_id, ...about, givenBy: Caller.makerOf(caller) }
      return Effect.map(feedbacks.create(partition, request), (feedback) =>
        CallResource.renderFeedback(partition, feedback)
      )
    },
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
