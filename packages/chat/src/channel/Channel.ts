/** A channel: where questions come from, such as a page or a mailbox, and who answers there by default (contract 14.27). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const Channel = Schema.Struct({
  id: Id.schema("chn"),
  name: Schema.String,
  /** A word of the caller's, such as `web` or `email`. */
  kind: Schema.String,
  /** Id of the agent that answers where neither the question nor the conversation names one. */
  agent: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Channel = typeof Channel.Type

export const kind = Kind.make({ name: "channel", schema: Channel })
