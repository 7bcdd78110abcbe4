/** A token bucket: `burst` at most, refilled by `perSecond` (contract 10). Pure: time is an argument. */
import type { Millis } from "../time/Timestamp.ts"

export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

export interface Bucket {
  readonly tokens: number
  readonly at: Millis
}

export interface TakeResult {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Seconds until one more would be allowed; 0 when it is. */
  readonly retryAfterSeconds: number
}

/** A server's allowed but unreported uses. */
export interface Uses {
  readonly count: number
  /** The time of the first use. */
  readonly from: Millis
}

export const full = (limit: RateLimit, now: Millis): Bucket => ({ tokens: limit.burst, at: now })

const refilled = (limit: RateLimit, { at, tokens }: Bucket, now: Millis): number =>
  Math.min(limit.burst, tokens + (Math.max(0, now - at) / 1000) * limit.perSecond)

export const take = (limit: RateLimit, bucket: Bucket, now: Millis): TakeResult => {
  const tokens = refilled(limit, bucket, now)
  return tokens >= 1
    ? { bucket: { tokens: tokens - 1, at: now }, allowed: true, retryAfterSeconds: 0 }
    : { bucket: { tokens, at: now }, allowed: false, retryAfterSeconds: (1 - tokens) / limit.perSecond }
}

/**
 * The shared bucket after a server has reported its uses. All uses count as if made at `from`, so a single server never
 * finds fewer tokens here than it knows of. Uses beyond the limit become a debt of at most one burst, and callers wait
 * for its refill.
 */
export const tell = (limit: RateLimit, shared: Bucket, { count, from }: Uses): Bucket => {
  const at = Math.max(shared.at, from)
  return { tokens: Math.max(-limit.burst, refilled(limit, shared, at) - count), at }
}

/**
 * The server's own bucket after a report: no more than it had, and no more than the shared bucket holds minus `untold`
 * uses.
 */
export const learn = (limit: RateLimit, own: Bucket, shared: Bucket, untold: number, now: Millis): Bucket => ({
  tokens: Math.min(refilled(limit, own, now), refilled(limit, shared, now) - untold),
  at: now
})

/** The time until any bucket is full, even from the deepest debt; afterwards the bucket can be removed. */
export const fullAfterMillis = ({ burst, perSecond }: RateLimit): number => Math.ceil((2 * burst * 1000) / perSecond)

/** The maximum of a server's unreported uses. */
export const untoldMax = ({ burst }: RateLimit): number => Math.max(2, Math.floor(burst / 10))
