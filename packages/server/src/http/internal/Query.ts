/**
 * The query of a request. The router sees paths alone, so that no query is decoded before authentication; operations decode
 * their own members.
 */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import { Limits } from "../../internal/Limits.ts"
import { Exchange } from "./Exchange.ts"

/** The raw query, without its question mark. */
export const Query = Effect.map(Exchange, ({ query }) => query)

/** A URL's path, and its query without the question mark. */
export const split = (url: string): readonly [path: string, query: string] => {
  const at = url.indexOf("?")
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)]
}

/** The added mark keeps a leading question mark in the query as data. */
const decode = (query: string) => new URLSearchParams(`?${query}`)

const repeated = (name: string) => invalid(name, "This parameter is given more than once")

const nameOf = (member: string): string => decode(member).keys().next().value ?? ""

const none: Readonly<Record<string, string>> = {}

/** As a record, in time that grows with its length; too many parameters, and a repeated one, are refused by their names. */
export const record = (query: string): Effect.Effect<Readonly<Record<string, string>>, InvalidInput> => {
  if (query === "") return Effect.succeed(none)
  const members: Array<string> = []
  for (const [member] of query.matchAll(/[^&]+/g)) {
    if (members.length === Limits.queryParametersMax) {
      return invalid(nameOf(member), `A query has at most ${Limits.queryParametersMax} parameters`)
    }
    members.push(member)
  }
  const entries = new Map<string, string>()
  for (const [name, value] of decode(members.join("&"))) {
    if (entries.has(name)) return repeated(name)
    entries.set(name, value)
  }
  return Effect.succeed(Object.fromEntries(entries))
}

/** One plain parameter, found without decoding or counting the others; null if absent. */
export const plain = (query: string, name: string): Effect.Effect<string | null, InvalidInput> => {
  const [, value, ...more] = `&${query}`.split(`&${name}=`, 3)
  if (value === undefined) return Effect.succeed(null)
  return more.length > 0 ? repeated(name) : Effect.succeed(value.split("&", 1)[0] ?? "")
}
