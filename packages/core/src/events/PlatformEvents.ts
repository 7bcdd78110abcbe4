/** Event types that belong to no room of their own yet: conversations (contract 8). */
import type { EventType } from "./Event.ts"

export const platformEventTypes: ReadonlyArray<EventType> = [
  { type: "message.completed", domain: "message", description: "A conversation message was answered." }
]
