/** A webhook endpoint: where a workspace wants its events sent, and the secret that signs them (service-api 2.6). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const EndpointId = Id.schema("wh")
export type EndpointId = typeof EndpointId.Type

export const EndpointStatus = Schema.Literals(["enabled", "disabled"])

export const Endpoint = Schema.Struct({
  id: EndpointId,
  url: Schema.String,
  description: Schema.String,
  enabledEvents: Schema.Array(Schema.String),
  apiVersion: Schema.String,
  status: EndpointStatus,
  /** Sealed; see core's Secrets. */
  sealedSecret: Schema.String,
  /** During a rotation: the previous secret, which still signs too, and until when. */
  sealedPreviousSecret: Schema.NullOr(Schema.String),
  previousSecretExpiresAt: Schema.NullOr(Millis),
  createdAt: Millis,
  updatedAt: Millis
})
export type Endpoint = typeof Endpoint.Type

const subscription = (pattern: string) => `event:${pattern}`

/** An enabled endpoint is indexed by its patterns; a disabled endpoint has no label, so it receives no new deliveries. */
export const kind = Kind.make({
  name: "webhook_endpoint",
  schema: Endpoint,
  isFew: true,
  labels: (endpoint) => (endpoint.status === "enabled" ? endpoint.enabledEvents.map(subscription) : [])
})

/** The labels of the endpoints that want an event with these patterns. */
export const labelsOf = (patterns: ReadonlyArray<string>) => patterns.map(subscription)

/** The endpoint at `now`: without the previous secret once the overlap has ended. */
export const at = (endpoint: Endpoint, now: Millis): Endpoint =>
  endpoint.previousSecretExpiresAt !== null && endpoint.previousSecretExpiresAt <= now
    ? { ...endpoint, sealedPreviousSecret: null, previousSecretExpiresAt: null }
    : endpoint

/** What signs at `now`, the newest first: two secrets while a rotation overlaps. */
export const signingSecrets = (endpoint: Endpoint, now: Millis): ReadonlyArray<string> => {
  const { sealedPreviousSecret: previous, sealedSecret } = at(endpoint, now)
  return previous === null ? [sealedSecret] : [sealedSecret, previous]
}
