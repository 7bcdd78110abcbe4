import { assert, describe, it } from "@effect/vitest"
import type * as Id from "@limbeck/core/ids/Id"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { type Pool, Pools, slots } from "@limbeck/core/pools/Pools"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

let workspaces = 0
/** One that no other case has. */
const workspace = (): Id.Id<"ws"> => `ws_${String(++workspaces).padStart(26, "0")}`

const settle = Effect.repeat(Effect.yieldNow, { times: 100 })

/** Slots, and which workspaces have begun in them, in their order. */
const open = (pool: Pool) => {
  const fair = FairSlots.make(pool)
  const begun: Array<string> = []
  const start = (owner: Id.Id<"ws">, work: Effect.Effect<void>) =>
    Effect.forkChild(
      fair.run(
        owner,
        Effect.suspend(() => {
          begun.push(owner)
          return work
        })
      )
    )
  return { begun, start }
}

/** Seconds for `count` items of one workspace beside as many of a hostile one, each a second long, or endless. */
const secondsBeside = Effect.fnUntraced(function* (
  pool: Pool,
  count: number,
  hostile: Effect.Effect<void>,
  pieces: number
) {
  const { start } = open(pool)
  const [neighbour, victim] = [workspace(), workspace()]
  let ended = 0
  for (let piece = 0; piece < pieces; piece++) yield* start(neighbour, hostile)
  yield* settle
  const work = Effect.andThen(
    Effect.sleep(1_000),
    Effect.sync(() => {
      ended++
    })
  )
  for (let piece = 0; piece < count; piece++) yield* start(victim, work)
  yield* settle
  let seconds = 0
  while (ended < count && seconds < 1_000) {
    seconds++
    yield* TestClock.adjust(1_000)
    yield* settle
  }
  return seconds
}, Effect.scoped)

const shared = Object.entries(Pools).filter(
  ([name, { unit }]: [string, Pool]) => !name.startsWith("webhook") && unit === "slots"
)

describe("FairSlots", () => {
  for (const [name, pool] of shared) {
    const hostile = pool.size === 1 ? Effect.sleep(1_000) : Effect.never
    it.effect(`a neighbour costs a workspace at most twice its time in a pool as large as ${name} (P820)`, () =>
      Effect.gen(function* () {
        const count = 2 * pool.size
        const alone = yield* secondsBeside(pool, count, hostile, 0)
        // The item under way at the workspace's arrival is one more turn.
        assert.isAtMost(yield* secondsBeside(pool, count, hostile, 4 * count), 2 * alone + 1)
      })
    )
  }

  it.effect("workspaces take turns, however many fibers of one wait (P820)", () =>
    Effect.gen(function* () {
      const { begun, start } = open(slots(1))
      const [a, b, c] = [workspace(), workspace(), workspace()]
      for (const owner of [a, a, a, a, b, b, c]) yield* start(owner, Effect.sleep(1_000))
      yield* settle
      for (let second = 0; second < 7; second++) yield* Effect.andThen(TestClock.adjust(1_000), settle)
      assert.deepStrictEqual(begun, [a, a, b, c, a, b, a])
    })
  )

  it.effect("a fiber that is interrupted gives back its slot or its place in the line (P820)", () =>
    Effect.gen(function* () {
      const { begun, start } = open(slots(1))
      const [a, b, c] = [workspace(), workspace(), workspace()]
      const holder = yield* start(a, Effect.never)
      const waiting = yield* start(b, Effect.never)
      yield* start(c, Effect.never)
      yield* settle
      assert.deepStrictEqual(begun, [a])
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(holder)
      yield* settle
      assert.deepStrictEqual(begun, [a, c])
    })
  )

  it.effect("many pieces that end at once do not deepen the stack, and each has its slot", () =>
    Effect.gen(function* () {
      const fair = FairSlots.make(slots(1))
      const owner = workspace()
      let ended = 0
      const piece = fair.run(
        owner,
        Effect.sync(() => {
          ended++
        })
      )
      yield* Effect.replicateEffect(piece, 20_000, { concurrency: "unbounded", discard: true })
      assert.strictEqual(ended, 20_000)
    })
  )
})
