/** A student's text in a dialect other than chat completions. */
import type { AnswerHead } from "@limbeck/capture/dialect/AnswerWriter"
import type { ConversationEndpoint } from "@limbeck/capture/dialect/CallConversation"
import * as TranslatedAnswer from "@limbeck/capture/dialect/TranslatedAnswer"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { type Origin, serviceOf } from "./ChatResponse.ts"
import type { Prediction } from "./Student.ts"

export const make = (
  endpoint: ConversationEndpoint,
  head: AnswerHead,
  origin: Origin,
  prediction: Prediction
): UpstreamResponse => {
  const { inputTokens, outputTokens, text } = prediction
  const usage = { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  return TranslatedAnswer.ofEvents(endpoint, { ...head, service: serviceOf(origin, prediction) }, [
    // First: a stream of messages begins with the input tokens.
    { type: "usage", usage },
    { type: "text", text },
    { type: "finish", reason: "stop" }
  ])
}
