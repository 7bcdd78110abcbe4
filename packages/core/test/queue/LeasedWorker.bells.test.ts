import { assert, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import { slots } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const partition = Partition.make("ws_00000000000000000000000001", true)
const topic = "thing"
/** A workspace alone has two slots. */
const pool = slots(4)

/** A running worker, with records of its work and its queue accesses. */
const open = Effect.fnUntraced(function* (
  perform: (queue: Queue["Service"], work: Work) => Effect.Effect<void, unknown>
) {
  const queue = yield* Queue
  const seen = { claims: 0, questions: 0, rings: 0 }
  const counted = <A, E>(name: keyof typeof seen, call: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      seen[name]++
      return call
    })
  const counting = Queue.of({
    ...queue,
    claim: (options) => counted("claims", queue.claim(options)),
    nextDueAt: (of, except) => counted("questions", queue.nextDueAt(of, except)),
    nudge: (of) => counted("rings", queue.nudge(of))
  })
  const done: Array<readonly [subject: string, at: number]> = []
  const worker = yield* LeasedWorker.make({
    topic,
    perform: (work) =>
      Effect.andThen(
        Effect.map(Clock.currentTimeMillis, (now) => done.push([work.subject, now])),
        perform(queue, work)
      ),
    pool,
    leaseMillis: 100_000,
    heartbeatMillis: 30_000,
    pollMillis: 50_000
  }).pipe(Effect.provideService(Queue, counting))
  yield* Effect.forkChild(worker.forever)
  const pass = (millis: number) =>
    Effect.andThen(TestClock.adjust(millis), Effect.repeat(Effect.yieldNow, { times: 200 }))
  yield* pass(0)
  const offer = Effect.fnUntraced(function* (subject: string) {
    yield* queue.offer(partition, topic, subject, yield* Clock.currentTimeMillis)
  })
  return { done, offer, pass, ring: queue.nudge(topic), seen }
})

const settles = (queue: Queue["Service"], work: Work) => queue.settle(work)

it.effect("an item that ends where hands are free rings nobody, and has nothing claimed again (P242)", () =>
  Effect.gen(function* () {
    const { done, offer, pass, ring, seen } = yield* open(settles)
    yield* offer("a")
    yield* ring
    const before = { ...seen }
    yield* pass(1_000)
    assert.deepStrictEqual(done, [["a", 0]])
    assert.strictEqual(seen.rings, 0)
    assert.strictEqual(seen.claims - before.claims, 1)
    assert.isAtMost(seen.questions - before.questions, 2)
  }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect("of more than there are hands for, each that ends makes room for the next at once (P242)", () =>
  Effect.gen(function* () {
    const { done, offer, pass, ring, seen } = yield* open((queue, work) =>
      Effect.andThen(Effect.sleep(1_000), queue.settle(work))
    )
    for (const subject of ["a", "b", "c", "d", "e"]) yield* offer(subject)
    yield* ring
    for (let second = 0; second < 4; second++) yield* pass(1_000)
    assert.deepStrictEqual(done, [
      ["a", 0],
      ["b", 0],
      ["c", 1_000],
      ["d", 1_000],
      ["e", 2_000]
    ])
    assert.strictEqual(seen.rings, 0)
  }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect("an item that is due again later is done at its time, without a ring and before a poll (P242)", () =>
  Effect.gen(function* () {
    const { done, offer, pass, ring, seen } = yield* open((queue, work) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now < 5_000 ? queue.release(work, now + 5_000) : queue.settle(work)
      )
    )
    yield* offer("a")
    yield* ring
    yield* pass(1_000)
    yield* pass(4_000)
    assert.deepStrictEqual(done, [
      ["a", 0],
      ["a", 5_000]
    ])
    assert.strictEqual(seen.rings, 0)
  }).pipe(Effect.provide(StorageMemory.layer))
)
