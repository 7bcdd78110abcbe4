/** An agent: who answers a conversation, by which instructions, source and model (contract 9). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const Agent = Schema.Struct({
  id: Id.schema("agt"),
  name: Schema.String,
  /** The system prompt of the model; empty: none. */
  instructions: Schema.String,
  /** An id, so that a source may be renamed; null: the default source. */
  source: Schema.NullOr(Schema.String),
  /** As the source knows it, or `svc:<alias>`; null: the first that the source names. */
  model: Schema.NullOr(Schema.String),
  /** Where a person takes over; null: the agent answers everything itself. */
  handoffUrl: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Agent = typeof Agent.Type

export const kind = Kind.make({ name: "agent", schema: Agent })
