/** A student's text as a chat completion, whole or as a stream, in the form that the usual clients know. */
import * as Stream from "effect/Stream"
import type { StudentAnswer } from "../deployment/Students.ts"
import type { UpstreamAnswer } from "../upstream/Upstream.ts"
import type { ChatRequest } from "./ChatRequest.ts"

/** What an answer says of itself, beside what the student says. */
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

type Answered = Pick<StudentAnswer, "confidence" | "inputTokens" | "outputTokens" | "text">

const idOf = (call: string): string => `chatcmpl-${call.slice(call.indexOf("_") + 1)}`

const headOf = ({ call, deployment, model, now, studentModel }: Origin, { confidence }: Answered) => ({
  id: idOf(call),
  created: Math.floor(now / 1_000),
  model,
  /** Ours: who answered, and how sure it is. */
  service: { deployment, student_model: studentModel, confidence }
})

/** The choices say the same, and cost what they hold. */
const usageOf = ({ inputTokens, outputTokens }: Answered, choices: number) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens * choices,
  total_tokens: inputTokens + outputTokens * choices
})

const each = <A>(choices: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: choices }, (_, index) => make(index))

const encoder = new TextEncoder()

const whole = (origin: Origin, answer: Answered, { choices }: ChatRequest): UpstreamAnswer => {
  const { created, id, model, service } = headOf(origin, answer)
  const message = { role: "assistant", content: answer.text, refusal: null }
  const body = encoder.encode(
    JSON.stringify({
      id,
      object: "chat.completion",
      created,
      model,
      choices: each(choices, (index) => ({ index, message, logprobs: null, finish_reason: "stop" })),
      usage: usageOf(answer, choices),
      service
    })
  )
  const headers = { "content-type": "application/json", "content-length": String(body.length) }
  return { status: 200, headers, body: Stream.succeed(body), whole: body }
}

const lineOf = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`)

const streamed = (origin: Origin, answer: Answered, { choices, includesUsage }: ChatRequest): UpstreamAnswer => {
  const { created, id, model, service } = headOf(origin, answer)
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
  const said = (delta: object, finish_reason: string | null) =>
    each(choices, (index) => chunk([{ index, delta, logprobs: null, finish_reason }]))
  const body = [
    ...said({ role: "assistant", content: "", refusal: null }, null),
    ...said({ content: answer.text }, null),
    ...said({}, "stop"),
    ...(includesUsage ? [chunk([], usageOf(answer, choices))] : []),
    lineOf("[DONE]")
  ]
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
  return { status: 200, headers, body: Stream.fromArray(body) }
}

export const make = (origin: Origin, answer: Answered, request: ChatRequest): UpstreamAnswer =>
  (request.stream ? streamed : whole)(origin, answer, request)
