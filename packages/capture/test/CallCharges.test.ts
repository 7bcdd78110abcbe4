/** Calls are stored and charged together, once. */
import { assert, it } from "@effect/vitest"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as Ledger from "@limbeck/billing/ledger/Ledger"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import * as Ids from "@limbeck/core/ids/Ids"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { audit, entriesOf } from "@limbeck/testing/fixtures/Audits"
import { record } from "@limbeck/testing/fixtures/CallRecords"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CallStore, deploymentCallsTopic } from "../src/call/CallStore.ts"
import type { CapturedCall } from "../src/call/CapturedCall.ts"
import * as CallCharges from "../src/journal/internal/CallCharges.ts"

const { live } = World

const world = Layer.merge(CallHolds.layer, TokenUses.layer).pipe(
  Layer.provideMerge(Ledger.layer),
  Layer.provideMerge(World.events),
  Layer.provideMerge(Layer.merge(StorageMemory.layer, Ids.layer)),
  Layer.provideMerge(Crypto.layer)
)

const captured = (fields: Partial<CapturedCall>): CallCharges.CapturedBatch => {
  const call = Calls.call(fields)
  return { call, record: { ...record(1), id: call.id, partition: live.key } }
}

it.effect("a call that comes again is charged no second time, and one that comes with it is charged (P154)", () =>
  Effect.gen(function* () {
    const { append } = yield* CallCharges.make
    const [first, second] = [captured({ billed: true, costMicros: 7 }), captured({ billed: true, costMicros: 5 })]
    yield* append([first])
    yield* append([first])
    yield* append([first, second])
    assert.deepInclude(yield* audit(live), { available: -12, spent: 12 })
    assert.strictEqual((yield* entriesOf(live)).length, 2)
  }).pipe(Effect.provide(world))
)

it.effect(
  "a call of which only the charge is kept is charged once, in whatever batch its record comes again (P882)",
  () =>
    Effect.gen(function* () {
      const { append } = yield* CallCharges.make
      const whole = captured({ billed: true, costMicros: 5 })
      const { call, record } = captured({ billed: true, costMicros: 7 })
      const alone: CallCharges.CapturedBatch = { call, record: { ...record, isCaptured: false } }
      yield* append([alone])
      yield* append([alone])
      yield* append([whole, alone])
      assert.deepInclude(yield* audit(live), { available: -12, spent: 12 })
      const store = yield* CallStore
      assert.isTrue((yield* store.find(live, call.id))._tag === "None")
      assert.isTrue((yield* store.find(live, whole.call.id))._tag === "Some")
    }).pipe(Effect.provide(world))
)

it.effect("what is not billed, or has no price, is stored and charged nothing", () =>
  Effect.gen(function* () {
    const { append } = yield* CallCharges.make
    const free = [captured({ billed: false, costMicros: 7 }), captured({ billed: true, costMicros: null })]
    yield* append(free)
    assert.strictEqual((yield* audit(live)).spent, 0)
    for (const { call } of free) assert.isTrue((yield* (yield* CallStore).find(live, call.id))._tag === "Some")
  }).pipe(Effect.provide(world))
)

it.effect("a call of a deployment is stored together with the item for a review, or neither is (P1331)", () =>
  Effect.gen(function* () {
    const queue = yield* Queue
    const [store, batch] = [yield* CallStore, captured({ deployment: "dep_1", servedBy: "student" })]
    const dying = CallCharges.make.pipe(
      Effect.provideService(Queue, { ...queue, offer: () => Effect.die("killed") }),
      Effect.flatMap(({ append }) => append([batch]))
    )
    assert.isTrue(Exit.isFailure(yield* Effect.exit(dying)))
    assert.isTrue(Option.isNone(yield* store.find(live, batch.call.id)))
    const { append } = yield* CallCharges.make
    const isDue = Effect.map(queue.nextDueAt(deploymentCallsTopic), (dueAt) => dueAt !== null)
    yield* append([captured({ deployment: "dep_1", servedBy: "shadow" }), captured({})])
    assert.isFalse(yield* isDue)
    yield* append([batch])
    assert.isTrue(Option.isSome(yield* store.find(live, batch.call.id)))
    assert.isTrue(yield* isDue)
    // Whatever comes again from a journal was reviewed before.
    yield* queue.withdraw(live, deploymentCallsTopic, "dep_1")
    yield* append([batch])
    assert.isFalse(yield* isDue)
  }).pipe(Effect.provide(world))
)
