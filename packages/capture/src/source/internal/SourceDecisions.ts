/** Requests decisions from a model of a source, in the form of the question whatever the source's path for it. */
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import type { CallEndpoint } from "../../call/CapturedCall.ts"
import * as DialectRules from "../../dialect/DialectRules.ts"
import { isSuccess } from "../../upstream/Upstream.ts"
import type { DecisionQuestion, DecisionReply, SourceChatFailure, SourceModel } from "../SourceQuestion.ts"
import * as SourceExchange from "./SourceExchange.ts"

const { makeFailure } = SourceExchange

const endpointOf = ({ dialect }: DecisionQuestion): CallEndpoint => (dialect === "openai" ? "decisions" : "systemone")

export const make = (
  exchange: SourceExchange.Exchange,
  asked: SourceExchange.AskedModel
): SourceModel<DecisionQuestion, DecisionReply> => {
  const { model, source } = asked
  const bodyOf = ({ request }: DecisionQuestion) => SourceExchange.bytesOf({ ...request, model })

  const ask = Effect.fnUntraced(function* (question: DecisionQuestion) {
    const endpoint = endpointOf(question)
    if (!DialectRules.hasEndpoint(source.dialect, endpoint)) {
      return yield* makeFailure(DialectRules.refusal(source.name, source.dialect, endpoint))
    }
    const body = bodyOf(question)
    const target = DialectRules.targetOf(source.dialect, endpoint, "")
    const response = yield* exchange(asked, { endpoint, target, body }, question)
    const bytes = yield* SourceExchange.wholeOf(response)
    if (!isSuccess(response.status)) return yield* SourceExchange.refusalOf(response)
    const answer = SourceExchange.parseJson(bytes)
    if (!isObject(answer)) return yield* makeFailure("answered no decisions", { isTransient: true, mayHaveCost: true })
    const reply: DecisionReply = {
      response: answer,
      ...(yield* SourceExchange.costOf(asked, endpoint, body, bytes, 0))
    }
    return reply
  })

  return {
    estimate: (tokens) => SourceExchange.estimate(asked, "decisions", tokens),
    costMax: (question): Effect.Effect<number | null, SourceChatFailure> =>
      SourceExchange.boundOf(asked, endpointOf(question), bodyOf(question)),
    ask: (question) => SourceExchange.withTimeout(question, ask(question))
  }
}
