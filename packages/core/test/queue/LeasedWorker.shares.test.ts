import { assert, describe, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import { type Pool, Pools, slots } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const topic = "thing"

let workspaces = 0
/** A fresh workspace per case. */
const partition = () => Partition.make(`ws_${String(++workspaces).padStart(26, "0")}`, true)

/** A storage with workers on it: an item of `hostile` never ends, any other takes a second. */
const open = Effect.fnUntraced(function* (pool: Pool, workers = 1) {
  const queue = yield* Queue
  const hostile = partition()
  const begun: Array<string> = []
  let ended = 0
  const perform: LeasedWorker.LeasedWorkerOptions<unknown>["perform"] = (work) =>
    Effect.gen(function* () {
      begun.push(work.partition.workspace)
      if (work.partition.workspace === hostile.workspace) return yield* Effect.never
      yield* Effect.sleep(1_000)
      yield* queue.settle(work)
      ended++
    })
  const options = { topic, perform, pool, leaseMillis: 12_000, heartbeatMillis: 3_000, pollMillis: 10_000 }
  for (let started = 0; started < workers; started++) {
    const { forever } = yield* LeasedWorker.make(options)
    yield* Effect.forkChild(forever)
  }
  const offer = Effect.fnUntraced(function* (owner: Partition.Partition, count: number) {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => `s${n}`),
      (subject) => queue.offer(owner, topic, subject, now),
      { discard: true }
    )
    yield* queue.nudge(topic)
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
  })
  return {
    hostile,
    offer,
    ended: () => ended,
    begunOf: ({ workspace }: Partition.Partition) => begun.filter((owner) => owner === workspace).length
  }
})

/** Seconds until so many items have ended; workers have a few turns of the event loop after each. */
const secondsUntil = Effect.fnUntraced(function* (ended: () => number, count: number) {
  let seconds = 0
  while (ended() < count && seconds < 1_000) {
    seconds++
    yield* TestClock.adjust(1_000)
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
  }
  return seconds
})

/** Seconds for `count` items of one workspace beside as many of a hostile one, or alone. */
const secondsBeside = (pool: Pool, count: number, hostileItems: number) =>
  Effect.gen(function* () {
    const { ended, hostile, offer } = yield* open(pool)
    yield* offer(hostile, hostileItems)
    yield* offer(partition(), count)
    return yield* secondsUntil(ended, count)
  }).pipe(Effect.scoped, Effect.provide(StorageMemory.layer))

/** Pools with several slots shared by workspaces. */
const pools = Object.entries(Pools).filter(
  ([name, { size, unit }]: [string, Pool]) => !name.startsWith("webhook") && unit === "slots" && size > 1
)

describe("LeasedWorker, shares", () => {
  for (const [name, pool] of pools) {
    it.effect(
      `items that never end cost another workspace at most twice its time in a pool as large as ${name} (P820)`,
      () =>
        Effect.gen(function* () {
          // Claims of a long queue take long: of large pools two rounds, of small ones four.
          const count = (pool.size > 64 ? 2 : 4) * pool.size
          const alone = yield* secondsBeside(pool, count, 0)
          assert.strictEqual(alone, Math.ceil(count / sizeAlone(pool.size)))
          assert.isAtMost(yield* secondsBeside(pool, count, count), 2 * alone)
        })
    )
  }

  it.effect("an item begins at once beside any number of a neighbour that never end, in both modes (P820)", () =>
    Effect.gen(function* () {
      const { begunOf, hostile, offer } = yield* open(slots(8))
      const victim = partition()
      yield* offer(hostile, 300)
      yield* offer(Partition.make(hostile.workspace, !hostile.livemode), 300)
      assert.strictEqual(begunOf(hostile), 4)
      yield* offer(victim, 1)
      assert.strictEqual(begunOf(victim), 1)
    }).pipe(Effect.provide(StorageMemory.layer))
  )

  it.effect("of two servers on one storage each keeps slots free from a neighbour whose items never end (P820)", () =>
    Effect.gen(function* () {
      const { begunOf, hostile, offer } = yield* open(slots(8), 2)
      const victim = partition()
      yield* offer(hostile, 300)
      assert.strictEqual(begunOf(hostile), 8)
      yield* offer(victim, 20)
      assert.strictEqual(begunOf(victim), 4)
    }).pipe(Effect.provide(StorageMemory.layer))
  )

  it.effect("each further neighbour leaves a newcomer a slot (P820)", () =>
    Effect.gen(function* () {
      const { begunOf, offer } = yield* open(slots(8))
      const others = [partition(), partition(), partition()]
      for (const other of others) yield* offer(other, 300)
      assert.deepStrictEqual(others.map(begunOf), [4, 2, 1])
      const newcomer = partition()
      yield* offer(newcomer, 300)
      assert.strictEqual(begunOf(newcomer), 1)
    }).pipe(Effect.provide(StorageMemory.layer))
  )

  it.effect("a worker with items without a slot rests, and looks again when an item of any workspace ends (P820)", () =>
    Effect.gen(function* () {
      let looks = 0
      const queue = yield* Queue
      const counting = Queue.of({
        ...queue,
        claim: (options) => {
          looks++
          return queue.claim(options)
        }
      })
      const { begunOf, hostile, offer } = yield* Effect.provideService(open(slots(8)), Queue, counting)
      yield* offer(hostile, 300)
      looks = 0
      yield* TestClock.adjust("5 seconds")
      assert.isAtMost(looks, 5)
      const other = partition()
      yield* offer(other, 9)
      yield* TestClock.adjust(1_000)
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      assert.strictEqual(begunOf(other), 4)
    }).pipe(Effect.provide(StorageMemory.layer))
  )
})
