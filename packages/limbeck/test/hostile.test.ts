/** The engine with its real sender among a thousand hostile receivers, each of them one of the ways that the sender's tests know. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Hostile from "../benchmarks/Hostile.ts"

const attemptMillis = 1_000
const slackMillis = 500
const patienceMillis = 60_000
const growthMax = 50_000_000
/** What grows with every round grows in all of them; what is kept in reserve grows in some. */
const roundsMax = 5
const hostileCount = 1_000
const healthyCount = 20

const bench = Effect.acquireRelease(
  Effect.promise(() => Hostile.start({ hostile: hostileCount, healthy: healthyCount, attemptMillis })),
  (bench) => Effect.promise(() => Hostile.stop(bench))
)

/** One event to every hostile receiver, and meanwhile one to every healthy one; ends when no attempt is under way. */
const round = Effect.fnUntraced(function* (bench: Hostile.Bench) {
  yield* Effect.promise(() => Hostile.hostileRound(bench))
  assert.strictEqual(yield* Effect.promise(() => Hostile.healthyRound(bench, patienceMillis)), healthyCount)
  const all = { ended: 0, longestMillis: 0, heldUpMillis: 0 }
  // On a busy machine some end before others begin.
  while (all.ended < hostileCount + healthyCount) {
    const { ended, heldUpMillis, longestMillis } = yield* Effect.promise(() => Hostile.untilIdle(bench))
    all.ended += ended
    all.longestMillis = Math.max(all.longestMillis, longestMillis)
    all.heldUpMillis = Math.max(all.heldUpMillis, heldUpMillis)
  }
  return all
})

it.live(
  "a thousand hostile receivers at once hold no slot, end in time, take no memory, and keep nothing from healthy ones",
  () =>
    Effect.gen(function* () {
      const between = yield* bench
      assert.strictEqual(yield* Effect.promise(() => Hostile.healthyRound(between, patienceMillis)), healthyCount)
      yield* Effect.promise(() => Hostile.memory(between))

      const { ended, heldUpMillis, longestMillis } = yield* round(between)
      assert.isAtLeast(ended, hostileCount + healthyCount)
      // What holds up the whole process, such as a busy machine, at the start and at the end, is not the attempt's.
      assert.isAtMost(longestMillis, attemptMillis + slackMillis + 2 * heldUpMillis)
      let before = yield* Effect.promise(() => Hostile.memory(between))
      assert.isBelow(before.heapBytes, growthMax)

      const grown: Array<number> = []
      // The first round brought in code and buffers; another one adds to neither.
      while (grown.length < roundsMax && !grown.some((bytes) => bytes < growthMax)) {
        yield* round(between)
        const after = yield* Effect.promise(() => Hostile.memory(between))
        assert.isBelow(after.heapBytes, growthMax)
        grown.push(after.rssBytes - before.rssBytes)
        before = after
      }
      assert.isBelow(Math.min(...grown), growthMax, String(grown))
      assert.strictEqual(yield* Effect.promise(() => Hostile.healthyRound(between, patienceMillis)), healthyCount)
    })
)
