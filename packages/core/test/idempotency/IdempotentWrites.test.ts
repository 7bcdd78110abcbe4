import { assert, layer } from "@effect/vitest"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { IdempotencyKeyInFlight, IdempotencyKeyReused, notFound } from "../../src/errors/Errors.ts"
import { EventStore } from "../../src/events/EventStore.ts"
import { IdempotencyStore } from "../../src/idempotency/IdempotencyStore.ts"
import * as IdempotentWrites from "../../src/idempotency/IdempotentWrites.ts"
import { Limits } from "../../src/Limits.ts"
import { firstPage } from "../../src/pages/Page.ts"
import * as Partition from "../../src/partition/Partition.ts"
import * as Secrets from "../../src/secrets/Secrets.ts"
import { Storage } from "../../src/storage/Storage.ts"

const Crypto = Layer.mergeAll(Digest.layerWebCrypto, Aead.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const Writes = IdempotentWrites.layer.pipe(
  Layer.provide(Secrets.layer([Redacted.make(new Uint8Array(32))])),
  Layer.provide(Crypto)
)

const Live = Layer.provideMerge(Writes, StorageMemory.layer)

/** Each test has a partition of its own. */
let workspaces = 0
const fresh = (livemode = true) => {
  workspaces += 1
  return Partition.make(`ws_${String(workspaces).padStart(26, "0")}`, livemode)
}

const request = (
  partition: Partition.Partition,
  fields: Partial<IdempotentWrites.IdempotentRequest> = {}
): IdempotentWrites.IdempotentRequest => ({
  partition,
  key: "key",
  fingerprint: "a request",
  earlierFingerprints: Effect.succeed(["an earlier form"]),
  sealed: false,
  ...fields
})

let written = 0

/** Writes one event and answers with its number. */
const write = (partition: Partition.Partition) =>
  Effect.gen(function* () {
    written += 1
    const events = yield* EventStore
    const id = `evt_${String(written).padStart(26, "0")}` as const
    yield* events.append(partition, [{ id, type: "written", createdAt: 0, body: "{}" }])
    return { status: 201, body: `{"secret":"number ${written}"}` }
  })

const run = <E, R>(to: IdempotentWrites.IdempotentRequest, operation: Effect.Effect<IdempotentWrites.Answer, E, R>) =>
  Effect.flatMap(IdempotentWrites.IdempotentWrites, (writes) => writes.run(to, operation))

const writesOf = (partition: Partition.Partition) =>
  Effect.flatMap(EventStore, (events) =>
    Effect.map(events.page(partition, null, firstPage(100)), ({ items }) => items.length)
  )

const stored = (partition: Partition.Partition) =>
  Effect.flatMap(IdempotencyStore, (store) => store.find(partition, "key"))

layer(Live)("one logical write per key", (it) => {
  it.effect("the same request again gets the first answer, and nothing happens again (P3)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const first = yield* run(request(partition), write(partition))
      const again = yield* run(request(partition), write(partition))
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(again, { ...first, replayed: true })
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("another request under the key is refused, and nothing happens (P3)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      yield* run(request(partition), write(partition))
      const error = yield* Effect.flip(run(request(partition, { fingerprint: "another" }), write(partition)))
      assert.strictEqual(error._tag, "IdempotencyKeyReused")
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("the key of another partition, or another key, is another write", () =>
    Effect.gen(function* () {
      const live = fresh()
      const test = Partition.make(live.workspace, false)
      for (const partition of [live, test, fresh()]) {
        assert.isFalse((yield* run(request(partition), write(partition))).replayed)
      }
      assert.isFalse((yield* run(request(live, { key: "other" }), write(live))).replayed)
      assert.deepStrictEqual([yield* writesOf(live), yield* writesOf(test)], [2, 1])
    })
  )

  it.effect("an operation that fails or dies leaves nothing, and its key is free at once (P2)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const failing = Effect.andThen(write(partition), Effect.fail(notFound("thing", "thing_1")))
      assert.strictEqual((yield* Effect.flip(run(request(partition), failing)))._tag, "NotFound")
      const dying = Effect.andThen(write(partition), Effect.die("a defect"))
      assert.strictEqual((yield* Effect.exit(run(request(partition), dying)))._tag, "Failure")
      assert.strictEqual(yield* writesOf(partition), 0)
      assert.isTrue(Option.isNone(yield* stored(partition)))
      assert.isFalse((yield* run(request(partition, { fingerprint: "another" }), write(partition))).replayed)
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("a request while the first is under way is told so, and after its end gets its answer", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const begun = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const slow = Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.andThen(write(partition))
      )
      const fiber = yield* Effect.forkChild(run(request(partition), slow))
      yield* Deferred.await(begun)
      const error = yield* Effect.flip(run(request(partition), write(partition)))
      assert.strictEqual(error._tag, "IdempotencyKeyInFlight")
      yield* Deferred.succeed(release, undefined)
      const first = yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* run(request(partition), write(partition)), { ...first, replayed: true })
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("an operation that is interrupted leaves nothing, and its key is free", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const begun = yield* Deferred.make<void>()
      const hanging = write(partition).pipe(
        Effect.tap(() => Deferred.succeed(begun, undefined)),
        Effect.tap(() => Effect.never)
      )
      const fiber = yield* Effect.forkChild(run(request(partition), hanging))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.isFalse((yield* run(request(partition), write(partition))).replayed)
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("an answer is kept for 24 hours, and not longer (P3)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      yield* run(request(partition), write(partition))
      yield* TestClock.adjust("1439 minutes")
      assert.isTrue((yield* run(request(partition), write(partition))).replayed)
      yield* TestClock.adjust("1 minute")
      assert.isFalse((yield* run(request(partition), write(partition))).replayed)
      assert.strictEqual(yield* writesOf(partition), 2)
    })
  )

  it.effect("an answer with a secret is replayed as it was, and stored so that nobody can read it (P4)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const sealed = request(partition, { sealed: true })
      const first = yield* run(sealed, write(partition))
      assert.deepStrictEqual(yield* run(sealed, write(partition)), { ...first, replayed: true })
      const record = Option.getOrThrow(yield* stored(partition))
      assert.notInclude(record.body, "number")
      assert.isTrue(record.sealed)
    })
  )
})

