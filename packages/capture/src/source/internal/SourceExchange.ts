/** One exchange with a model of a source: its request, the whole answer, and what it costs and can cost at most. */
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallEndpoint } from "../../call/CapturedCall.ts"
import * as UsageRules from "../../call/UsageRules.ts"
import { CaptureLimits } from "../../Limits.ts"
import * as PriceRules from "../../price/PriceRules.ts"
import * as Answer from "../../tape/Answer.ts"
import * as Capture from "../../tape/Capture.ts"
import type { UpstreamResponse } from "../../upstream/Upstream.ts"
import * as CallEstimate from "../CallEstimate.ts"
import * as FailedAttempts from "../FailedAttempts.ts"
import { type CallError, Forward } from "../Forward.ts"
import * as RequestRules from "../RequestRules.ts"
import type { Source } from "../Source.ts"
import { type ChatQuestion, type ReplyCost, SourceChatFailure } from "../SourceQuestion.ts"

/** Who is asked. */
export interface AskedModel {
  readonly partition: Partition
  readonly source: Source
  readonly model: string
  readonly priced: CallEstimate.PricedModel
}

interface ExchangeRequest {
  readonly endpoint: CallEndpoint
  /** What follows the base URL. */
  readonly target: string
  readonly body: Uint8Array
}

export type Exchange = (
  asked: AskedModel,
  request: ExchangeRequest,
  labels: Pick<ChatQuestion, "isCaptured" | "tags">
) => Effect.Effect<UpstreamResponse, SourceChatFailure, Scope.Scope>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const makeFailure = (message: string, { isTransient = false, mayHaveCost = false } = {}) =>
  new SourceChatFailure({ isTransient, mayHaveCost, message })

export const bytesOf = (body: Schema.JsonObject): Uint8Array => encoder.encode(JSON.stringify(body))
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Undefined for anything but JSON. */
export const parseJson = (bytes: Uint8Array): Schema.Json | undefined => {
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    return undefined
  }
}

export const wholeOf = (response: UpstreamResponse) =>
  Bytes.whole(
    Stream.mapError(Body.toStream(response.body), ({ reason }) =>
      makeFailure(`broke off: ${reason}`, { isTransient: true, mayHaveCost: true })
    ),
    CaptureLimits.answerBytesMax,
    () => makeFailure("has too large an answer", { mayHaveCost: true })
  )

export const refusalOf = ({ status }: UpstreamResponse): SourceChatFailure =>
  makeFailure(`answered ${status}`, { isTransient: FailedAttempts.isRetried(status) })

export const withTimeout = <A>(
  { timeoutMillis }: Pick<ChatQuestion, "timeoutMillis">,
  asking: Effect.Effect<A, SourceChatFailure, Scope.Scope>
): Effect.Effect<A, SourceChatFailure> =>
  Effect.timeoutOrElse(Effect.scoped(asking), {
    duration: timeoutMillis,
    orElse: () => makeFailure("did not answer in time", { isTransient: true, mayHaveCost: true })
  })

/** Null without a price. */
export const boundOf = Effect.fnUntraced(function* (
  { priced }: AskedModel,
  endpoint: CallEndpoint,
  body: Uint8Array
): Effect.fn.Return<number | null, SourceChatFailure> {
  if (!CallEstimate.isPriced(priced, endpoint)) return null
  const members = yield* Turns.run(RequestRules.membersOf(body))
  if (Result.isFailure(members)) return yield* makeFailure(`cannot be asked: ${members.failure.message}`)
  const bounds = yield* Turns.run(RequestRules.boundsOf(endpoint, members.success))
  if (Result.isFailure(bounds)) return yield* makeFailure(`cannot be asked: ${bounds.failure.message}`)
  return CallEstimate.costMax(priced, endpoint, body.length, bounds.success)
})

export const estimate = (
  { priced }: AskedModel,
  endpoint: CallEndpoint,
  { completion, prompt }: { readonly prompt: number; readonly completion: number }
): number | null =>
  CallEstimate.isPriced(priced, endpoint)
    ? PriceRules.microsOf(priced.prices, { inputTokens: Math.ceil(prompt), outputTokens: Math.ceil(completion) }, null)
    : null

const bytesPerToken = 4

/** By the usage in the answer, or estimated; `outputLength`: characters of output. */
export const costOf = Effect.fnUntraced(function* (
  asked: AskedModel,
  endpoint: CallEndpoint,
  sent: Uint8Array,
  answer: Uint8Array,
  outputLength: number
): Effect.fn.Return<ReplyCost, SourceChatFailure> {
  const { priced } = asked
  const own = parseJson(answer)
  const usage = UsageRules.usageOf(own)
  const tokens =
    usage === null ? Math.ceil((sent.length + outputLength) / bytesPerToken) : usage.inputTokens + usage.outputTokens
  if (!CallEstimate.isPriced(priced, endpoint)) return { tokens, costMicros: null }
  const bound = usage === null ? yield* boundOf(asked, endpoint, sent) : null
  return {
    tokens,
    costMicros: usage === null ? bound : PriceRules.microsOf(priced.prices, usage, UsageRules.tierOf(own))
  }
})

const failureOf = (error: CallError): SourceChatFailure => {
  const attempt = FailedAttempts.failedAttempt(error)
  const outcome = { isTransient: attempt !== undefined, mayHaveCost: attempt?.error === "timeout" }
  return makeFailure(`did not answer: ${error.message}`, outcome)
}

const responder = ({ model, source }: AskedModel): Answer.Responder => ({
  servedBy: "upstream",
  deployment: null,
  source,
  sourceModel: model,
  fallbackReason: null,
  confidence: null
})

/** Nobody is told of a failure; the record says what a client would have been. */
const failedStatus = 502

/** Sends a request, and captures the call where the source's settings or charges ask for it. */
export const make = Effect.gen(function* () {
  const forward = yield* Forward
  const ids = yield* Ids
  const capture = yield* Capture.make

  const send = Effect.fnUntraced(function* (
    asked: AskedModel,
    { body, endpoint, target }: ExchangeRequest,
    { isCaptured = true, tags }: Pick<ChatQuestion, "isCaptured" | "tags">
  ) {
    const { model, partition, source } = asked
    const id = yield* ids.make("call")
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity"
    }
    const sent = { target, method: "POST" as const, headers, body, model }
    const isRecorded = isCaptured ? capture.keeps(partition, source, id) : capture.charges(partition, source)
    if (!isRecorded) return yield* forward.send(partition, source, sent)
    const attempt = Answer.attempt(responder(asked), forward.send(partition, source, { ...sent, call: id, endpoint }))
    const labels = { tags, externalId: null, isCaptured, asksStream: false }
    return yield* capture.recordAnswer(
      { partition, id, endpoint, model, request: body, statusOf: () => failedStatus, ...labels },
      attempt
    )
  })

  const exchange: Exchange = (asked, request, labels) => Effect.mapError(send(asked, request, labels), failureOf)
  return exchange
})
