/**
 * A request in the dialect of whoever is asked, and the way back of the answer. What is asked in the client's own dialect passes
 * byte for byte, both ways.
 */
import type { ConversationEndpoint } from "@limbeck/capture/dialect/CallConversation"
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import * as TranslatedAnswer from "@limbeck/capture/dialect/TranslatedAnswer"
import * as Translation from "@limbeck/capture/dialect/Translation"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { Source } from "@limbeck/capture/source/Source"
import type { UpstreamFailure, UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Utf8 from "@limbeck/core/bytes/Utf8"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import { isObject } from "@limbeck/core/json/Json"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { AliasRequest } from "./DeploymentCall.ts"

export interface DialectRequest {
  readonly request: AliasRequest
  /** What `request` is of: the endpoint of whoever is asked. */
  readonly endpoint: ConversationEndpoint
  readonly answer: (response: UpstreamResponse) => Effect.Effect<UpstreamResponse, UpstreamFailure>
}

const shapeMax: JsonShape.ShapeMax = { depth: CaptureLimits.shownDepthMax, members: CaptureLimits.learntMembersMax }
const tooMuch = `A request that is translated has at most ${shapeMax.members} members and items in all, ${shapeMax.depth} levels deep`

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The shape comes first: what it refuses is not parsed. */
function* reading(body: Uint8Array | null): Turns.Steps<Result.Result<Schema.JsonObject, InvalidInput>> {
  const text = yield* Utf8.decoding(body ?? new Uint8Array())
  if ((yield* JsonShape.excessSteps(text, shapeMax)) !== undefined) return Result.fail(invalid(null, tooMuch))
  const request = parsed(text)
  return isObject(request) ? Result.succeed(request) : Result.fail(invalid(null, "The body is no JSON object"))
}

/** The members of a body. */
const membersOf = (body: Uint8Array | null): Effect.Effect<Schema.JsonObject, InvalidInput> =>
  Effect.flatMap(Turns.run(reading(body)), Effect.fromResult)

/** Headers that belong to the client's dialect or to the coding of an answer that is read here. */
const isOfDialect = (name: string): boolean => /^(?:anthropic|openai)-|^accept-encoding$/.test(name)

const headersOf = ({ headers }: AliasRequest): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfDialect(name))),
  "content-type": "application/json",
  "accept-encoding": "identity"
})

/** What an answer to the request says of itself. */
export const headOf = Effect.fnUntraced(function* ({ body, call, model }: AliasRequest) {
  const request = yield* membersOf(body)
  const id = call.slice(call.indexOf("_") + 1)
  return { id, model: model ?? "", createdAt: yield* Clock.currentTimeMillis, request }
})

const encoder = new TextEncoder()

const translatedTo = Effect.fnUntraced(function* (
  to: Translation.UpstreamEndpoint,
  request: AliasRequest,
  model: string,
  toMembers: typeof Translation.requestTo
) {
  const head = yield* headOf(request)
  const members = yield* Effect.fromResult(toMembers(to, request.endpoint, head.request))
  const body = encoder.encode(JSON.stringify({ model, ...members }))
  const translated: DialectRequest = {
    request: { ...request, endpoint: to, target: Translation.targetOf[to], headers: headersOf(request), body, model },
    endpoint: to,
    answer: (response) => TranslatedAnswer.translateAnswer(request.endpoint, to, head, response)
  }
  return translated
})

/** As it came: whoever names the model in it knows the dialect. */
const keepDialect = (request: AliasRequest): DialectRequest => ({
  request,
  endpoint: request.endpoint,
  answer: Effect.succeed
})

/** For a student, which speaks chat completions. */
export const forStudent = (request: AliasRequest): Effect.Effect<DialectRequest, InvalidInput> =>
  request.endpoint === "chat.completions"
    ? Effect.succeed(keepDialect(request))
    : translatedTo("chat.completions", request, request.model ?? "", Translation.studentRequest)

const endpointOf = (source: Source, { endpoint }: AliasRequest): ConversationEndpoint | undefined => {
  const others = ["chat.completions", "messages"] as const
  return [endpoint, ...others].find((endpoint) => DialectRules.hasEndpoint(source.dialect, endpoint))
}

/** For a source, in its own dialect. */
export const forSource = (
  source: Source,
  request: AliasRequest,
  model: string
): Effect.Effect<DialectRequest, InvalidInput> => {
  const endpoint = endpointOf(source, request)
  if (endpoint === request.endpoint) return Effect.succeed(keepDialect(request))
  return endpoint === undefined || endpoint === "responses"
    ? Effect.fail(invalid("model", DialectRules.refusal(source.name, source.dialect, request.endpoint)))
    : translatedTo(endpoint, request, model, Translation.requestTo)
}
