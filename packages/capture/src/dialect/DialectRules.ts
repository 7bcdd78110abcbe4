/** The routes of each dialect, and the headers that its requests carry. Pure. */
import type { CallEndpoint } from "../call/CapturedCall.ts"
import type { Dialect } from "./Dialect.ts"

type Headers = Readonly<Record<string, string>>

interface DialectRule {
  readonly endpoints: ReadonlyArray<CallEndpoint>
  /** Headers without which the provider rejects a request; those of the caller replace them. */
  readonly required: Headers
  readonly credential: (key: string) => Headers
  /** The path of decisions below the base URL; undefined if the dialect has none. */
  readonly decisions?: string
}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

const rules: Readonly<Record<Dialect, DialectRule>> = {
  openai: {
    endpoints: ["chat.completions", "completions", "responses", "embeddings", "decisions", "systemone"],
    required: {},
    credential: bearer,
    decisions: "/decisions"
  },
  anthropic: {
    endpoints: ["messages"],
    // The only version that Anthropic has published since 2023.
    required: { "anthropic-version": "2023-06-01" },
    credential: (key) => ({ "x-api-key": key })
  },
  systemone: { endpoints: ["decisions", "systemone"], required: {}, credential: bearer, decisions: "/systemone" }
}

export const isDecision = (endpoint: CallEndpoint): boolean => endpoint === "decisions" || endpoint === "systemone"

export const hasEndpoint = (dialect: Dialect, endpoint: CallEndpoint): boolean =>
  rules[dialect].endpoints.includes(endpoint)

export const requiredHeaders = (dialect: Dialect): Headers => rules[dialect].required

/** The credential's header. */
export const credential = (dialect: Dialect, key: string): Headers => rules[dialect].credential(key)

/** Decisions have one path per dialect, whatever route the request came by; any other target stays. */
export const targetOf = (dialect: Dialect, endpoint: CallEndpoint, target: string): string => {
  const { decisions } = rules[dialect]
  if (decisions === undefined || !isDecision(endpoint)) return target
  const query = target.indexOf("?")
  return query < 0 ? decisions : decisions + target.slice(query)
}

/** Explains the refusal of an endpoint that the dialect lacks. */
export const refusal = (source: string, dialect: Dialect, endpoint: CallEndpoint): string =>
  `The source ${source} has the dialect ${dialect}, which has no ${endpoint}; name a source of another dialect`
