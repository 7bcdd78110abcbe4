/** Two servers on one Postgres, beside a workspace whose items never end. */
import { assert, it } from "@effect/vitest"
import type { Partition } from "@limbeck/core/partition/Partition"
import { slots } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { freshSchema, url } from "./Database.ts"

const topic = "thing"
const pool = slots(8)
const share = 4

it.live("each of two servers keeps slots free from a workspace whose items never end (P820)", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const [hostile, victim] = [Fresh.partition(), Fresh.partition()]
    const [isHeld, isDone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const begunOf = new Map<string, number>()
    let done = 0

    const server = Effect.gen(function* () {
      const queue = yield* Queue
      const { forever } = yield* LeasedWorker.make({
        topic,
        perform: (work) =>
          Effect.gen(function* () {
            const begun = (begunOf.get(work.partition.key) ?? 0) + 1
            begunOf.set(work.partition.key, begun)
            if (work.partition.key === hostile.key) {
              if (begun === 2 * share) yield* Deferred.succeed(isHeld, undefined)
              return yield* Effect.never
            }
            yield* queue.settle(work)
            if (++done === 40) yield* Deferred.succeed(isDone, undefined)
          }),
        pool,
        leaseMillis: 60_000,
        heartbeatMillis: 20_000,
        pollMillis: 1_000
      })
      return yield* forever
    }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))

    const offer = (partition: Partition, count: number) =>
      Effect.gen(function* () {
        const queue = yield* Queue
        yield* Effect.forEach(
          Array.from({ length: count }, (_, n) => `s${n}`),
          (subject) => queue.offer(partition, topic, subject, 0),
          { discard: true }
        )
        yield* queue.nudge(topic)
      })

    yield* Effect.gen(function* () {
      yield* Effect.forkScoped(server)
      yield* Effect.forkScoped(server)
      yield* offer(hostile, 100)
      yield* Deferred.await(isHeld)
      yield* offer(victim, 40)
      yield* Deferred.await(isDone)
      assert.strictEqual(begunOf.get(hostile.key), 2 * share)
    }).pipe(Effect.scoped, Effect.provide(StoragePostgres.layer({ url, schema })))
  })
)
