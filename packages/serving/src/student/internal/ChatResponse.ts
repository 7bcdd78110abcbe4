/** A student's text or tool call as a chat completion, whole or as a stream, in the form that the usual clients know. */

import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import type { ChatRequest } from "./ChatRequest.ts"
import type { AnswerLogprobs } from "./LabelLogprobs.ts"
import type { Prediction } from "./Student.ts"

/** What a completion says of itself, beside the prediction. */
export interface Origin {
  /** Of the captured call. */
  readonly call: string
  /** As the client named it. */
  readonly model: string
  readonly deployment: string
  readonly studentModel: string
  /** Milliseconds. */
  readonly now: number
}

/** Of the tool call in an answer. */
export const callIdOf = (call: string): string => `call_${call.slice(call.indexOf("_") + 1)}`

const idOf = (call: string): string => `chatcmpl-${call.slice(call.indexOf("_") + 1)}`

/** An extension of ours: which deployment answered, and how sure its student is. */
export const serviceOf = ({ deployment, studentModel }: Origin, { confidence }: Prediction) => ({
  deployment,
  student_model: studentModel,
  confidence
})

const headOf = (origin: Origin, prediction: Prediction) => ({
  id: idOf(origin.call),
  created: Math.floor(origin.now / 1_000),
  model: origin.model,
  service: serviceOf(origin, prediction)
})

/** All choices hold the same text; each is counted. */
const usageOf = ({ inputTokens, outputTokens }: Prediction, choices: number) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens * choices,
  total_tokens: inputTokens + outputTokens * choices
})

const each = <A>(choices: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: choices }, (_, index) => make(index))

const answerOf = ({ call }: Origin, { text }: Prediction) => {
  const message = ToolAnswers.messageOf(text, callIdOf(call))
  return { message, finish: "tool_calls" in message ? "tool_calls" : "stop" }
}

const encoder = new TextEncoder()

/** `logprobs`: null unless the client asks for them. */
type Writer = (
  origin: Origin,
  prediction: Prediction,
  request: ChatRequest,
  logprobs: AnswerLogprobs | null
) => UpstreamResponse

const whole: Writer = (origin, prediction, { choices }, logprobs) => {
  const { created, id, model, service } = headOf(origin, prediction)
  const { finish, message } = answerOf(origin, prediction)
  const body = encoder.encode(
    JSON.stringify({
      id,
      object: "chat.completion",
      created,
      model,
      choices: each(choices, (index) => ({
        index,
        message: { ...message, refusal: null },
        logprobs,
        finish_reason: finish
      })),
      usage: usageOf(prediction, choices),
      service
    })
  )
  const headers = { "content-type": "application/json", "content-length": String(body.length) }
  return { status: 200, headers, body: Body.whole(body) }
}

const lineOf = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`)

const streamed: Writer = (origin, prediction, { choices, includesUsage }, logprobs) => {
  const { created, id, model, service } = headOf(origin, prediction)
  const { finish, message } = answerOf(origin, prediction)
  const calls = "tool_calls" in message ? message.tool_calls.map((call, index) => ({ index, ...call })) : undefined
  const chunk = (parts: ReadonlyArray<unknown>, usage: unknown = null) =>
    lineOf(
      JSON.stringify({
        id,
        object: "chat.completion.chunk",
        created,
        model,
        choices: parts,
        ...(includesUsage ? { usage } : {}),
        service
      })
    )
  const chunksOf = (delta: object, finish_reason: string | null, logprobs: AnswerLogprobs | null = null) =>
    each(choices, (index) => chunk([{ index, delta, logprobs, finish_reason }]))
  const body = [
    ...chunksOf({ role: "assistant", content: calls === undefined ? "" : null, refusal: null }, null),
    ...chunksOf(calls === undefined ? { content: message.content } : { tool_calls: calls }, null, logprobs),
    ...chunksOf({}, finish),
    ...(includesUsage ? [chunk([], usageOf(prediction, choices))] : []),
    lineOf("[DONE]")
  ]
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" }
  return { status: 200, headers, body: Body.flowing(Flow.prepend(body)) }
}

export const make: Writer = (origin, prediction, request, logprobs) =>
  (request.stream ? streamed : whole)(origin, prediction, request, logprobs)
