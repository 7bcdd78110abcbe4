/** Storage's promises: a transaction is atomic over every store that joins it. */
import { assert } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Deliveries from "../fixtures/Deliveries.ts"
import * as Events from "../fixtures/Events.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"

const stores = Effect.all({
  deliveries: DeliveryStore,
  events: EventStore,
  idempotency: IdempotencyStore,
  queue: Queue,
  records: RunRecords,
  resources: ResourceStore,
  rows: RowStore
})

/** One write through every store, and a look at which are visible. */
const writes = (partition: Partition) => {
  const note = Notes.note()
  const event = Events.event(partition)
  const delivery = Deliveries.delivery(event, Deliveries.endpointId(), Fresh.start + 10 ** 11)
  const topic = Fresh.name("topic")
  const key = Fresh.name("key")
  const run = Fresh.id("run")
  const version = Fresh.id("dsv")
  const record = { key, fingerprint: "f", status: 201, body: "{}", sealed: false, expiresAt: Fresh.start + 1_000 }

  const write = Effect.flatMap(stores, ({ deliveries, events, idempotency, queue, records, resources, rows }) =>
    Effect.all(
      [
        resources.insert(partition, Notes.kind, note),
        events.append(partition, [event]),
        deliveries.insert(partition, [delivery]),
        queue.offer(partition, topic, "subject", Fresh.start),
        idempotency.record(partition, record),
        rows.append(partition, version, [{ key: "1", split: "train", body: "{}" }]),
        records.append(partition, run, [
          { kind: "log", line: { stage: 1, at: Fresh.start, level: "info", message: "line" } },
          { kind: "metric", point: { stage: 1, name: "loss", unit: "nats", step: 1, value: 0.5, at: Fresh.start } }
        ])
      ],
      { discard: true }
    )
  )

  const seen = Effect.gen(function* () {
    const { deliveries, events, idempotency, queue, records, resources, rows } = yield* stores
    const found = {
      resource: Option.isSome(yield* resources.find(partition, Notes.kind, note.id)),
      event: Option.isSome(yield* events.find(partition, event.id)),
      delivery: Option.isSome(yield* deliveries.find(partition, delivery.endpointId, delivery.id)),
      work: (yield* queue.nextDueAt(topic)) !== null,
      answer: Option.isSome(yield* idempotency.find(partition, key)),
      row: (yield* rows.page(partition, version, { split: null, after: null, limit: 1 })).items.length > 0,
      log: (yield* records.logs(partition, run, { stage: null, after: 0, limit: 1 })).length > 0,
      metric: (yield* records.metrics(partition, run)).length > 0
    }
    return Object.entries(found).flatMap(([name, there]) => (there ? [name] : []))
  })

  return { write, seen }
}

const everything = ["resource", "event", "delivery", "work", "answer", "row", "log", "metric"]

class Refused extends Error {}

