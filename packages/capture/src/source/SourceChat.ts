/**
 * Requests one chat completion from a source in the source's own dialect, for an evaluation: captured and charged as any call, and
 * with the most that it can cost known before.
 */
import type { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { TokenUses } from "@limbeck/billing/limits/TokenUses"
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import { isObject } from "@limbeck/core/json/Json"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Decoder } from "../call/Decoder.ts"
import * as UsageRules from "../call/UsageRules.ts"
import * as DialectRules from "../dialect/DialectRules.ts"
import * as TranslatedAnswer from "../dialect/TranslatedAnswer.ts"
import * as Translation from "../dialect/Translation.ts"
import type { Recorder } from "../journal/Recorder.ts"
import { CaptureLimits } from "../Limits.ts"
import * as PriceList from "../price/PriceList.ts"
import * as PriceRules from "../price/PriceRules.ts"
import * as Answer from "../tape/Answer.ts"
import * as Capture from "../tape/Capture.ts"
import { isSuccess, type UpstreamResponse } from "../upstream/Upstream.ts"
import * as CallEstimate from "./CallEstimate.ts"
import * as FailedAttempts from "./FailedAttempts.ts"
import { type CallError, Forward } from "./Forward.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import * as RequestRules from "./RequestRules.ts"
import type { Source } from "./Source.ts"
import { Sources } from "./Sources.ts"

export interface ChatQuestion {
  readonly messages: ReadonlyArray<Schema.JsonObject>
  /** As in a row; undefined: none. */
  readonly tools?: Schema.Json | undefined
  readonly maxTokens: number
  /** Of the captured call. */
  readonly tags: ReadonlyArray<string>
  /** Whether the source's settings decide on the capture, the default; else only a charged call is captured. */
  readonly isCaptured?: boolean
  /** Absent: the model's own. */
  readonly temperature?: number
  /** Of the whole exchange. */
  readonly timeoutMillis: number
}

export interface SourceReply {
  /** Of the first choice, in the form of chat completions. */
  readonly message: Schema.JsonObject
  /** Input and output; an estimate of four bytes per token where the source counts none. */
  readonly tokens: number
  /** Null without a price. What was at most possible, where the source counts no tokens. */
  readonly costMicros: number | null
}

/**
 * No message came. `isTransient`: it may come later. `mayHaveCost`: the source may charge for the call, because it began to answer or
 * did not answer in time. `message` is for a person.
 */
export class SourceChatFailure extends Schema.TaggedError<SourceChatFailure>()("SourceChatFailure", {
  isTransient: Schema.Boolean,
  mayHaveCost: Schema.Boolean,
  message: Schema.String
}) {}

/** A model of a source, ready to be asked. */
export interface SourceModelChat {
  /** Cost of a call of so many tokens, in micro-dollars; null without a price. */
  readonly estimate: (tokens: { readonly prompt: number; readonly completion: number }) => number | null
  /** The most that the call can cost, in micro-dollars; null without a price. */
  readonly costMax: (question: ChatQuestion) => Effect.Effect<number | null, SourceChatFailure>
  readonly ask: (question: ChatQuestion) => Effect.Effect<SourceReply, SourceChatFailure>
}

export class SourceChat extends Context.Service<
  SourceChat,
  {
    /** None: there is no such source, by name or id. */
    readonly open: (
      partition: Partition,
      source: string,
      model: string
    ) => Effect.Effect<Option.Option<SourceModelChat>, StorageError>
  }
>()("@limbeck/capture/source/SourceChat") {}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const failed = (message: string, { isTransient = false, mayHaveCost = false } = {}) =>
  new SourceChatFailure({ isTransient, mayHaveCost, message })

/** Which members a body has: some models refuse some of them. */
interface BodyForm {
  readonly tokens: "max_tokens" | "max_completion_tokens"
  readonly hasTemperature: boolean
}

const fullForm: BodyForm = { tokens: "max_tokens", hasTemperature: true }

/** The form to send after a refusal that names a member; undefined where no other form helps. */
const nextForm = (form: BodyForm, status: number, text: string): BodyForm | undefined => {
  if (status !== 400 && status !== 422) return undefined
  if (form.tokens === "max_tokens" && text.includes("max_completion_tokens")) {
    return { ...form, tokens: "max_completion_tokens" }
  }
  return form.hasTemperature && text.includes("temperature") ? { ...form, hasTemperature: false } : undefined
}

