/** IdempotencyStore's promises: one effect per key, for any number and any end of calls. */
import { assert } from "@effect/vitest"
import type { IdempotencyRecord } from "@limbeck/core/idempotency/Idempotency"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"

const recordOf = (key: string, fields: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  key,
  fingerprint: "fingerprint",
  status: 201,
  body: '{"ok":true}',
  sealed: false,
  expiresAt: Fresh.start + 86_400_000,
  ...fields
})

type Outcome = "did it" | "saw the record" | "in flight"

/** A logical write: does its effect unless the key has a record. */
const write = Effect.fnUntraced(function* (partition: Partition, key: string) {
  const store = yield* IdempotencyStore
  const resources = yield* ResourceStore
  const use = Effect.gen(function* () {
    if (Option.isSome(yield* store.find(partition, key))) return "saw the record" satisfies Outcome
    yield* Effect.yieldNow
    yield* resources.insert(partition, Notes.kind, Notes.note({ tags: [key] }))
    yield* store.record(partition, recordOf(key))
    return "did it" satisfies Outcome
  })
  return yield* store.exclusively(partition, key, use)
})

const effectsOf = (partition: Partition, key: string) =>
  Effect.flatMap(ResourceStore, (resources) =>
    Effect.map(resources.page(partition, Notes.kind, [key], firstPage(100)), ({ items }) => items.length)
  )

/** Holds the key until told otherwise. */
const hold = Effect.fnUntraced(function* (partition: Partition, key: string) {
  const store = yield* IdempotencyStore
  const held = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const use = Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(release))
  const fiber = yield* Effect.forkChild(store.exclusively(partition, key, use))
  yield* Deferred.await(held)
  return { fiber, release: Deferred.succeed(release, undefined) }
})

