/** The operations of the contract that the assistant may request, and how they run: as requests of the person to this server. */
import { contract } from "@limbeck/api/Api"
import { wire } from "@limbeck/api/Brand"
import { factsOf, type OperationFacts } from "@limbeck/api/Operation"
import { type Identity, type Operation, type OperationRequest, Operations } from "@limbeck/chat/assistant/Operations"
import { OperationUnknown } from "@limbeck/chat/Errors"
import { ChatLimits } from "@limbeck/chat/Limits"
import { isObject } from "@limbeck/core/json/Json"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import type { Loopback, LoopbackAnswer } from "../http/internal/Loopback.ts"
import { ServerSettings } from "../Settings.ts"

/** The groups of the loop. Others hold secrets, let people in, or talk to strangers. */
const groups: ReadonlySet<string> = new Set([
  "whoami",
  "calls",
  "metrics",
  "loops",
  "datasets",
  "rewards",
  "recipes",
  "runs",
  "reports",
  "student_models",
  "deployments",
  "events",
  "billing"
])

/** Operations of other groups. */
const alone: ReadonlySet<string> = new Set(["listSources", "listModels", "createTopUp"])

/** Files and links are not for a model. */
const excludedOperations: ReadonlySet<string> = new Set(["exportDatasetVersion", "shareReport"])

interface Route extends Operation {
  readonly path: string
  readonly facts: OperationFacts
}

const schemasOf = (endpoint: HttpApiEndpoint.Top) => ({
  path: endpoint.params,
  query: endpoint.query,
  body: [...endpoint.payload.values()][0]?.schemas[0]
})

/** JSON Schema of the encoded parts. */
const inputOf = (endpoint: HttpApiEndpoint.Top): Schema.JsonObject => {
  const parts = Object.entries(schemasOf(endpoint)).flatMap(([name, schema]) =>
    schema === undefined ? [] : [{ name, document: Schema.toJsonSchemaDocument(schema) }]
  )
  const input = {
    type: "object",
    properties: Object.fromEntries(parts.map(({ document, name }) => [name, document.schema])),
    required: parts.map(({ name }) => name).filter((name) => name !== "query"),
    $defs: Object.assign({}, ...parts.map(({ document }) => document.definitions))
  }
  // Through text: plain JSON, without undefined members.
  return JSON.parse(JSON.stringify(input))
}

const routes = (): ReadonlyMap<string, Route> => {
  const found = new Map<string, Route>()
  HttpApi.reflect(contract.api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const name = Context.getOrUndefined(mergedAnnotations, OpenApi.Identifier) ?? endpoint.identifier
      const facts = factsOf(mergedAnnotations)
      const isListed = (groups.has(group.identifier) && !excludedOperations.has(name)) || alone.has(name)
      if (!isListed || facts.secret) return
      const summary = Context.getOrUndefined(mergedAnnotations, OpenApi.Summary) ?? name
      found.set(name, { name, summary, method: endpoint.method, path: endpoint.path, facts, input: inputOf(endpoint) })
    }
  })
  return found
}

const textsOf = (part: unknown): ReadonlyArray<readonly [string, string]> =>
  isObject(part)
    ? Object.entries(part).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]]
      )
    : []

const urlOf = (base: string, { path }: Route, parts: Readonly<Record<string, unknown>>): string => {
  const values = new Map(textsOf(parts["path"]))
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? "unknown"))
  const query = new URLSearchParams(textsOf(parts["query"]).map(([name, value]) => [name, value])).toString()
  return `${base}${filled}${query === "" ? "" : `?${query}`}`
}

const requestOf = (base: string, route: Route, identity: Identity, { input, key }: OperationRequest): Request => {
  const parts = isObject(input) ? input : {}
  const hasBody = route.method !== "GET" && parts["body"] !== undefined
  return new Request(urlOf(base, route, parts), {
    method: route.method,
    headers: {
      ...identity,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(route.facts.idempotency === "none" ? {} : { [wire.idempotencyKey]: key })
    },
    ...(hasBody ? { body: JSON.stringify(parts["body"]) } : {})
  })
}

/** JSON as it is; a long text is cut. */
const answerOf = (text: string): Schema.Json => {
  if (text.length > ChatLimits.assistantAnswerMax) return `${text.slice(0, ChatLimits.assistantAnswerMax)} (cut)`
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The key is in use, the server is busy, or failed: the operation may have run. */
const isUnknown = ({ status, text }: LoopbackAnswer): boolean =>
  status >= 500 || status === 429 || (status === 409 && text.includes('"idempotency_key_in_flight"'))

export const make = Effect.fnUntraced(function* (loopback: Loopback) {
  const { publicUrl } = yield* ServerSettings
  let known: ReadonlyMap<string, Route> | undefined
  const found = Effect.sync(() => {
    known ??= routes()
    return known
  })
  const base = new URL(publicUrl).origin

  return Operations.of({
    all: Effect.map(found, (all) => [...all.values()]),
    run: Effect.fn("Operations.run")(function* (identity, request) {
      const route = (yield* found).get(request.operation)
      if (route === undefined) return yield* Effect.die(new Error(`No operation ${request.operation}`))
      const unknown = new OperationUnknown({ operation: request.operation })
      const answer = yield* Effect.mapError(loopback.fetch(requestOf(base, route, identity, request)), () => unknown)
      if (isUnknown(answer)) return yield* unknown
      return {
        status_code: answer.status,
        request_id: answer.headers.get(wire.requestId),
        answer: answerOf(answer.text)
      }
    })
  })
})
