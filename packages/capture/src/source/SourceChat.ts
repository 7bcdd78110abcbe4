/**
 * Requests one chat completion, decisions or embeddings from a source in the source's own dialect, for an evaluation or a student:
 * captured and charged as any call, and with the most that it can cost known before.
 */
import type { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { TokenUses } from "@limbeck/billing/limits/TokenUses"
import * as Body from "@limbeck/core/bytes/Body"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Ids } from "@limbeck/core/ids/Ids"
import { isObject } from "@limbeck/core/json/Json"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Decoder } from "../call/Decoder.ts"
import * as DialectRules from "../dialect/DialectRules.ts"
import * as TranslatedAnswer from "../dialect/TranslatedAnswer.ts"
import * as Translation from "../dialect/Translation.ts"
import type { Recorder } from "../journal/Recorder.ts"
import * as PriceList from "../price/PriceList.ts"
import { isSuccess, type UpstreamResponse } from "../upstream/Upstream.ts"
import * as CallEstimate from "./CallEstimate.ts"
import type { Forward } from "./Forward.ts"
import * as SourceDecisions from "./internal/SourceDecisions.ts"
import * as SourceEmbeddings from "./internal/SourceEmbeddings.ts"
import * as SourceExchange from "./internal/SourceExchange.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import type { Source } from "./Source.ts"
import type { ChatQuestion, SourceModelChat, SourceReply } from "./SourceQuestion.ts"
import { Sources } from "./Sources.ts"

const { makeFailure } = SourceExchange

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
    makeFailure(`cannot be asked: ${message}`)
  ).pipe(Effect.map((members) => SourceExchange.bytesOf({ ...members, model })))

const messageIn = (answer: unknown): Schema.JsonObject | undefined => {
  const choices: unknown = Object(answer).choices
  const message: unknown = Array.isArray(choices) ? Object(choices[0]).message : undefined
  // It was parsed from JSON.
  return isObject(message as Schema.Json) ? (message as Schema.JsonObject) : undefined
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one exchange, each short
const make = Effect.gen(function* () {
  const sources = yield* Sources
  const catalog = yield* ModelCatalog
  const list = yield* PriceList.PriceList
  const exchange = yield* SourceExchange.make

  const pricedOf = Effect.fnUntraced(function* (partition: Partition, source: Source, model: string) {
    const known = PriceList.of(list.current(), source, model)
    if (source.kind !== "managed") return known
    const models = yield* Effect.orElseSucceed(catalog.modelsOf(partition, source), () => [])
    return models.find(({ id }) => id === model) ?? known
  })

  const chatAnswer = Effect.fnUntraced(function* (
    endpoint: Translation.UpstreamEndpoint,
    model: string,
    response: UpstreamResponse,
    bytes: Uint8Array
  ) {
    const whole = { ...response, body: Body.whole(bytes) }
    if (endpoint === "chat.completions") return SourceExchange.parseJson(bytes)
    const head = { id: "answer", model, createdAt: yield* Clock.currentTimeMillis, request: {} }
    const translated = yield* Effect.mapError(
      TranslatedAnswer.translateAnswer("chat.completions", endpoint, head, whole),
      ({ reason }) => makeFailure(`answered what cannot be read: ${reason}`, { mayHaveCost: true })
    )
    return SourceExchange.parseJson(yield* SourceExchange.wholeOf(translated))
  })

  const open: SourceChat["Service"]["open"] = Effect.fnUntraced(function* (partition, nameOrId, model) {
    const found = Option.getOrUndefined(yield* sources.resolve(partition, nameOrId))
    if (found === undefined) return Option.none()
    const source = found
    const endpoint = endpointOf(source)
    const priced = yield* pricedOf(partition, source, model)
    const asked: SourceExchange.AskedModel = { partition, source, model, priced }
    /** What the model is known to take. */
    let form = fullForm

    const body = (question: ChatQuestion) =>
      endpoint === undefined
        ? Effect.fail(makeFailure(DialectRules.refusal(source.name, source.dialect, "chat.completions")))
        : Effect.map(bodyOf(endpoint, model, chatOf(model, question, form)), (bytes) => ({ endpoint, bytes }))

    const replyOf = Effect.fnUntraced(function* (
      to: Translation.UpstreamEndpoint,
      sent: Uint8Array,
      response: UpstreamResponse,
      bytes: Uint8Array
    ) {
      const message = messageIn(yield* chatAnswer(to, model, response, bytes))
      if (message === undefined)
        return yield* makeFailure("answered no chat completion", { isTransient: true, mayHaveCost: true })
      const cost = yield* SourceExchange.costOf(asked, to, sent, bytes, JSON.stringify(message).length)
      const reply: SourceReply = { message, ...cost }
      return reply
    })

    const ask = Effect.fnUntraced(function* (question: ChatQuestion) {
      for (;;) {
        const { bytes: sent, endpoint: to } = yield* body(question)
        const target = Translation.targetOf[to]
        const response = yield* exchange(asked, { endpoint: to, target, body: sent }, question)
        const bytes = yield* SourceExchange.wholeOf(response)
        if (isSuccess(response.status)) return yield* replyOf(to, sent, response, bytes)
        const next = nextForm(form, response.status, SourceExchange.textOf(bytes))
        if (next === undefined) return yield* SourceExchange.refusalOf(response)
        form = next
      }
    })

    return Option.some<SourceModelChat>({
      estimate: (tokens) => SourceExchange.estimate(asked, "chat.completions", tokens),
      costMax: (question) =>
        CallEstimate.isPriced(priced, "chat.completions")
          ? Effect.flatMap(body(question), ({ bytes, endpoint }) => SourceExchange.boundOf(asked, endpoint, bytes))
          : Effect.succeed(null),
      ask: (question) => SourceExchange.withTimeout(question, ask(question)),
      decisions: SourceDecisions.make(exchange, asked),
      embeddings: SourceEmbeddings.make(exchange, asked)
    })
  })

  return SourceChat.of({ open })
})

export const layer: Layer.Layer<
  SourceChat,
  never,
  Sources | Forward | ModelCatalog | Ids | Recorder | Decoder | CallHolds | TokenUses
> = Layer.effect(SourceChat, make)
