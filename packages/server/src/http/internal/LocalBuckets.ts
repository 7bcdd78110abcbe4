/** This process's copy of the shared token buckets, with its unreported uses. */
import { type Bucket, full, learn, type RateLimit, untoldMax } from "@limbeck/core/rate/TokenBucket"
import type { Millis } from "@limbeck/core/time/Timestamp"

/** Maximum buckets; drops the least recently used, whose token then starts with a full bucket. */
const bucketsMax = 10_000

/** Its uses are in `unreported`, then in `reporting`, then in the shared bucket that storage keeps; `bucket` has all of them. */
export interface LocalBucket {
  readonly key: string
  bucket: Bucket
  /** Uses that the round under way reports. */
  reporting: number
  unreported: number
  /** When the first unreported use was. */
  since: Millis
}

export class LocalBuckets {
  private readonly buckets = new Map<string, LocalBucket>()
  private unreported = new Map<string, LocalBucket>()
  private readonly limit: RateLimit
  private readonly aheadMax: number

  constructor(limit: RateLimit) {
    this.limit = limit
    this.aheadMax = untoldMax(limit)
  }

  /** The bucket of a token. */
  of(key: string, now: Millis): LocalBucket {
    const local = this.buckets.get(key) ??
      this.unreported.get(key) ?? { key, bucket: full(this.limit, now), reporting: 0, unreported: 0, since: now }
    this.buckets.delete(key)
    this.buckets.set(key, local)
    if (this.buckets.size > bucketsMax) this.buckets.delete(this.buckets.keys().next().value ?? key)
    return local
  }

  /** Counts one use, or its return: -1. */
  count(local: LocalBucket, times: 1 | -1, now: Millis): void {
    if (local.unreported === 0) {
      local.since = now
      this.unreported.set(local.key, local)
    }
    local.unreported += times
  }

  /** Whether a round should begin at once: half of a server's allowance is unreported. */
  isUrgent({ unreported }: LocalBucket): boolean {
    return unreported >= Math.ceil(this.aheadMax / 2)
  }

  /** Whether a use must wait for the report of earlier ones. */
  isAhead({ reporting, unreported }: LocalBucket): boolean {
    return reporting + unreported >= this.aheadMax
  }

  /** Begins a round: the buckets that it reports. */
  begin(): ReadonlyArray<LocalBucket> {
    const round = [...this.unreported.values()]
    this.unreported = new Map()
    for (const local of round) {
      local.reporting = local.unreported
      local.unreported = 0
    }
    return round
  }

  /** Storage has returned the shared bucket, which includes all reported uses. */
  learn(local: LocalBucket, shared: Bucket, now: Millis): void {
    local.bucket = learn(this.limit, local.bucket, shared, local.unreported, now)
  }

  /** Ends a round, whatever became of it: uses that could not be reported are lost to the others, never to this process. */
  end(round: ReadonlyArray<LocalBucket>): void {
    for (const local of round) local.reporting = 0
  }
}
