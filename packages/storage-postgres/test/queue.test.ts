import { assert, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as StreamQueue from "effect/Queue"
import { twoPools } from "./Database.ts"

it.live("workers of two processes share the work: every item is claimed once (P13)", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoPools
    const queues = [Context.get(one, Queue), Context.get(two, Queue)] as const
    const partition = Fresh.partition()
    const subjects = Array.from({ length: 300 }, (_, index) => `subject-${index}`)
    yield* Effect.forEach(subjects, (subject) => queues[0].offer(partition, "topic", subject, 1), { concurrency: 8 })

    const claimed: Array<string> = []
    const worker = (queue: Queue["Service"]) =>
      Effect.gen(function* () {
        while (claimed.length < subjects.length) {
          const work = yield* queue.claim({ topic: "topic", now: 2, limit: 7, leaseUntil: 1_000 })
          for (const { subject } of work) claimed.push(subject)
          yield* Effect.forEach(work, queue.settle, { discard: true })
        }
      })
    yield* Effect.forEach([...queues, ...queues], worker, { concurrency: "unbounded" })
    assert.deepStrictEqual(claimed.toSorted(), subjects.toSorted())
  })
)

it.live("a nudge rings in every process, after the commit", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoPools
    const bell = yield* Context.get(two, Queue).doorbell("topic")
    yield* bell.await
    for (const whom of ["everywhere", "elsewhere"] as const) {
      const nudge = Context.get(one, Queue).nudge("topic", whom)
      yield* Context.get(one, Storage).transaction(nudge)
      yield* bell.await
    }
  })
)

it.live(
  "a process that loses its listening connection listens again, and looks for what it may have missed (P16)",
  () =>
    Effect.gen(function* () {
      const { one, schema, sql, two } = yield* twoPools
      const bell = yield* Context.get(two, Queue).doorbell("topic")
      // The first ring comes from the connection itself: earlier rings may have been missed.
      yield* bell.await
      const killed = yield* sql`
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE query LIKE 'LISTEN %' AND query LIKE ${`%${schema}%`}`
      assert.strictEqual(killed.length, 1)
      yield* bell.await
      yield* Context.get(one, Queue).nudge("topic")
      yield* bell.await
    })
)

it.live("doorbells of one process share a connection, and many nudges are few notifications", () =>
  Effect.gen(function* () {
    const { one, schema, sql } = yield* twoPools
    const queue = Context.get(one, Queue)
    yield* Effect.forEach(["a", "b", "c"], (topic) => queue.doorbell(topic))
    const listeners = yield* sql`
      SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND query LIKE ${`%${schema}%`}`
    assert.strictEqual(listeners.length, 1)

    const heard = yield* sql.listen(`${schema}_bells`)
    yield* Effect.repeat(queue.nudge("a"), { times: 500 })
    yield* Effect.repeat(queue.nudge("b"), { times: 500 })
    const next = Effect.map(StreamQueue.take(heard), ({ payload }) => payload.split(" ")[1])
    let notifications = 1
    while ((yield* next) !== "b") notifications++
    assert.isBelow(notifications, 100)
  })
)
