/** The event types of conversations (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

export const messageCompleted = "message.completed"

export const chatEventTypes: ReadonlyArray<EventType> = [
  { type: messageCompleted, domain: "message", description: "A conversation message was answered." }
]
