/** The headers of a delivery's request. Pure. */
import type { WebhookDelivery } from "@limbeck/client"

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** `Service` of `service-version`: browsers give names of headers in small letters, and to HTTP both are the same. */
export const prefixIn = (names: ReadonlyArray<string>): string => {
  const ending = "-version"
  const version = names.find((name) => name.endsWith(ending) && !name.startsWith("x-")) ?? `service${ending}`
  return version.slice(0, -ending.length).split("-").map(capitalized).join("-")
}

/** Without the signature, which differs between attempts, and without the trace, which the API does not show. */
export const headersOf = (
  prefix: string,
  { event_id, event_type, id }: Pick<WebhookDelivery, "event_id" | "event_type" | "id">
): ReadonlyArray<string> => [
  "Content-Type: application/json",
  `User-Agent: ${prefix}-Webhooks/1.0`,
  `${prefix}-Event-Type: ${event_type}`,
  `${prefix}-Event-Id: ${event_id}`,
  `${prefix}-Delivery-Id: ${id}`
]
