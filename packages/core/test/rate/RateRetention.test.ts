import { assert, describe, it } from "@effect/vitest"
import * as RateRetention from "@limbeck/core/rate/RateRetention"
import { RateStore } from "@limbeck/core/rate/RateStore"
import * as Effect from "effect/Effect"

describe("RateRetention", () => {
  it.effect("forgets in storage the buckets that are full again", () => {
    const swept: Array<number> = []
    const store = RateStore.of({
      tell: () => Effect.die("not asked"),
      sweep: (before) => Effect.sync(() => swept.push(before))
    })
    return Effect.gen(function* () {
      const { removeBatch } = yield* RateRetention.rule([
        { perSecond: 100, burst: 200 },
        { perSecond: 0.5, burst: 40 }
      ])
      assert.strictEqual(yield* removeBatch(600_000), "done")
      // A debt of a burst is paid, and the bucket full, after twice 80 seconds.
      assert.deepStrictEqual(swept, [600_000 - 160_000 - 60_000])
    }).pipe(Effect.provideService(RateStore, store))
  })
})