const runOutside = <E, R>(
  to: IdempotentWrites.IdempotentRequest,
  operation: Effect.Effect<IdempotentWrites.Answer, E, R>
) => Effect.flatMap(IdempotentWrites.IdempotentWrites, (writes) => writes.runOutside(to, operation))

layer(Live)("one operation outside of a transaction per key", (it) => {
  it.effect("the same request again gets the first answer, also a sealed one, and another is refused", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const sealed = request(partition, { sealed: true })
      const first = yield* runOutside(sealed, write(partition))
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(yield* runOutside(sealed, write(partition)), { ...first, replayed: true })
      const other = yield* Effect.flip(runOutside(request(partition, { fingerprint: "other" }), write(partition)))
      assert.strictEqual(other._tag, "IdempotencyKeyReused")
      assert.notInclude(Option.getOrThrow(yield* stored(partition)).body, "number")
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("while it waits, its key is in flight for every other caller, and storage is free for them", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const begun = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const slow = Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.andThen(write(partition))
      )
      const fiber = yield* Effect.forkChild(runOutside(request(partition), slow))
      yield* Deferred.await(begun)
      for (const attempt of [runOutside, run]) {
        const error = yield* Effect.flip(attempt(request(partition), write(partition)))
        assert.strictEqual(error._tag, "IdempotencyKeyInFlight")
      }
      assert.isFalse((yield* run(request(partition, { key: "other" }), write(partition))).replayed)
      yield* Deferred.succeed(release, undefined)
      const first = yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* runOutside(request(partition), write(partition)), { ...first, replayed: true })
    })
  )

  it.effect("of many callers at once, one runs it", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const callers = Array.from({ length: 40 }, () => Effect.result(runOutside(request(partition), write(partition))))
      yield* Effect.all(callers, { concurrency: "unbounded" })
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("a failure, a defect and an interruption free the key at once", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const refusal = yield* Effect.flip(runOutside(request(partition), Effect.fail(notFound("thing", "thing_1"))))
      assert.strictEqual(refusal._tag, "NotFound")
      yield* Effect.exit(runOutside(request(partition), Effect.die("broken")))
      const begun = yield* Deferred.make<void>()
      const hanging = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const fiber = yield* Effect.forkChild(runOutside(request(partition), hanging))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.isFalse((yield* runOutside(request(partition), write(partition))).replayed)
    })
  )

  it.effect("however long it takes, its key stays in flight", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const slow = Effect.andThen(Effect.sleep(4 * Limits.idempotencyReservationMillis), write(partition))
      const fiber = yield* Effect.forkChild(runOutside(request(partition), slow))
      for (let second = 0; second < 4 * (Limits.idempotencyReservationMillis / 1_000) - 1; second++) {
        yield* TestClock.adjust(1_000)
        const error = yield* Effect.flip(runOutside(request(partition), write(partition)))
        assert.strictEqual(error._tag, "IdempotencyKeyInFlight")
      }
      yield* TestClock.adjust(1_000)
      const first = yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* runOutside(request(partition), write(partition)), { ...first, replayed: true })
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect("a process that dies frees the key within 15 seconds (P2)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const store = yield* IdempotencyStore
      let isDead = false
      const mortal = IdempotencyStore.of({
        ...store,
        exclusively: (...call) => Effect.suspend(() => (isDead ? Effect.never : store.exclusively(...call)))
      })
      const layerMortal = Layer.provide(Layer.fresh(Writes), Layer.succeed(IdempotencyStore, mortal))
      const begun = yield* Deferred.make<void>()
      const hanging = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      yield* Effect.forkChild(Effect.provide(runOutside(request(partition), hanging), layerMortal))
      yield* Deferred.await(begun)
      yield* TestClock.adjust(20_000)
      isDead = true
      const early = yield* Effect.flip(runOutside(request(partition), write(partition)))
      assert.strictEqual(early._tag, "IdempotencyKeyInFlight")
      yield* TestClock.adjust(15_000)
      assert.isFalse((yield* runOutside(request(partition), write(partition))).replayed)
    })
  )
})

