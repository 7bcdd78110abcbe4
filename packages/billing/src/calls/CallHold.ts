/**
 * Money that a server reserves for the calls of one workspace. The server admits calls against the hold without asking
 * storage, and charges each call when storing it. While alive, the server renews the hold.
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
  /** The part of the hold already charged. */
  chargedMicros: Schema.Int,
  expiresAt: Millis,
  createdAt: Millis
})
export type CallHold = typeof CallHold.Type

export const kind = Kind.make({ name: "call_hold", schema: CallHold })

/** The queue topic of holds, due at their expiry. */
export const topic = "call_hold"

/** The uncharged rest of a hold. */
export const remainderOf = ({ chargedMicros, heldMicros }: CallHold): number => heldMicros - chargedMicros

/** A stored call to charge. */
export interface CallCharge {
  readonly call: string
  readonly createdAt: Millis
  readonly micros: number
  /** The hold that admitted the call; null where balances do not bind. */
  readonly hold: string | null
}

/** The money held for one call, and its hold. */
export interface CallShare {
  readonly hold: string
  readonly micros: number
}
