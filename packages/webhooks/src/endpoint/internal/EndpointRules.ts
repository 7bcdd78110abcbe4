/** The rules of an endpoint's fields (service-api 4.3, contract 8, 14.5). Pure; a refusal names the field as the API does. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Result from "effect/Result"
import { EndpointDisabled } from "../../Errors.ts"
import { WebhookLimits } from "../../Limits.ts"
import type { Endpoint } from "../Endpoint.ts"

type Validation<A> = Result.Result<A, InvalidInput>

const refuse = (param: string, message: string) => Result.fail(invalid(param, message))

export const url = (livemode: boolean, text: string): Validation<string> => {
  const refusal = TenantUrl.fault(text) ?? EgressPolicy.refusalOfUrl(livemode, text)
  return refusal === undefined ? Result.succeed(text) : refuse("url", refusal)
}

export const description = (text: string): Validation<string> =>
  text.length > WebhookLimits.descriptionMax
    ? refuse("description", `A description is at most ${WebhookLimits.descriptionMax} characters long`)
    : Result.succeed(text)

/** Folds duplicates, keeping the first of each. `types` are those of the catalog. */
export const enabledEvents = (
  types: ReadonlyArray<string>,
  entries: ReadonlyArray<string>
): Validation<ReadonlyArray<string>> => {
  if (entries.length === 0) return refuse("enabled_events", "Name at least one event type, or *")
  const unknown = entries.findIndex((entry) => !EventPattern.isKnown(entry, types))
  if (unknown !== -1) {
    const message = "This is neither an event type, nor *, nor <prefix>.* of one; see GET /v1/event_types"
    return refuse(`enabled_events[${unknown}]`, message)
  }
  const folded = [...new Set(entries)]
  return folded.length > WebhookLimits.enabledEventsMax
    ? refuse("enabled_events", `At most ${WebhookLimits.enabledEventsMax} different entries; use a wildcard`)
    : Result.succeed(folded)
}

export const apiVersion = (version: string): Validation<string> =>
  ApiVersions.isKnown(version)
    ? Result.succeed(version)
    : refuse("api_version", `Unknown version; known: ${ApiVersions.versionList}`)

/** How long the previous secret signs too after a rotation; 0: not at all. */
export const overlapSeconds = (seconds: number): Validation<number> =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= WebhookLimits.secretOverlapSecondsMax
    ? Result.succeed(seconds)
    : refuse("expires_in_seconds", `A whole number of seconds from 0 to ${WebhookLimits.secretOverlapSecondsMax}`)

/** Only an enabled endpoint is redelivered to (contract 14.6). */
export const requireEnabled = ({ id, status }: Endpoint): Result.Result<void, EndpointDisabled> =>
  status === "enabled" ? Result.succeed(undefined) : Result.fail(new EndpointDisabled({ id }))
