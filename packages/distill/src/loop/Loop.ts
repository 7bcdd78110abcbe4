/** A loop: the common name of one undertaking's uploads, datasets, runs and deployments. */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const LoopId = Id.schema("loop")
export type LoopId = typeof LoopId.Type

export const Loop = Schema.Struct({
  id: LoopId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Loop = typeof Loop.Type

export const kind = Kind.make({ name: "distill_loop", noun: "loop", schema: Loop })