const endpointOf = ({ dialect }: Source): Translation.UpstreamEndpoint | undefined =>
  (["chat.completions", "messages"] as const).find((endpoint) => DialectRules.hasEndpoint(dialect, endpoint))

const chatOf = (
  model: string,
  { maxTokens, messages, temperature, tools }: ChatQuestion,
  { hasTemperature, tokens }: BodyForm
): Schema.JsonObject => ({
  model,
  messages,
  ...(tools === undefined ? {} : { tools }),
  [tokens]: maxTokens,
  ...(hasTemperature && temperature !== undefined ? { temperature } : {})
})

const bodyOf = (to: Translation.UpstreamEndpoint, model: string, chat: Schema.JsonObject) =>
  Effect.mapError(Effect.fromResult(Translation.requestTo(to, "chat.completions", chat)), ({ message }) =>
    failed(`cannot be asked: ${message}`)
  ).pipe(Effect.map((members) => encoder.encode(JSON.stringify({ ...members, model }))))

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageIn = (answer: unknown): Schema.JsonObject | undefined => {
  const choices: unknown = Object(answer).choices
  const message: unknown = Array.isArray(choices) ? Object(choices[0]).message : undefined
  // It was parsed from JSON.
  return isObject(message as Schema.Json) ? (message as Schema.JsonObject) : undefined
}

const failureOf = (error: CallError): SourceChatFailure => {
  const attempt = FailedAttempts.failedAttempt(error)
  const outcome = { isTransient: attempt !== undefined, mayHaveCost: attempt?.error === "timeout" }
  return failed(`did not answer: ${error.message}`, outcome)
}

const bytesPerToken = 4

const responder = (source: Source, model: string): Answer.Responder => ({
  servedBy: "upstream",
  deployment: null,
  source,
  sourceModel: model,
  fallbackReason: null,
  confidence: null
})

