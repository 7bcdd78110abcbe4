/** Requests one chat completion from a source, for callers inside this server, such as a judge. */
import type { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { QuotaExceeded } from "@limbeck/billing/Errors"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Recorder } from "../journal/Recorder.ts"
import { fetchWhole, jsonOf, type WholeAnswer } from "../upstream/internal/WholeAnswer.ts"
import { Upstream } from "../upstream/Upstream.ts"
import * as Completion from "./Completion.ts"
import * as ChargedFetch from "./internal/ChargedFetch.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import type { Source } from "./Source.ts"
import { Sources } from "./Sources.ts"

export interface ChatRequest {
  /** By name or id; null: the default one. */
  readonly source: string | null
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: "system" | "user"; readonly content: string }>
  readonly maxTokens: number
  /** False: paid otherwise, such as by a run's budget. True: a managed source's call is charged where balances bind. */
  readonly isCharged: boolean
}

export interface ChatReply {
  readonly text: string
  /** The upstream's count; without one, an estimate of four characters per token. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
}

/** `no_source`: no such source, or no default one. `failed`: no completion came. `message` is for a person. */
export class ChatFailure extends Schema.TaggedError<ChatFailure>()("ChatFailure", {
  reason: Schema.Literals(["no_source", "failed"]),
  message: Schema.String
}) {}

export class ChatCompletions extends Context.Service<
  ChatCompletions,
  {
    /** By name or id. */
    readonly hasSource: (partition: Partition, source: string) => Effect.Effect<boolean, StorageError>
    /** Makes one call within the source's timeout, without capture. */
    readonly complete: (
      partition: Partition,
      request: ChatRequest
    ) => Effect.Effect<ChatReply, ChatFailure | QuotaExceeded>
  }
>()("@limbeck/capture/source/ChatCompletions") {}

const failed = (message: string) => new ChatFailure({ reason: "failed", message })

const noSource = ({ livemode }: Partition, source: string | null) => {
  const mode = livemode ? "live" : "test"
  const message =
    source === null ? `There is no default source in ${mode} mode` : `There is no source ${source} in ${mode} mode`
  return new ChatFailure({ reason: "no_source", message })
}

/** Makes a budget bind even for an upstream without counts. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4)

const read = ({ messages }: ChatRequest, answer: unknown): ChatReply | undefined => {
  const completion = Completion.read(answer)
  if (completion === undefined) return undefined
  const { usage } = completion
  const text = completion.text ?? ""
  const promptTokens = usage.promptTokens ?? estimateTokens(messages.map(({ content }) => content).join(""))
  return { text, usage: { promptTokens, completionTokens: usage.completionTokens ?? estimateTokens(text) } }
}

/** Reasoning models take their output limit under another name, and refuse the usual one. */
const wantsOtherBound = ({ status, text }: WholeAnswer): boolean =>
  status === 400 && text.includes("max_completion_tokens")

const encoder = new TextEncoder()

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const catalog = yield* ModelCatalog
  const upstream = yield* Upstream
  const charging = yield* ChargedFetch.make

  const modelOf = Effect.fnUntraced(function* (partition: Partition, source: Source, model: string) {
    if (source.kind !== "managed") return null
    const models = yield* Effect.mapError(catalog.modelsOf(partition, source), () =>
      failed(`The models of the source ${source.name} cannot be read now`)
    )
    return models.find(({ id }) => id === model) ?? (yield* failed(`The source ${source.name} has no model ${model}`))
  })

  const complete = Effect.fn("ChatCompletions.complete")(function* (partition: Partition, request: ChatRequest) {
    const found = yield* Effect.mapError(sources.resolve(partition, request.source), () =>
      failed("Storage did not answer")
    )
    if (Option.isNone(found)) return yield* noSource(partition, request.source)
    const source = found.value
    const model = yield* modelOf(partition, source, request.model)
    const credentials = yield* sources.credentials(partition, source)

    const ask = (bound: "max_tokens" | "max_completion_tokens") => {
      const body = encoder.encode(
        JSON.stringify({ model: request.model, messages: request.messages, [bound]: request.maxTokens })
      )
      const fetched = fetchWhole(upstream, {
        livemode: partition.livemode,
        method: "POST",
        url: `${source.baseUrl}/chat/completions`,
        headers: { "content-type": "application/json", accept: "application/json", ...credentials },
        body,
        timeoutMillis: source.timeoutMillis
      }).pipe(Effect.mapError(({ reason }) => failed(`The source ${source.name} did not answer: ${reason}`)))
      if (model === null || !request.isCharged) return fetched
      return Effect.catchTag(charging({ partition, source, model, body }, fetched), "StorageError", () =>
        failed("Storage did not answer")
      )
    }

    const first = yield* ask("max_tokens")
    const answer = wantsOtherBound(first) ? yield* ask("max_completion_tokens") : first
    if (answer.status !== 200) return yield* failed(`The source ${source.name} answered ${answer.status}`)
    return read(request, jsonOf(answer)) ?? (yield* failed(`The source ${source.name} answered no chat completion`))
  })

  return ChatCompletions.of({
    complete,
    hasSource: (partition, source) => Effect.map(sources.resolve(partition, source), Option.isSome)
  })
})

export const layer: Layer.Layer<
  ChatCompletions,
  never,
  Sources | ModelCatalog | Upstream | CallHolds | Recorder | Ids
> = Layer.effect(ChatCompletions, make)

/** For a host without sources: there is none to ask. */
export const none = Layer.succeed(ChatCompletions, {
  hasSource: () => Effect.succeed(false),
  complete: (partition, { source }) => Effect.fail(noSource(partition, source))
})
