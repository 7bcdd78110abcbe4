/** Event types that belong to no room of their own yet: conversations and billing (contract 8). */
import type { EventType } from "./Event.ts"

export const platformEventTypes: ReadonlyArray<EventType> = [
  { type: "message.completed", domain: "message", description: "A conversation message was answered." },
  { type: "billing.balance_low", domain: "billing", description: "The balance of the workspace runs low." }
]
