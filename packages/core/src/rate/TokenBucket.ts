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

export interface Taken {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Seconds until one more would be allowed; 0 when it is. */
  readonly retryAfterSeconds: number
}

export const full = (limit: RateLimit, now: Millis): Bucket => ({ tokens: limit.burst, at: now })

export const take = (limit: RateLimit, bucket: Bucket, now: Millis): Taken => {
  const elapsed = Math.max(0, now - bucket.at) / 1000
  const tokens = Math.min(limit.burst, bucket.tokens + elapsed * limit.perSecond)
  return tokens >= 1
    ? { bucket: { tokens: tokens - 1, at: now }, allowed: true, retryAfterSeconds: 0 }
    : { bucket: { tokens, at: now }, allowed: false, retryAfterSeconds: (1 - tokens) / limit.perSecond }
}
