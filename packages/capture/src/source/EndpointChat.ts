/** Requests one message from any chat completions server, for evaluations. */
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fetchWhole, jsonOf, type WholeAnswer } from "../upstream/internal/WholeAnswer.ts"
import type { Upstream } from "../upstream/Upstream.ts"
import * as AnswerConfidence from "./AnswerConfidence.ts"
import * as Completion from "./Completion.ts"

/** Where requests go. */
export interface EndpointPlace {
  readonly livemode: boolean
  /** Whether this server started the program at that address. */
  readonly toOwnProgram?: boolean
  /** With `/v1`. */
  readonly baseUrl: string
  /** What lets the request in. */
  readonly credentials: Readonly<Record<string, string>>
}

export interface EndpointQuestion {
  readonly model: string
  readonly messages: ReadonlyArray<Schema.JsonObject>
  readonly maxTokens: number
  /** Of the whole exchange. */
  readonly timeoutMillis: number
}

export interface EndpointReply {
  /** Of the first choice, as it came. */
  readonly message: Schema.JsonObject
  /** Null where the server tells none. */
  readonly confidence: AnswerConfidence.AnswerConfidence | null
  /** Null where the server does not count. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

/**
 * No message came. `transient`: it may come later; `request`: this very request is refused; `endpoint`: any would be.
 * `message` is for a person, and tells no address.
 */
export class EndpointFailure extends Schema.TaggedError<EndpointFailure>()("EndpointFailure", {
  reason: Schema.Literals(["transient", "request", "endpoint"]),
  message: Schema.String
}) {}

/** Which members a body has: some models refuse some of them. */
interface BodyForm {
  readonly tokens: "max_tokens" | "max_completion_tokens"
  readonly hasTemperature: boolean
  readonly hasLogprobs: boolean
}

const fullForm: BodyForm = { tokens: "max_tokens", hasTemperature: true, hasLogprobs: true }

const bodyOf = (
  { hasLogprobs, hasTemperature, tokens }: BodyForm,
  { maxTokens, messages, model }: EndpointQuestion
): Schema.JsonObject => ({
  model,
  messages,
  [tokens]: maxTokens,
  ...(hasTemperature ? { temperature: 0 } : {}),
  ...(hasLogprobs ? { logprobs: true } : {})
})

/** The form to send after a refusal that names a member; undefined where no other form helps. */
const nextForm = (form: BodyForm, { status, text }: WholeAnswer): BodyForm | undefined => {
  if (status !== 400 && status !== 422) return undefined
  if (form.hasLogprobs && text.includes("logprobs")) return { ...form, hasLogprobs: false }
  if (status !== 400 || !/max_completion_tokens|max_tokens|temperature/.test(text)) return undefined
  if (form.tokens === "max_tokens") return { ...form, tokens: "max_completion_tokens" }
  return form.hasTemperature ? { ...form, hasTemperature: false } : undefined
}

/** The fault by status: the request, the endpoint, or a passing condition. */
const reasonOf = (status: number): EndpointFailure["reason"] => {
  if (status === 400 || status === 413 || status === 422) return "request"
  return status === 408 || status === 429 || status >= 500 ? "transient" : "endpoint"
}

const messageIn = (answer: unknown): Schema.JsonObject | undefined => {
  const choices: unknown = Object(answer).choices
  const message: unknown = Array.isArray(choices) ? Object(choices[0]).message : undefined
  // It was parsed from JSON.
  return isObject(message as Schema.Json) ? (message as Schema.JsonObject) : undefined
}

const read = (whole: WholeAnswer) => {
  const answer = jsonOf(whole)
  const message = messageIn(answer)
  const completion = Completion.read(answer)
  if (message === undefined || completion === undefined) {
    return Effect.fail(new EndpointFailure({ reason: "transient", message: "answered no chat completion" }))
  }
  const { completionTokens = null, promptTokens = null } = completion.usage
  const reply: EndpointReply = { message, confidence: AnswerConfidence.of([answer]), promptTokens, completionTokens }
  return Effect.succeed(reply)
}

const exchange = (
  upstream: Upstream["Service"],
  { baseUrl, credentials, livemode, toOwnProgram }: EndpointPlace,
  body: Schema.JsonObject,
  timeoutMillis: number
) =>
  fetchWhole(upstream, {
    livemode,
    toOwnProgram,
    method: "POST",
    url: `${baseUrl}/chat/completions`,
    headers: { "content-type": "application/json", accept: "application/json", ...credentials },
    body: new TextEncoder().encode(JSON.stringify(body)),
    timeoutMillis
  }).pipe(
    Effect.mapError(({ reason }) => {
      const isForGood = reason === "blocked_address" || reason === "answer_too_large"
      const kind = isForGood ? (reason === "blocked_address" ? "endpoint" : "request") : "transient"
      return new EndpointFailure({ reason: kind, message: `did not answer: ${reason}` })
    })
  )

/**
 * Asks one model, with the probabilities of its tokens. The first question may take up to four exchanges, where the server
 * names a member that it does not take; later ones begin with the body that was taken. Nothing else is sent twice.
 */
export const make = (upstream: Upstream["Service"]) => {
  /** What the model is known to take. */
  let known = fullForm

  return Effect.fnUntraced(function* (place: EndpointPlace, question: EndpointQuestion) {
    let form = known
    const send = () => exchange(upstream, place, bodyOf(form, question), question.timeoutMillis)
    let answer = yield* send()
    for (let next = nextForm(form, answer); next !== undefined; next = nextForm(form, answer)) {
      form = next
      answer = yield* send()
    }
    const { status } = answer
    if (status !== 200) return yield* new EndpointFailure({ reason: reasonOf(status), message: `answered ${status}` })
    known = form
    return yield* read(answer)
  })
}
