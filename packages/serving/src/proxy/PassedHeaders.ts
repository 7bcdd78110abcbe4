/** Which headers pass: all but those of one connection, of the caller's credentials, and of ours (service-api 4.2). */
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as LoopGuard from "@limbeck/capture/upstream/LoopGuard"

type Headers = Readonly<Record<string, string>>

/** Of one connection only (RFC 9110, 7.6.1). */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
]

/** Set anew for the next connection, or specific to this one. A request's content coding travels with its bytes. */
const keptFromUpstream = new Set([
  ...hopByHop,
  "host",
  "content-encoding",
  "content-length",
  "expect",
  "via",
  "x-request-id"
])

/**
 * Client location headers of proxies in front of us: `X-Forwarded-For`, `CF-Connecting-IP`, `X-Vercel-IP-City` and the
 * like.
 */
const placeWord = /(?:^|-)(?:forwarded|ip|ipv[46]|ipcountry|clientip|socketip|addr|address|viewer)(?:-|$)/

/** What lets the client in here, or elsewhere: `Authorization`, `X-Api-Key`, `CF-Access-Jwt-Assertion` and the like. */
const credentialWord =
  /(?:^|-)(?:authorization|cookie2?|api-?key|subscription-key|(?:access|auth|csrf|id|security|session|xsrf)-token|secret|password|jwt)(?:-|$)/

const isOfClient = (name: string): boolean => placeWord.test(name) || credentialWord.test(name)

/** What would speak for our own origin, or be taken for our own word. */
const keptFromCaller = new Set([
  ...hopByHop,
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  "critical-ch",
  "expect-ct",
  "idempotent-replayed",
  "nel",
  "public-key-pins",
  "public-key-pins-report-only",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security",
  "x-request-id"
])

const isOfOrigin = (name: string): boolean =>
  keptFromCaller.has(name) ||
  name.startsWith("access-control-") ||
  name === "ratelimit" ||
  name.startsWith("ratelimit-")

/** A page that an upstream answers does nothing in a browser, where it would be a page of our origin; no cache keeps an answer to a token. */
const harmless = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff"
}

const nothing: ReadonlySet<string> = new Set()

/** The headers that `Connection` lists end with the connection. A set, because both lists may have thousands of names. */
const connectionHeaders = ({ connection }: Headers): ReadonlySet<string> =>
  connection === undefined ? nothing : new Set(connection.split(",").map((name) => name.trim().toLowerCase()))

/** Maximum cached header names, and their length: the usual ones come with every call. */
const cacheBounds = { names: 1_000, length: 100 }

/** Caches the results by name. */
const cacheByName = (isDropped: (name: string) => boolean): ((name: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (name) => {
    const answer = known.get(name)
    if (answer !== undefined) return answer
    const isIt = isDropped(name)
    if (known.size < cacheBounds.names && name.length <= cacheBounds.length) known.set(name, isIt)
    return isIt
  }
}

/** In an object of its own. */
const without = (headers: Headers, isDropped: (name: string) => boolean): Record<string, string> => {
  const nominated = connectionHeaders(headers)
  const left: Record<string, string> = {}
  for (const name in headers) {
    if (!isDropped(name) && !nominated.has(name)) left[name] = headers[name] ?? ""
  }
  return left
}

/** The rules of a server whose own headers bear this name. */
export const of = (brand: string) => {
  const prefix = `x-${brand.toLowerCase()}-`
  const version = `${brand.toLowerCase()}-version`
  const proxiedBy = LoopGuard.headerOf(brand)
  const isOurs = (name: string): boolean => name.startsWith(prefix) || name === version
  const staysHere = cacheByName(
    (name) => keptFromUpstream.has(name) || isOfClient(name) || (isOurs(name) && name !== proxiedBy)
  )
  const staysThere = cacheByName((name) => isOfOrigin(name) || isOurs(name))
  return {
    /** The caller's headers for the upstream, plus our loop header. */
    toUpstream: (headers: Headers): Headers => without(headers, staysHere),
    /** The upstream's headers for the caller, plus protective ones; in a new object. */
    toCaller: (headers: Headers): Record<string, string> => Object.assign(without(headers, staysThere), harmless)
  }
}

/** The labels of a call; spaces around them, empty ones and repetitions do not count. */
export const tagsOf = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const tags = text.split(",").map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ""))]
}

export const tagsFault = (tags: ReadonlyArray<string>): string | undefined => {
  if (tags.length > CaptureLimits.tagsMax) return `A call has at most ${CaptureLimits.tagsMax} tags`
  return tags.some((tag) => tag.length > CaptureLimits.tagMax)
    ? `A tag has at most ${CaptureLimits.tagMax} characters`
    : undefined
}
