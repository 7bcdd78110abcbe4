/** A channel: an origin of questions, such as a page or a mailbox, with its default agent (contract 14.27). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const Channel = Schema.Struct({
  id: Id.schema("chn"),
  name: Schema.String,
  /** A word chosen by the caller, such as `web` or `email`. */
  kind: Schema.String,
  /** Id of the agent for questions without an agent of their own or of their conversation. */
  agent: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Channel = typeof Channel.Type

export const kind = Kind.make({ name: "channel", schema: Channel })
