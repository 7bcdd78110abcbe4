/** Which headers go on: all but those of one connection, of the caller's credentials, and of ours (service-api 4.2). */
import { Limits } from "../Limits.ts"

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

/** Beside who asks and from where, which is nobody's business: what is said anew for the next connection. */
const keptFromUpstream = new Set([
  ...hopByHop,
  "authorization",
  "cookie",
  "host",
  "content-length",
  "expect",
  "forwarded",
  "via",
  "x-real-ip",
  "x-request-id"
])

/** What would speak for our own origin. */
const keptFromCaller = new Set([...hopByHop, "set-cookie", "alt-svc", "strict-transport-security", "x-request-id"])

/** Those that `Connection` names are of this connection too. */
const named = ({ connection }: Headers): ReadonlyArray<string> =>
  connection === undefined ? [] : connection.split(",").map((name) => name.trim().toLowerCase())

const without = (headers: Headers, isDropped: (name: string) => boolean): Headers => {
  const nominated = named(headers)
  const left: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!isDropped(name) && !nominated.includes(name)) left[name] = value
  }
  return left
}

/** The rules of a server whose own headers bear this name. */
export const of = (brand: string) => {
  const prefix = `x-${brand.toLowerCase()}-`
  const version = `${brand.toLowerCase()}-version`
  const isOurs = (name: string): boolean => name.startsWith(prefix) || name === version
  return {
    /** Of a caller's request, those for the upstream. */
    toUpstream: (headers: Headers): Headers =>
      without(headers, (name) => keptFromUpstream.has(name) || name.startsWith("x-forwarded-") || isOurs(name)),
    /** Of an upstream's answer, those for the caller. */
    toCaller: (headers: Headers): Headers =>
      without(headers, (name) => keptFromCaller.has(name) || name.startsWith("access-control-") || isOurs(name))
  }
}

/** The labels of a call; spaces around them, empty ones and repetitions do not count. */
export const tagsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "")
  )
]

export const tagsFault = (tags: ReadonlyArray<string>): string | undefined => {
  if (tags.length > Limits.tagsMax) return `A call has at most ${Limits.tagsMax} tags`
  return tags.some((tag) => tag.length > Limits.tagMax) ? `A tag has at most ${Limits.tagMax} characters` : undefined
}
