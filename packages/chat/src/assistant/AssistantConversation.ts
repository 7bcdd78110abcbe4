/** A conversation of one person with the assistant (contract 16.49). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const AssistantConversation = Schema.Struct({
  id: Id.schema("asc"),
  /** The person who began the conversation, and alone reads and continues it. */
  person: Schema.String,
  title: Schema.String,
  /** The source and the model that the person picked. */
  source: Schema.String,
  model: Schema.String,
  /** JSON of `effect/ai/Chat`: every message, requested operation and result. */
  history: Schema.String,
  /** The person's decisions on requested operations that have no result yet, by call id. */
  decisions: Schema.Record(Schema.String, Schema.Boolean),
  /** The person canceled the turn: the next step waits for a message. */
  canceled: Schema.Boolean,
  createdAt: Millis,
  updatedAt: Millis
})
export type AssistantConversation = typeof AssistantConversation.Type

export const labelOf = (person: string): string => `person:${person}`

export const kind = Kind.make({
  name: "assistant_conversation",
  schema: AssistantConversation,
  labels: ({ person }) => [labelOf(person)]
})
