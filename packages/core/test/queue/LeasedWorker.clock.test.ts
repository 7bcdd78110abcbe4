import { assert, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import { slots } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const partition = Partition.make("ws_00000000000000000000000001", true)
const day = 24 * 3_600_000
const start = 1_000 * day

const workerOf = (perform: (subject: string) => Effect.Effect<void>) =>
  LeasedWorker.make({
    topic: "thing",
    perform: ({ subject }) => perform(subject),
    pool: slots(8),
    leaseMillis: 10_000,
    heartbeatMillis: 3_000,
    pollMillis: 10_000
  })

it.effect("work that was put off by a clock a day ahead is done within a minute of the clock's return (P123)", () =>
  Effect.gen(function* () {
    const queue = yield* Queue
    const done = yield* Deferred.make<void>()
    yield* TestClock.setTime(start + day)
    const worker = yield* workerOf(() => Effect.asVoid(Deferred.succeed(done, undefined)))
    yield* Effect.forkChild(worker.forever)
    yield* TestClock.adjust(1)
    yield* queue.offer(partition, "thing", "a", start + day + 30_000)
    yield* TestClock.setTime(start)
    // The next poll: real timers follow no adjustable clock, tests' timers do.
    yield* queue.nudge("thing")
    for (let seconds = 0; seconds < 60; seconds++) yield* TestClock.adjust("1 second")
    assert.isTrue(yield* Deferred.isDone(done))
  }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect(
  "a lease of a process that died under a clock a day ahead ends like any other, once a worker starts (P123)",
  () =>
    Effect.gen(function* () {
      const queue = yield* Queue
      const done = yield* Deferred.make<void>()
      yield* queue.offer(partition, "thing", "a", start)
      yield* queue.claim({ topic: "thing", now: start + day, limit: 1, leaseUntil: start + day + 10_000 })
      yield* TestClock.setTime(start)
      const worker = yield* workerOf(() => Effect.asVoid(Deferred.succeed(done, undefined)))
      yield* Effect.forkChild(worker.forever)
      for (let seconds = 0; seconds < 60; seconds++) yield* TestClock.adjust("1 second")
      assert.isTrue(yield* Deferred.isDone(done))
    }).pipe(Effect.provide(StorageMemory.layer))
)
