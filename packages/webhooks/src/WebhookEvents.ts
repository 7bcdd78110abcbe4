/** The event types of webhooks themselves (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

export const webhookEndpointDisabled = "webhook_endpoint.disabled"

/** What a ping sends. It is not stored, and nobody can subscribe to it. */
export const webhookPing = "webhook.ping"

export const webhookEventTypes: ReadonlyArray<EventType> = [
  {
    type: webhookEndpointDisabled,
    domain: "webhook_endpoint",
    description: "An endpoint was disabled because its deliveries kept failing."
  }
]
