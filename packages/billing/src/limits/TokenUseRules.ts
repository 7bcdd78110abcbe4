/**
 * How calls use the limits of a token. Pure: whole micro-dollars, and time is an argument.
 *
 *     reserve(maximum cost) ──▶ reserved ── settle(cost) ──▶ spent, on the day of the call
 *                                  ├── release ────────────▶ free
 *                                  └── expires ────────────▶ free: its server is dead
 *
 * Invariant: after `reserve`, what is spent on the day and reserved together is at most the limit.
 */
import type { TokenId } from "@limbeck/core/ids/Id"
import * as TokenBucket from "@limbeck/core/rate/TokenBucket"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { BillingLimits } from "../Limits.ts"
import { dateOf } from "../ledger/LedgerRules.ts"
import type { Reservation, SettledCall, TokenUse } from "./TokenUse.ts"

export const zeroUse = (id: TokenId, now: Millis): TokenUse => ({
  id,
  day: dateOf(now),
  spentMicros: 0,
  reservations: [],
  createdAt: now
})

/** A bucket of one minute's requests, which fills within a minute. */
const rateOf = (perMinute: number): TokenBucket.RateLimit => ({ perSecond: perMinute / 60, burst: perMinute })

export interface RateUse {
  readonly use: TokenUse
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

/**
 * Takes one request from a bucket of this token's size. Tokens of one use share the fill of their buckets, whatever the
 * sizes. A refused request changes nothing.
 */
export const take = (use: TokenUse, perMinute: number, now: Millis): RateUse => {
  const limit = rateOf(perMinute)
  const { at, count } = use.requests ?? { at: now, count: 0 }
  const taken = TokenBucket.take(limit, { tokens: perMinute - count, at }, now)
  const requests = { count: perMinute - taken.bucket.tokens, at: taken.bucket.at }
  return {
    use: taken.allowed ? { ...use, requests } : use,
    allowed: taken.allowed,
    retryAfterSeconds: taken.retryAfterSeconds
  }
}

/** A new day resets the spending; reservations last until they expire. A clock that lags starts no new day. */
const at = (use: TokenUse, now: Millis): TokenUse => {
  const today = dateOf(now)
  const reservations = use.reservations.filter(({ expiresAt }) => expiresAt > now)
  return today > use.day ? { ...use, day: today, spentMicros: 0, reservations } : { ...use, reservations }
}

const without = (reservations: ReadonlyArray<Reservation>, calls: ReadonlySet<string>): ReadonlyArray<Reservation> =>
  reservations.filter(({ call }) => !calls.has(call))

const reservedBy = (use: TokenUse): number => use.reservations.reduce((sum, { micros }) => sum + micros, 0)

const reservationOf = (call: string, micros: number, now: Millis): Reservation => ({
  call,
  micros,
  expiresAt: now + BillingLimits.holdMillis
})

export interface CostUse {
  readonly use: TokenUse
  readonly allowed: boolean
  /** The rest of the day's limit before the reservation. */
  readonly leftMicros: number
}

/** Reserves the maximum cost of a call, in place of what was reserved for it before. A refused one changes nothing. */
export const reserve = (
  use: TokenUse,
  {
    call,
    maxMicrosPerDay,
    micros
  }: { readonly call: string; readonly micros: number; readonly maxMicrosPerDay: number },
  now: Millis
): CostUse => {
  const current = at(use, now)
  const others = { ...current, reservations: without(current.reservations, new Set([call])) }
  const leftMicros = Math.max(0, maxMicrosPerDay - others.spentMicros - reservedBy(others))
  if (micros > leftMicros) return { use, allowed: false, leftMicros }
  const reservations = [...others.reservations, reservationOf(call, micros, now)]
  return { use: { ...others, reservations }, allowed: true, leftMicros }
}

/** The costs of stored calls, each counted on the day when the call began. */
export const settle = (use: TokenUse, settled: ReadonlyArray<Omit<SettledCall, "use">>, now: Millis): TokenUse => {
  const current = at(use, now)
  const spent = settled
    .filter(({ createdAt }) => dateOf(createdAt) === current.day)
    .reduce((sum, { micros }) => sum + micros, current.spentMicros)
  return {
    ...current,
    spentMicros: Math.min(spent, Number.MAX_SAFE_INTEGER),
    reservations: without(current.reservations, new Set(settled.map(({ call }) => call)))
  }
}

/** Renews the reservations of a server's calls, also those that have expired meanwhile, and frees those of `released`. */
export const renew = (
  use: TokenUse,
  reserved: ReadonlyArray<{ readonly call: string; readonly micros: number }>,
  released: ReadonlyArray<string>,
  now: Millis
): TokenUse => {
  const current = at(use, now)
  const own = new Set([...reserved.map(({ call }) => call), ...released])
  const renewed = reserved.map(({ call, micros }) => reservationOf(call, micros, now))
  return { ...current, reservations: [...without(current.reservations, own), ...renewed] }
}