export const suite = describePort("IdempotencyStore", (it) => {
  it.effect("what is recorded is found as it was, and a later record takes its place", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const partition = Fresh.partition()
      const key = "!~visible ASCII~!".replaceAll(" ", "-")
      assert.deepStrictEqual(yield* store.find(partition, key), Option.none())
      const first = recordOf(key, { body: '{ "ü":\n"漢" }' })
      yield* store.record(partition, first)
      assert.deepStrictEqual(yield* store.find(partition, key), Option.some(first))
      const second = recordOf(key, {
        fingerprint: "other",
        status: 200,
        body: "",
        sealed: true,
        expiresAt: Fresh.start
      })
      yield* store.record(partition, second)
      assert.deepStrictEqual(yield* store.find(partition, key), Option.some(second))
    })
  )

  it.effect("a held key fails a second caller at once, while the holder goes on", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      const key = Fresh.name("key")
      const holder = yield* hold(partition, key)
      const error = yield* Effect.flip(write(partition, key)).pipe(Effect.timeout("5 minutes"))
      assert.strictEqual(error._tag, "IdempotencyKeyInFlight")
      yield* holder.release
      yield* Fiber.join(holder.fiber)
      assert.strictEqual(yield* write(partition, key), "did it")
    })
  )

  it.effect("a held key is free in every other partition, and other keys are free", () =>
    Effect.gen(function* () {
      const { mine, others } = Fresh.neighbours()
      const key = Fresh.name("key")
      const holder = yield* hold(mine, key)
      const calls = [
        write(others[0], key),
        write(others[1], key),
        write(mine, `${key}x`),
        write(mine, key.slice(0, -1))
      ]
      let ended = 0
      const counted = calls.map((call) => Effect.tap(call, () => Effect.sync(() => ended++)))
      const fibers = yield* Effect.forEach(counted, (call) => Effect.forkChild(call))
      // Where all transactions take turns, as in memory, none ends while the key is held.
      for (let polls = 0; ended < calls.length && polls < 10; polls++) yield* Effect.sleep("2 millis")
      yield* holder.release
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), Array(4).fill("did it"))
      yield* Fiber.join(holder.fiber)
    })
  )

  it.effect("a record is found in its partition only", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const { mine, others } = Fresh.neighbours()
      const key = Fresh.name("key")
      yield* store.record(mine, recordOf(key))
      for (const partition of others) assert.deepStrictEqual(yield* store.find(partition, key), Option.none())
      yield* store.record(others[0], recordOf(key, { status: 409 }))
      assert.deepStrictEqual(yield* store.find(mine, key), Option.some(recordOf(key)))
    })
  )

  it.effect("40 concurrent callers of one key cause one effect; the others are in flight or see the record (P1)", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      for (let round = 0; round < 8; round++) {
        const key = Fresh.name("key")
        const call = write(partition, key).pipe(
          Effect.catchTag("IdempotencyKeyInFlight", () => Effect.succeed<Outcome>("in flight"))
        )
        const outcomes = yield* Effect.all(Array<typeof call>(40).fill(call), { concurrency: "unbounded" })
        assert.strictEqual(outcomes.filter((outcome) => outcome === "did it").length, 1)
        assert.strictEqual(yield* effectsOf(partition, key), 1)
      }
    })
  )

  it.effect("a caller that gets the key right after its holder committed finds the record (P1)", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      const insist = (key: string) =>
        Effect.retry(write(partition, key), {
          while: (error) => Effect.as(Effect.yieldNow, error._tag === "IdempotencyKeyInFlight")
        })
      const contest = Effect.fnUntraced(function* () {
        const key = Fresh.name("key")
        const outcomes = yield* Effect.all([insist(key), insist(key), insist(key), insist(key)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(outcomes.toSorted(), ["did it", ...Array<string>(3).fill("saw the record")])
        assert.strictEqual(yield* effectsOf(partition, key), 1)
      })
      yield* Effect.forEach(Array.from({ length: 100 }), contest, { concurrency: 2, discard: true })
    })
  )

  it.effect("a use that fails, dies or is interrupted frees the key and leaves nothing (P2)", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const partition = Fresh.partition()
      const key = Fresh.name("key")
      for (const end of [Effect.fail("refused"), Effect.die("broken"), Effect.interrupt]) {
        yield* Effect.exit(
          store.exclusively(partition, key, Effect.andThen(store.record(partition, recordOf(key)), end))
        )
        assert.deepStrictEqual(yield* store.find(partition, key), Option.none())
      }
      const holder = yield* hold(partition, key)
      yield* Fiber.interrupt(holder.fiber)
      assert.strictEqual(yield* write(partition, key), "did it")
    })
  )

  it.effect("inside a transaction it joins: what is recorded commits with it or not at all", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const key = Fresh.name("key")
      yield* Effect.flip(storage.transaction(Effect.andThen(write(partition, key), Effect.fail("refused"))))
      assert.deepStrictEqual(yield* store.find(partition, key), Option.none())
      assert.strictEqual(yield* effectsOf(partition, key), 0)
      assert.strictEqual(yield* storage.transaction(write(partition, key)), "did it")
      assert.strictEqual(yield* write(partition, key), "saw the record")
    })
  )

  it.effect("sweep removes what expired before the time, of every partition, as many as it may", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const { mine, others } = Fresh.neighbours()
      const partitions = [mine, ...others]
      // Long before what any other case records.
      const expiresAt = 5_000
      const records = partitions.flatMap((partition) =>
        [expiresAt - 1, expiresAt - 1, expiresAt].map((at) => ({
          partition,
          record: recordOf(Fresh.name("key"), { expiresAt: at })
        }))
      )
      yield* Effect.forEach(records, ({ partition, record }) => store.record(partition, record))
      assert.strictEqual(yield* store.sweep(expiresAt - 1, 100), 0)
      assert.strictEqual(yield* store.sweep(expiresAt, 4), 4)
      assert.strictEqual(yield* store.sweep(expiresAt, 100), 2)
      assert.strictEqual(yield* store.sweep(expiresAt, 100), 0)
      for (const { partition, record } of records) {
        const kept = record.expiresAt === expiresAt ? Option.some(record) : Option.none()
        assert.deepStrictEqual(yield* store.find(partition, record.key), kept)
      }
      assert.strictEqual(yield* store.sweep(expiresAt + 1, 100), 3)
    })
  )
})
