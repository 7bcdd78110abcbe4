/** What an endpoint may be (service-api 4.3, contract 8, 14.5). Pure; a refusal names the field as the wire does. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import { type Conflict, conflict, type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import { apiVersion as currentVersion } from "@limbeck/core/events/Event"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"
import type { Endpoint } from "./Endpoint.ts"

/** The dated versions that events are rendered in. */
const apiVersions: ReadonlyArray<string> = [currentVersion]

type Checked<A> = Result.Result<A, InvalidInput>

const refuse = (param: string, message: string) => Result.fail(invalid(param, message))

/**
 * What the URL standard would mend or drop without a word, so that people and programs may read it in different ways. Pure
 * text; what the URL means is the egress policy's.
 */
const oddities: ReadonlyArray<readonly [pattern: RegExp, refusal: string]> = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  [/[\u0000-\u0020\u007f\\]/, "Write spaces, control characters and backslashes in a URL as %xx"],
  [/^[a-z]+:(?!\/\/[^/?#])/i, "This is not an absolute URL"],
  [/^[a-z]+:\/\/[^/?#]*@/i, "A URL must not hold credentials"]
]

export const url = (livemode: boolean, text: string): Checked<string> => {
  if (text.length > Limits.urlMax) return refuse("url", `A URL is at most ${Limits.urlMax} characters long`)
  if (!text.isWellFormed()) return refuse("url", "This is not Unicode text")
  const oddity = oddities.find(([pattern]) => pattern.test(text))?.[1]
  const refusal = oddity ?? EgressPolicy.refusalOfUrl(livemode, text)
  return refusal === undefined ? Result.succeed(text) : refuse("url", refusal)
}

export const description = (text: string): Checked<string> =>
  text.length > Limits.descriptionMax
    ? refuse("description", `A description is at most ${Limits.descriptionMax} characters long`)
    : Result.succeed(text)

/** Folds duplicates, keeping the first of each. `types` are those of the catalog. */
export const enabledEvents = (
  types: ReadonlyArray<string>,
  entries: ReadonlyArray<string>
): Checked<ReadonlyArray<string>> => {
  if (entries.length === 0) return refuse("enabled_events", "Name at least one event type, or *")
  const unknown = entries.findIndex((entry) => !EventPattern.isKnown(entry, types))
  if (unknown !== -1) {
    const message = "This is neither an event type, nor *, nor <prefix>.* of one; see GET /v1/event_types"
    return refuse(`enabled_events[${unknown}]`, message)
  }
  const folded = [...new Set(entries)]
  return folded.length > Limits.enabledEventsMax
    ? refuse("enabled_events", `At most ${Limits.enabledEventsMax} different entries; use a wildcard`)
    : Result.succeed(folded)
}

export const apiVersion = (version: string): Checked<string> =>
  apiVersions.includes(version)
    ? Result.succeed(version)
    : refuse("api_version", `Unknown version; known: ${apiVersions.join(", ")}`)

/** How long the secret before signs too after a rotation; 0: not at all. */
export const overlapSeconds = (seconds: number): Checked<number> =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= Limits.secretOverlapSecondsMax
    ? Result.succeed(seconds)
    : refuse("expires_in_seconds", `A whole number of seconds from 0 to ${Limits.secretOverlapSecondsMax}`)

/** Only an enabled endpoint is redelivered to (contract 14.6). */
export const requireEnabled = ({ id, status }: Endpoint): Result.Result<void, Conflict> =>
  status === "enabled"
    ? Result.succeed(undefined)
    : Result.fail(conflict(`Webhook endpoint ${id} is disabled; enable it first`))