const runKeeping = <E, R>(
  to: IdempotentWrites.IdempotentRequest,
  operation: (keeper: IdempotentWrites.Keeper) => Effect.Effect<IdempotentWrites.Answer, E, R>
) => Effect.flatMap(IdempotentWrites.IdempotentWrites, (writes) => writes.runKeeping(to, operation))

/** Writes and stores its answer in one transaction; then `after` happens. */
const keeping =
  (partition: Partition.Partition, after: Effect.Effect<unknown, string> = Effect.void) =>
  ({ keep, ready }: IdempotentWrites.Keeper) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      yield* ready
      const answer = yield* storage.transaction(Effect.tap(write(partition), keep))
      yield* after
      return answer
    })

layer(Live)("one operation per key that ends in a transaction of its own", (it) => {
  it.effect("what it writes and its answer are stored together, whatever happens afterwards (P139)", () =>
    Effect.gen(function* () {
      const partition = fresh()
      yield* Effect.flip(runKeeping(request(partition), keeping(partition, Effect.fail("the client has left"))))
      const replayed = yield* runKeeping(request(partition), keeping(partition))
      assert.isTrue(replayed.replayed)
      assert.strictEqual(yield* writesOf(partition), 1)
    })
  )

  it.effect(
    "what has begun and not ended is resumed under its key, with nothing that a failed beginning has written (P947)",
    () =>
      Effect.gen(function* () {
        const partition = fresh()
        const begunAs =
          (name: string) =>
          ({ begin }: IdempotentWrites.Keeper) =>
            Effect.andThen(
              begin(write(partition), () => name),
              Effect.fail("storage went away before the end")
            )
        const refused = ({ begin }: IdempotentWrites.Keeper) =>
          begin(Effect.andThen(write(partition), Effect.fail("refused")), () => "refused")
        const continuations: Array<string | null> = []
        const seen = (keeper: IdempotentWrites.Keeper) => {
          continuations.push(keeper.continuation)
          return begunAs("second")(keeper)
        }
        yield* Effect.flip(runKeeping(request(partition), refused))
        yield* Effect.flip(runKeeping(request(partition), begunAs("first")))
        yield* Effect.flip(runKeeping(request(partition), seen))
        yield* Effect.flip(runKeeping(request(partition), seen))
        assert.deepStrictEqual(continuations, ["first", "second"])
        const other = request(partition, { fingerprint: "another request", earlierFingerprints: Effect.succeed([]) })
        assert.instanceOf(yield* Effect.flip(runKeeping(other, keeping(partition))), IdempotencyKeyReused)
        assert.isFalse((yield* runKeeping(request(partition), keeping(partition))).replayed)
        assert.isTrue((yield* runKeeping(request(partition), keeping(partition))).replayed)
      })
  )

  it.effect("an operation that ends in failure frees the key in the transaction of its end", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const storage = yield* Storage
      const failing = ({ begin, free, ready }: IdempotentWrites.Keeper) =>
        begin(write(partition), () => "begun").pipe(
          Effect.andThen(ready),
          Effect.andThen(storage.transaction(Effect.andThen(write(partition), free))),
          Effect.andThen(Effect.fail("the model has failed"))
        )
      yield* Effect.flip(runKeeping(request(partition), failing))
      const other = request(partition, { fingerprint: "another request" })
      assert.isFalse((yield* runKeeping(other, keeping(partition))).replayed)
    })
  )

  it.effect("a transaction that fails stores neither, and frees the key at once", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const storage = yield* Storage
      const failing = ({ keep, ready }: IdempotentWrites.Keeper) =>
        Effect.andThen(
          ready,
          storage.transaction(Effect.andThen(Effect.flatMap(write(partition), keep), Effect.fail("no")))
        )
      yield* Effect.flip(runKeeping(request(partition), failing))
      assert.strictEqual(yield* writesOf(partition), 0)
      assert.isFalse((yield* runKeeping(request(partition), keeping(partition))).replayed)
    })
  )

  it.effect("however long it takes, its key stays in flight; its end is not undone", () =>
    Effect.gen(function* () {
      const partition = fresh()
      const slow = (keeper: IdempotentWrites.Keeper) =>
        Effect.andThen(Effect.sleep(4 * Limits.idempotencyReservationMillis), keeping(partition)(keeper))
      const fiber = yield* Effect.forkChild(runKeeping(request(partition), slow))
      for (let second = 0; second < 4 * (Limits.idempotencyReservationMillis / 1_000) - 1; second++) {
        yield* TestClock.adjust(1_000)
        const error = yield* Effect.flip(runKeeping(request(partition), keeping(partition)))
        assert.instanceOf(error, IdempotencyKeyInFlight)
      }
      yield* TestClock.adjust(1_000)
      const first = yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* runKeeping(request(partition), keeping(partition)), { ...first, replayed: true })
    })
  )
})
