/**
 * The span of a call, by OpenTelemetry's semantic conventions for generative AI: requested model, responding model, and
 * tokens. Never a prompt, an answer, a header or a key.
 */
import * as Trace from "@limbeck/core/trace/Trace"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Span } from "effect/Tracer"
import { completionOf } from "../call/CallOf.ts"
import type { CallRecord } from "../call/CallRecord.ts"
import type { CallEndpoint } from "../call/CapturedCall.ts"
import type { Decoder } from "../call/Decoder.ts"
import { usageOf } from "../call/UsageRules.ts"
import type { Source } from "../source/Source.ts"
import type { Responder } from "./Answer.ts"

const operations: Readonly<Record<CallEndpoint, string>> = {
  "chat.completions": "chat",
  completions: "text_completion",
  embeddings: "embeddings",
  responses: "chat",
  messages: "chat",
  decisions: "decision",
  systemone: "decision"
}

/** The conventions' names of providers, by the host of their API. */
const providers: ReadonlyArray<readonly [host: RegExp, name: string]> = [
  [/\.openai\.azure\.com$/, "azure.ai.openai"],
  [/(?:^|\.)openai\.com$/, "openai"],
  [/(?:^|\.)anthropic\.com$/, "anthropic"],
  [/(?:^|\.)mistral\.ai$/, "mistral_ai"],
  [/(?:^|\.)groq\.com$/, "groq"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)x\.ai$/, "x_ai"],
  [/(?:^|\.)cohere\.(?:ai|com)$/, "cohere"],
  [/(?:^|\.)perplexity\.ai$/, "perplexity"]
]

/** Of no source: one of our students. */
const own = "limbeck"

const hostOf = ({ baseUrl }: Source): string => new URL(baseUrl).hostname

/** For an upstream unknown to the conventions, the name of its source. */
const providerOf = (source: Source): string => providers.find(([host]) => host.test(hostOf(source)))?.[1] ?? source.name

/** Ends with the scope. Undefined where nothing is traced. */
export const open = (
  call: { readonly id: string; readonly endpoint: CallEndpoint },
  asked: string | null
): Effect.Effect<Span | undefined, never, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<never>): Effect.Effect<Span | undefined, never, Scope.Scope> => {
    if (!Trace.isOn(context)) return Effect.undefined
    const operation = operations[call.endpoint]
    const model = asked === null ? {} : { "gen_ai.request.model": asked }
    return Effect.makeSpanScoped(asked === null ? operation : `${operation} ${asked}`, {
      kind: "client",
      attributes: { "gen_ai.operation.name": operation, ...model, "limbeck.call.id": call.id }
    })
  })

/** Records the last responder and its status. */
export const recordResponder = (
  span: Span,
  { deployment, servedBy, source }: Responder,
  status: number | null
): void => {
  span.attribute("gen_ai.provider.name", source === null ? own : providerOf(source))
  span.attribute("limbeck.served_by", servedBy)
  if (source !== null) span.attribute("server.address", hostOf(source))
  if (deployment !== null) span.attribute("limbeck.deployment.id", deployment)
  if (status !== null) span.attribute("http.response.status_code", status)
}

/** Says what the answer was: its model, and what it took. */
export const describe = (span: Span, record: CallRecord): Effect.Effect<void, never, Decoder> =>
  Effect.map(completionOf(record), (answer) => {
    if (record.outcome !== "succeeded") span.attribute("error.type", String(record.statusCode ?? record.outcome))
    const usage = usageOf(answer)
    if (usage !== null) {
      span.attribute("gen_ai.usage.input_tokens", usage.inputTokens)
      span.attribute("gen_ai.usage.output_tokens", usage.outputTokens)
    }
    const model = typeof answer === "object" && answer !== null && "model" in answer ? answer.model : undefined
    if (typeof model === "string") span.attribute("gen_ai.response.model", model)
  })
