/** Removes shared token buckets that are full again: an absent bucket counts as full. */
import * as Effect from "effect/Effect"
import * as RetentionRule from "../retention/RetentionRule.ts"
import { RateStore } from "./RateStore.ts"
import { fullAfterMillis, type RateLimit } from "./TokenBucket.ts"

/** A bucket stays for so much longer than it takes to fill: the clocks of servers differ. */
const spareMillis = 60_000

/** `limits`: every rate limit of the buckets. */
export const rule = (limits: ReadonlyArray<RateLimit>) =>
  Effect.map(RateStore, (store) => {
    const keptMillis = Math.max(...limits.map(fullAfterMillis)) + spareMillis
    return RetentionRule.ofRows({
      name: "rate limit buckets",
      setting: "rateLimit",
      remove: (now, max) => store.sweep(now - keptMillis, max)
    })
  })
