/** A student's text or tool call in a dialect other than chat completions. */
import type { AnswerEvent } from "@limbeck/capture/dialect/AnswerEvent"
import type { AnswerHead } from "@limbeck/capture/dialect/AnswerWriter"
import type { ConversationEndpoint } from "@limbeck/capture/dialect/CallConversation"
import * as TranslatedAnswer from "@limbeck/capture/dialect/TranslatedAnswer"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import { callIdOf, type Origin, serviceOf } from "./ChatResponse.ts"
import type { Prediction } from "./Student.ts"

const answerOf = (origin: Origin, text: string): ReadonlyArray<AnswerEvent> => {
  const call = ToolAnswers.callOf(text)
  if (call === undefined) {
    return [
      { type: "text", text },
      { type: "finish", reason: "stop" }
    ]
  }
  return [
    { type: "call", index: 0, id: callIdOf(origin.call), name: call.name, kind: "function" },
    { type: "arguments", index: 0, text: JSON.stringify(call.arguments) },
    { type: "finish", reason: "tool_calls" }
  ]
}

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
    ...answerOf(origin, text)
  ])
}