/** Nobody is told of a failure; the record says what a client would have been. */
const failedStatus = 502

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one exchange, each short
const make = Effect.gen(function* () {
  const sources = yield* Sources
  const forward = yield* Forward
  const catalog = yield* ModelCatalog
  const list = yield* PriceList.PriceList
  const ids = yield* Ids
  const capture = yield* Capture.make

  const pricedOf = Effect.fnUntraced(function* (partition: Partition, source: Source, model: string) {
    const known = PriceList.of(list.current(), source, model)
    if (source.kind !== "managed") return known
    const models = yield* Effect.orElseSucceed(catalog.modelsOf(partition, source), () => [])
    return models.find(({ id }) => id === model) ?? known
  })

  const exchange = Effect.fnUntraced(function* (
    partition: Partition,
    source: Source,
    model: string,
    endpoint: Translation.UpstreamEndpoint,
    body: Uint8Array,
    { isCaptured = true, tags }: Pick<ChatQuestion, "isCaptured" | "tags">
  ) {
    const id = yield* ids.make("call")
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity"
    }
    const sent = { target: Translation.targetOf[endpoint], method: "POST" as const, headers, body, model }
    const isRecorded = isCaptured ? capture.keeps(partition, source, id) : capture.charges(partition, source)
    if (!isRecorded) return yield* forward.send(partition, source, sent)
    const attempt = Answer.attempt(
      responder(source, model),
      forward.send(partition, source, { ...sent, call: id, endpoint })
    )
    const labels = { tags, externalId: null, isCaptured, asksStream: false }
    return yield* capture.around(
      { partition, id, endpoint, model, request: body, statusOf: () => failedStatus, ...labels },
      attempt
    )
  })

  const wholeOf = (response: UpstreamResponse) =>
    Bytes.whole(
      Stream.mapError(Body.toStream(response.body), ({ reason }) =>
        failed(`broke off: ${reason}`, { isTransient: true, mayHaveCost: true })
      ),
      CaptureLimits.answerBytesMax,
      () => failed("has too large an answer", { mayHaveCost: true })
    )

  const chatAnswer = Effect.fnUntraced(function* (
    endpoint: Translation.UpstreamEndpoint,
    model: string,
    response: UpstreamResponse,
    bytes: Uint8Array
  ) {
    const whole = { ...response, body: Body.whole(bytes) }
    if (endpoint === "chat.completions") return parsed(decoder.decode(bytes))
    const head = { id: "answer", model, createdAt: yield* Clock.currentTimeMillis, request: {} }
    const translated = yield* Effect.mapError(
      TranslatedAnswer.translated("chat.completions", endpoint, head, whole),
      ({ reason }) => failed(`answered what cannot be read: ${reason}`, { mayHaveCost: true })
    )
    return parsed(decoder.decode(yield* wholeOf(translated)))
  })

  const open: SourceChat["Service"]["open"] = Effect.fnUntraced(function* (partition, nameOrId, model) {
    const found = Option.getOrUndefined(yield* sources.resolve(partition, nameOrId))
    if (found === undefined) return Option.none()
    const source = found
    const endpoint = endpointOf(source)
    const priced = yield* pricedOf(partition, source, model)
    const { prices } = priced
    const isPriced = CallEstimate.isPriced(priced, "chat.completions")
    /** What the model is known to take. */
    let form = fullForm

    const body = (question: ChatQuestion) =>
      endpoint === undefined
        ? Effect.fail(failed(DialectRules.refusal(source.name, source.dialect, "chat.completions")))
        : Effect.map(bodyOf(endpoint, model, chatOf(model, question, form)), (bytes) => ({ endpoint, bytes }))

    const boundOf = Effect.fnUntraced(function* (to: Translation.UpstreamEndpoint, bytes: Uint8Array) {
      if (!isPriced) return null
      const members = yield* Turns.run(RequestRules.membersOf(bytes))
      if (Result.isFailure(members)) return yield* failed(`cannot be asked: ${members.failure.message}`)
      const bounds = yield* Turns.run(RequestRules.boundsOf(to, members.success))
      if (Result.isFailure(bounds)) return yield* failed(`cannot be asked: ${bounds.failure.message}`)
      return CallEstimate.costMax(priced, to, bytes.length, bounds.success)
    })

    const replyOf = Effect.fnUntraced(function* (
      to: Translation.UpstreamEndpoint,
      sent: Uint8Array,
      response: UpstreamResponse,
      bytes: Uint8Array
    ) {
      const message = messageIn(yield* chatAnswer(to, model, response, bytes))
      if (message === undefined)
        return yield* failed("answered no chat completion", { isTransient: true, mayHaveCost: true })
      const own = parsed(decoder.decode(bytes))
      const usage = UsageRules.usageOf(own)
      const estimated = Math.ceil((sent.length + JSON.stringify(message).length) / bytesPerToken)
      const counted =
        usage === null ? yield* boundOf(to, sent) : PriceRules.microsOf(prices, usage, UsageRules.tierOf(own))
      const reply: SourceReply = {
        message,
        tokens: usage === null ? estimated : usage.inputTokens + usage.outputTokens,
        costMicros: isPriced ? counted : null
      }
      return reply
    })

    const ask = Effect.fnUntraced(function* (question: ChatQuestion) {
      for (;;) {
        const { bytes: sent, endpoint: to } = yield* body(question)
        const asked = yield* Effect.mapError(exchange(partition, source, model, to, sent, question), failureOf)
        const bytes = yield* wholeOf(asked)
        if (isSuccess(asked.status)) return yield* replyOf(to, sent, asked, bytes)
        const next = nextForm(form, asked.status, decoder.decode(bytes))
        if (next === undefined) {
          return yield* failed(`answered ${asked.status}`, { isTransient: FailedAttempts.isRetried(asked.status) })
        }
        form = next
      }
    })

    return Option.some<SourceModelChat>({
      estimate: ({ completion, prompt }) =>
        isPriced
          ? PriceRules.microsOf(prices, { inputTokens: Math.ceil(prompt), outputTokens: Math.ceil(completion) }, null)
          : null,
      costMax: (question) =>
        isPriced
          ? Effect.flatMap(body(question), ({ bytes, endpoint }) => boundOf(endpoint, bytes))
          : Effect.succeed(null),
      ask: (question) =>
        Effect.timeoutOrElse(Effect.scoped(ask(question)), {
          duration: question.timeoutMillis,
          orElse: () => failed("did not answer in time", { isTransient: true, mayHaveCost: true })
        })
    })
  })

  return SourceChat.of({ open })
})

export const layer: Layer.Layer<
  SourceChat,
  never,
  Sources | Forward | ModelCatalog | Ids | Recorder | Decoder | CallHolds | TokenUses
> = Layer.effect(SourceChat, make)
