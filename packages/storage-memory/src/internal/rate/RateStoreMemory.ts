/** RateStore in memory. Counted uses have happened, so no transaction rolls them back. */
import { RateStore } from "@limbeck/core/rate/RateStore"
import { type Bucket, full, tell } from "@limbeck/core/rate/TokenBucket"
import * as Effect from "effect/Effect"

export const make = (): RateStore["Service"] => {
  const buckets = new Map<string, Bucket>()

  return RateStore.of({
    tell: (limit, uses) =>
      Effect.sync(() =>
        uses.map((told) => {
          const bucket = tell(limit, buckets.get(told.key) ?? full(limit, told.from), told)
          buckets.set(told.key, bucket)
          return bucket
        })
      ),
    sweep: (before, limit) =>
      Effect.sync(() => {
        const old = [...buckets].filter(([, { at }]) => at < before).slice(0, limit)
        for (const [key] of old) buckets.delete(key)
        return old.length
      })
  })
}
