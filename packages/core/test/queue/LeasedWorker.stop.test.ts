import { assert, describe, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const topic = "thing"
const partition = Partition.make(`ws_${"1".padStart(26, "0")}`, true)

describe("LeasedWorker, stop", () => {
  it.effect("hands back items whose claim was under way", () =>
    Effect.gen(function* () {
      const queue = yield* Queue
      const [claimed, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // The claim is stored, and its answer is on the way.
      const claim: typeof queue.claim = (request) =>
        Effect.tap(queue.claim(request), (works) =>
          works.length === 0
            ? Effect.void
            : Effect.andThen(Deferred.succeed(claimed, undefined), Deferred.await(answered))
        )
      const { forever } = yield* LeasedWorker.make({
        topic,
        perform: () => Effect.never,
        pool: Pools.runs,
        leaseMillis: 12_000,
        heartbeatMillis: 3_000,
        pollMillis: 10_000
      }).pipe(Effect.provideService(Queue, { ...queue, claim }))
      yield* queue.offer(partition, topic, "one", 0)
      const worker = yield* Effect.forkChild(forever)
      yield* Deferred.await(claimed)
      const stopped = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(stopped)

      const turns = { behind: "", free: 1, held: new Map() }
      const again = yield* queue.claim({ topic, now: 0, limit: 1, leaseUntil: 1, turns })
      assert.deepStrictEqual(
        again.map(({ subject }) => subject),
        ["one"]
      )
    }).pipe(Effect.scoped, Effect.provide(StorageMemory.layer))
  )
})
