/**
 * Money that a server has put aside for the calls of one workspace that it lets through. Calls are let through against it
 * without asking storage, and charged to it when they are stored. A server that is alive keeps it from expiring.
 */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

const CallHold = Schema.Struct({
  id: Id.schema("hold"),
  /** Put aside since it began, and how often. In whole micro-dollars. */
  heldMicros: Schema.Int,
  takings: Schema.Int,
  /** The part of the hold that calls were charged. */
  chargedMicros: Schema.Int,
  expiresAt: Millis,
  createdAt: Millis
})
export type CallHold = typeof CallHold.Type

export const kind = Kind.make({ name: "call_hold", schema: CallHold })

/** The queue topic on which holds wait for the time at which they expire. */
export const topic = "call_hold"

/** What calls can still be charged to it. */
export const leftOf = ({ chargedMicros, heldMicros }: CallHold): number => heldMicros - chargedMicros

/** A call that was stored and is to be paid for. */
export interface CallCharge {
  readonly call: string
  readonly createdAt: Millis
  readonly micros: number
  /** The hold that it was let through against; null where balances did not bind. */
  readonly hold: string | null
}

/** The money held for one call, and its hold. */
export interface CallShare {
  readonly hold: string
  readonly micros: number
}
