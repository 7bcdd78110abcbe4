/** The event types of billing (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

export const billingEventTypes = [
  {
    type: "billing.balance_low",
    domain: "billing",
    description: "The balance of the workspace fell below the threshold of the server."
  }
] as const satisfies ReadonlyArray<EventType>
