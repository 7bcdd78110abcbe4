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

/** What one server has let through and the others do not know of yet. */
export interface Uses {
  readonly count: number
  /** When the first of them was. */
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
 * The bucket that servers share, after one of them has told its uses. They count as if all were at `from`, so one server
 * alone never finds less here than it knows of. What was let through beyond the limit is a debt, of a burst at most, and
 * is waited for like anything else.
 */
export const tell = (limit: RateLimit, shared: Bucket, { count, from }: Uses): Bucket => {
  const at = Math.max(shared.at, from)
  return { tokens: Math.max(-limit.burst, refilled(limit, shared, at) - count), at }
}

/** What a server goes on with: no more than it knew of, and no more than the shared bucket has beside `untold` uses. */
export const learn = (limit: RateLimit, own: Bucket, shared: Bucket, untold: number, now: Millis): Bucket => ({
  tokens: Math.min(refilled(limit, own, now), refilled(limit, shared, now) - untold),
  at: now
})

/** After so long a bucket is full, however deep in debt it was: it need not be kept. */
export const fullAfterMillis = ({ burst, perSecond }: RateLimit): number => Math.ceil((2 * burst * 1000) / perSecond)

/** How many uses a server may let through that it has not told the others of. */
export const untoldMax = ({ burst }: RateLimit): number => Math.max(2, Math.floor(burst / 10))