export const suite = describePort("Storage", (it) => {
  it.effect("storage that is up answers", () => Effect.flatMap(Storage, (storage) => storage.health))

  it.effect("what happens in a transaction commits whole, and its value is the answer", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      assert.strictEqual(yield* storage.transaction(Effect.as(write, 7)), 7)
      assert.deepStrictEqual(yield* seen, everything)
    })
  )

  it.effect("a transaction sees what it has written", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      assert.deepStrictEqual(yield* storage.transaction(Effect.andThen(write, seen)), everything)
    })
  )

  it.effect("a transaction that fails did not happen, and its failure is the answer (P5)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      const error = yield* Effect.flip(storage.transaction(Effect.andThen(write, Effect.fail("refused" as const))))
      assert.strictEqual(error, "refused")
      assert.deepStrictEqual(yield* seen, [])
    })
  )

  it.effect("a transaction that dies did not happen", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      const exit = yield* Effect.exit(storage.transaction(Effect.andThen(write, Effect.die(new Refused()))))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* seen, [])
    })
  )

  it.effect("a transaction that is interrupted did not happen (P5)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      const written = yield* Deferred.make<void>()
      const inside = Effect.all([write, Deferred.succeed(written, undefined), Effect.never], { discard: true })
      const fiber = yield* Effect.forkChild(storage.transaction(inside))
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* seen, [])
    })
  )

  it.effect("nothing of a transaction is visible outside before it commits (P5)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      const written = yield* Deferred.make<void>()
      const reader = yield* Effect.forkChild(Effect.andThen(Deferred.await(written), seen))
      // The reader answers at once, or waits until the transaction has ended: an adapter may do either.
      const look = Effect.timeoutOption(Fiber.await(reader), "100 millis")
      const inside = Effect.all([write, Deferred.succeed(written, undefined), look, Effect.fail("refused")])
      yield* Effect.flip(storage.transaction(inside))
      assert.deepStrictEqual(yield* Fiber.join(reader), [])
    })
  )

  it.effect("a transaction inside another joins it: the outer one's failure takes everything back (P5)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const inner = writes(Fresh.partition())
      const outer = writes(Fresh.partition())
      const nested = Effect.all([outer.write, storage.transaction(inner.write), Effect.fail("refused")])
      yield* Effect.flip(storage.transaction(nested))
      assert.deepStrictEqual(yield* Effect.all([inner.seen, outer.seen]), [[], []])
    })
  )

  it.effect("a transaction inside another is no unit of its own: caught there, its failure takes nothing back", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const inner = writes(Fresh.partition())
      const failing = storage.transaction(Effect.andThen(inner.write, Effect.fail("refused")))
      yield* storage.transaction(Effect.flip(failing))
      assert.deepStrictEqual(yield* inner.seen, everything)
    })
  )

  it.effect("a transaction inside another sees what the outer one wrote, and commits with it", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const inner = writes(Fresh.partition())
      const outer = writes(Fresh.partition())
      const nested = Effect.andThen(outer.write, storage.transaction(Effect.andThen(inner.write, outer.seen)))
      assert.deepStrictEqual(yield* storage.transaction(nested), everything)
      assert.deepStrictEqual(yield* inner.seen, everything)
    })
  )

  it.effect("concurrent writes inside one transaction all belong to it", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const many = Array.from({ length: 8 }, () => writes(Fresh.partition()))
      const all = Effect.forEach(many, ({ write }) => write, { concurrency: "unbounded" })
      yield* Effect.flip(storage.transaction(Effect.andThen(all, Effect.fail("refused"))))
      assert.deepStrictEqual((yield* Effect.forEach(many, ({ seen }) => seen)).flat(), [])
      yield* storage.transaction(all)
      for (const { seen } of many) assert.deepStrictEqual(yield* seen, everything)
    })
  )

  it.effect("transactions side by side: those that succeed happened, those that fail did not", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const run = Effect.fnUntraced(function* (index: number) {
        const { seen, write } = writes(Fresh.partition())
        const end = index % 3 === 0 ? Effect.fail("refused") : Effect.void
        const pause = Effect.repeat(Effect.yieldNow, { times: index % 5 })
        yield* Effect.exit(storage.transaction(Effect.all([write, pause, end])))
        assert.deepStrictEqual(yield* seen, index % 3 === 0 ? [] : everything)
      })
      yield* Effect.forEach(Array.from({ length: 24 }).keys(), run, { concurrency: 12 })
    })
  )

  it.effect("what waits for a commit runs after it, once, in order, and sees what was committed (P6)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const { seen, write } = writes(Fresh.partition())
      const told: Array<string> = []
      const tell = (what: string) => Effect.sync(() => void told.push(what))
      const look = Effect.map(
        Effect.provideContext(seen, yield* Effect.context<Effect.Services<typeof seen>>()),
        String
      )
      const inside = Effect.all([
        storage.afterCommit(tell("first")),
        storage.transaction(storage.afterCommit(Effect.orDie(Effect.flatMap(look, tell)))),
        write,
        tell("inside")
      ])
      yield* storage.transaction(inside)
      assert.deepStrictEqual(told, ["inside", "first", String(everything)])
    })
  )

  it.effect("what waits for a commit never runs when the transaction rolls back (P6)", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const told: Array<string> = []
      const wait = storage.afterCommit(Effect.sync(() => void told.push("committed")))
      yield* Effect.flip(storage.transaction(Effect.andThen(wait, Effect.fail("refused"))))
      yield* Effect.flip(storage.transaction(Effect.andThen(storage.transaction(wait), Effect.fail("refused"))))
      yield* Effect.exit(storage.transaction(Effect.andThen(wait, Effect.die(new Refused()))))
      assert.deepStrictEqual(told, [])
    })
  )

  it.effect("outside of a transaction, what waits for a commit runs at once", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      let told = 0
      yield* storage.afterCommit(Effect.sync(() => void told++))
      assert.strictEqual(told, 1)
    })
  )

  it.effect("commits of its own are seen", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      assert.isTrue(yield* storage.seesCommit)
      assert.isTrue(yield* storage.transaction(storage.transaction(storage.seesCommit)))
    })
  )
})
