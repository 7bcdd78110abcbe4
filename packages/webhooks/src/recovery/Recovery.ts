/** A recovery: every dead letter of an endpoint since a time is redelivered, little by little (contract 8). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { EndpointId } from "../endpoint/Endpoint.ts"

/** Where recoveries that have more to do wait for a worker. */
export const topic = "webhook_recovery"

export const Recovery = Schema.Struct({
  id: Id.schema("rcv"),
  endpointId: EndpointId,
  /** What was made earlier stays dead. */
  since: Millis,
  /** What was given up later stays dead: it was not asked for, and no delivery is revived twice. */
  until: Millis,
  /** How far it has come; null: it has not begun. */
  after: Schema.NullOr(Schema.String),
  /** When the next is to go out. */
  nextDueAt: Millis,
  createdAt: Millis
})
export type Recovery = typeof Recovery.Type

/** Kept while there is more to do, and nobody is shown it. */
export const kind = Kind.make({ name: "webhook_recovery", schema: Recovery })
