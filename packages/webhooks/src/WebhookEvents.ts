/** The event types of webhooks themselves (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

export const webhookEndpointDisabled = "webhook_endpoint.disabled"

/** The event type of a ping: never stored, and closed to subscriptions. */
export const webhookPing = "webhook.ping"

export const webhookEventTypes: ReadonlyArray<EventType> = [
  {
    type: webhookEndpointDisabled,
    domain: "webhook_endpoint",
    description: "An endpoint was disabled because its deliveries kept failing."
  }
]
