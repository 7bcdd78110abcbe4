/** A recovery: every dead letter of an endpoint since a time is redelivered, in steps (contract 8). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { EndpointId } from "../endpoint/Endpoint.ts"

/** The queue topic of unfinished recoveries. */
export const topic = "webhook_recovery"

export const Recovery = Schema.Struct({
  id: Id.schema("rcv"),
  endpointId: EndpointId,
  /** Deliveries made earlier stay dead-lettered. */
  since: Millis,
  /** Later dead letters stay dead: they were not requested, and no delivery is revived twice. */
  until: Millis,
  /** The last delivery revived; null: none yet. */
  after: Schema.NullOr(Schema.String),
  /** When the next delivery is due. */
  nextDueAt: Millis,
  createdAt: Millis
})
export type Recovery = typeof Recovery.Type

/** Stored until it is finished; not shown by the API. */
export const kind = Kind.make({ name: "webhook_recovery", schema: Recovery })
