/** The event types of webhooks themselves (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

export const webhookEventTypes: ReadonlyArray<EventType> = [
  {
    type: "webhook_endpoint.disabled",
    domain: "webhook_endpoint",
    description: "An endpoint was disabled because its deliveries kept failing."
  }
]
