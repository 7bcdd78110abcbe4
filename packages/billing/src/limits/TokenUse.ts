/**
 * What a token, and the tokens that share its limits, have used of them: one row, which every server reads and writes for every call
 * that a limit binds.
 */
import { TokenId } from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

/** The maximum cost of a call whose real cost is not known yet. */
const Reservation = Schema.Struct({
  call: Schema.String,
  micros: Schema.Int,
  /** The server of the call renews it until the call is stored; afterwards nobody does. */
  expiresAt: Millis
})
export type Reservation = typeof Reservation.Type

const TokenUse = Schema.Struct({
  /** Of the token that its rotations, and the tokens that it made, share the use of. */
  id: TokenId,
  /** What the bucket of `requests_per_minute` lacked at a time, whatever its size. Absent: nothing. */
  requests: Schema.optionalKey(Schema.Struct({ count: Schema.Finite, at: Millis })),
  /** The UTC day that `spentMicros` is of: `2026-11-28`. */
  day: Schema.String,
  spentMicros: Schema.Int,
  reservations: Schema.Array(Reservation),
  createdAt: Millis
})
export type TokenUse = typeof TokenUse.Type

export const kind = Kind.make({ name: "token_use", schema: TokenUse })

/** Who pays for a call, and up to how much a day. */
export interface Spender {
  /** Id of the use. */
  readonly use: TokenId
  readonly maxMicrosPerDay: number
}

/** What is reserved for a call, as its record keeps it. */
export interface CallReservation {
  readonly use: TokenId
  readonly micros: number
}

/** A call that is stored, with its cost. */
export interface SettledCall {
  readonly use: TokenId
  readonly call: string
  readonly createdAt: Millis
  readonly micros: number
}
