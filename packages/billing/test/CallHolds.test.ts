/** How servers reserve money for calls, and how dead servers' holds are released. */
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@limbeck/core/ids/Ids"
import { Limits } from "@limbeck/core/Limits"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { audit, entriesOf } from "@limbeck/testing/fixtures/Audits"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as World from "@limbeck/testing/World"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { BillingSettings } from "../src/BillingSettings.ts"
import * as CallHold from "../src/calls/CallHold.ts"
import * as CallHolds from "../src/calls/CallHolds.ts"
import * as CallHoldWorker from "../src/calls/CallHoldWorker.ts"
import { BillingLimits } from "../src/Limits.ts"
import * as Ledger from "../src/ledger/Ledger.ts"

const { live, failureOf } = World

const settings = (enforced: boolean) => Layer.succeed(BillingSettings, { enforced, balanceLowMicros: null })

const base = (enforced: boolean) =>
  CallHoldWorker.layer.pipe(
    Layer.provideMerge(Ledger.layer),
    Layer.provideMerge(World.events),
    Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, Ids.layer, settings(enforced))),
    Layer.provideMerge(Crypto.layer)
  )

const world = (enforced = true) => Layer.provideMerge(CallHolds.layer, base(enforced))

const topUp = (micros: number) =>
  Effect.flatMap(Ledger.Ledger, (ledger) => ledger.topUp(live, { amountUsd: micros / 1e6, reference: "payment" }))

const admit = (call: string, micros: number) =>
  Effect.flatMap(CallHolds.CallHolds, (holds) => holds.admit(live, call, micros))

/** The call ends and is stored, and costs so much. */
const stored = Effect.fnUntraced(function* (call: string, micros: number, createdAt = 0) {
  const holds = yield* CallHolds.CallHolds
  const storage = yield* Storage
  const hold = (yield* holds.end(live, call))?.hold ?? null
  yield* storage.transaction(holds.charge(live, [{ call, createdAt, micros, hold }]))
  yield* holds.drop(live, call)
})

/** A server of its own on the same storage; closing the scope stops the server in order, dropping the scope kills it. */
const server = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.fresh(CallHolds.layer), scope)
  const holds = Context.get(context, CallHolds.CallHolds)
  return { holds, stop: Scope.close(scope, Exit.void) }
})

const expire = Effect.flatMap(CallHoldWorker.CallHoldWorker, ({ runOnce }) => runOnce)

describe("holds for calls", () => {
  it.effect("calls are let through against one hold, and charged to it when they are stored (P154)", () =>
    Effect.gen(function* () {
      yield* topUp(10_000_000)
      for (const call of ["call_1", "call_2"]) yield* admit(call, 400_000)
      assert.deepInclude(yield* audit(live), { available: 9_000_000, held: 1_000_000, spent: 0 })
      yield* stored("call_1", 300_000)
      yield* stored("call_2", 0)
      assert.deepInclude(yield* audit(live), { available: 9_000_000, held: 700_000, spent: 300_000 })
      const [, hold, release, charge] = yield* entriesOf(live)
      assert.match(hold?.reference ?? "", /^hold_[0-9a-z]{26}\/1$/)
      assert.deepInclude(release, { kind: "release", reference: `${hold?.reference.slice(0, -1)}call_1` })
      assert.deepInclude(charge, { kind: "managed_calls", micros: 300_000, reference: "1970-01-01/call_1" })
    }).pipe(Effect.provide(world()))
  )

  it.effect("a call that the balance does not cover is refused, and asked about again after a second (P155)", () =>
    Effect.gen(function* () {
      const refused = yield* failureOf(admit("call_1", 100))
      assert.deepInclude(refused, { _tag: "QuotaExceeded", purpose: "call", availableMicros: 0, neededMicros: 100 })
      yield* topUp(100)
      assert.deepInclude(yield* failureOf(admit("call_1", 100)), { _tag: "QuotaExceeded" })
      yield* TestClock.adjust(BillingLimits.refusalMillis + 1)
      yield* admit("call_1", 100)
      assert.deepInclude(yield* failureOf(admit("call_2", 1)), { _tag: "QuotaExceeded" })
      assert.deepInclude(yield* audit(live), { available: 0, held: 100 })
    }).pipe(Effect.provide(world()))
  )

  it.effect("however often a refused call is repeated, a top-up is seen within a second", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* failureOf(admit("call_1", 100)), { _tag: "QuotaExceeded" })
      yield* topUp(100)
      for (let turn = 1; turn <= 10; turn++) {
        yield* TestClock.adjust(BillingLimits.refusalMillis / 10)
        const refused = yield* failureOf(admit("call_1", 100))
        assert.strictEqual(refused === undefined, turn === 10, `at turn ${turn}`)
      }
    }).pipe(Effect.provide(world()))
  )

  it.effect(
    "of many calls at once, on two servers, only so many are let through as the balance covers (P152, P155)",
    () =>
      Effect.gen(function* () {
        yield* topUp(1_000)
        const others = yield* server
        const mine = yield* CallHolds.CallHolds
        const all = Effect.forEach(
          Array.from({ length: 60 }, (_, n) => n),
          (n) => Effect.result((n % 2 === 0 ? mine : others.holds).admit(live, `call_${n}`, 30)),
          { concurrency: "unbounded" }
        )
        const through = (yield* all).filter(Result.isSuccess).length
        assert.isAtMost(through, 33)
        // What one server has put aside the other may miss, and no more than that.
        assert.isAtLeast(through, 24)
        const { available, held } = yield* audit(live)
        assert.strictEqual(available + held, 1_000)
        assert.isAtLeast(held, through * 30)
      }).pipe(Effect.provide(world()))
  )

  it.effect("what a call costs beyond the balance is written off, and the balance stays at zero (P155)", () =>
    Effect.gen(function* () {
      yield* topUp(100)
      yield* admit("call_1", 80)
      yield* stored("call_1", 150)
      assert.deepInclude(yield* audit(live), { available: 0, held: 0, spent: 150 })
      const kinds = (yield* entriesOf(live)).map(({ kind, micros }) => [kind, micros])
      assert.deepStrictEqual(kinds.slice(2), [
        ["release", 80],
        ["write_off", 50],
        ["managed_calls", 150]
      ])
    }).pipe(Effect.provide(world()))
  )

  it.effect(
    "the hold of a server that died expires, and not before; what its calls cost is charged all the same (P154)",
    () =>
      Effect.gen(function* () {
        yield* topUp(10_000_000)
        const dead = yield* server
        yield* dead.holds.admit(live, "call_1", 500_000)
        yield* dead.holds.admit(live, "call_2", 500_000)
        const hold = (yield* dead.holds.end(live, "call_1"))?.hold ?? null
        yield* dead.stop
        assert.deepInclude(yield* audit(live), { held: 1_000_000 })
        const storage = yield* Storage
        const next = yield* CallHolds.CallHolds
        const charge = (call: string) =>
          storage.transaction(next.charge(live, [{ call, createdAt: 0, micros: 200_000, hold }]))
        // The next server ships the dead server's journal.
        yield* charge("call_1")
        assert.deepInclude(yield* audit(live), { available: 9_000_000, held: 800_000, spent: 200_000 })
        yield* TestClock.adjust(BillingLimits.holdMillis - 1)
        yield* expire
        assert.deepInclude(yield* audit(live), { held: 800_000 })
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* expire, 1)
        assert.deepInclude(yield* audit(live), { available: 9_800_000, held: 0 })
        yield* charge("call_2")
        assert.deepInclude(yield* audit(live), { available: 9_600_000, held: 0, spent: 400_000 })
        assert.strictEqual(yield* expire, 0)
      }).pipe(Effect.provide(world()))
  )

  it.effect(
    "money that a dead server held is back within two minutes, and its due time is of a right clock (P885)",
    () =>
      Effect.gen(function* () {
        yield* topUp(10_000_000)
        const dead = yield* server
        yield* dead.holds.admit(live, "call_1", 500_000)
        yield* TestClock.adjust(BillingLimits.holdBeatMillis)
        // A hold whose calls are not stored is left to expire, also at an orderly stop.
        yield* dead.stop
        const queue = yield* Queue
        const now = yield* Clock.currentTimeMillis
        const latest = now + Limits.workWaitMaxMillis
        assert.strictEqual(yield* queue.pullForward(CallHold.topic, { now, latest, leaseUntil: latest }), 0)
        assert.deepInclude(yield* audit(live), { held: 1_000_000 })
        yield* TestClock.adjust(120_000)
        // Its queue item is due once before the renewed lease ends.
        yield* Effect.repeat(expire, { until: (count) => count === 0 })
        assert.deepInclude(yield* audit(live), { available: 10_000_000, held: 0 })
      }).pipe(Effect.provide(world()))
  )

  it.effect("a server that lives keeps its hold while calls are under way, and gives it back when none are", () =>
    Effect.gen(function* () {
      yield* topUp(10_000_000)
      yield* admit("call_1", 10)
      yield* TestClock.adjust(3 * BillingLimits.holdMillis)
      yield* expire
      assert.deepInclude(yield* audit(live), { held: 1_000_000 })
      yield* stored("call_1", 10)
      yield* TestClock.adjust(BillingLimits.holdIdleMillis + 2 * BillingLimits.holdBeatMillis)
      assert.deepInclude(yield* audit(live), { available: 9_999_990, held: 0, spent: 10 })
      yield* admit("call_2", 10)
      assert.deepInclude(yield* audit(live), { held: 1_000_000 })
    }).pipe(Effect.provide(world()))
  )

  it.effect("a server that stops in order gives its hold back at once", () =>
    Effect.gen(function* () {
      yield* topUp(10_000_000)
      const { holds, stop } = yield* server
      yield* holds.admit(live, "call_1", 10)
      yield* holds.drop(live, "call_1")
      yield* stop
      assert.deepInclude(yield* audit(live), { available: 10_000_000, held: 0 })
      assert.strictEqual(yield* expire, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect("a call whose record was lost is forgotten after a while, and its share is free again", () =>
    Effect.gen(function* () {
      yield* topUp(100)
      yield* admit("call_1", 100)
      yield* (yield* CallHolds.CallHolds).end(live, "call_1")
      assert.deepInclude(yield* failureOf(admit("call_2", 100)), { _tag: "QuotaExceeded" })
      yield* TestClock.adjust(BillingLimits.callLostMillis + 2 * BillingLimits.holdBeatMillis)
      yield* admit("call_2", 100)
    }).pipe(Effect.provide(world()))
  )

  it.effect("where balances do not bind, nothing is put aside, and calls are charged below zero", () =>
    Effect.gen(function* () {
      const holds = yield* CallHolds.CallHolds
      assert.isFalse(holds.binds(live))
      yield* stored(Fresh.id("call"), 70)
      assert.deepInclude(yield* audit(live), { available: -70, held: 0, spent: 70 })
    }).pipe(Effect.provide(world(false)))
  )

  it.effect("calls of a batch are charged by day, in one entry each", () =>
    Effect.gen(function* () {
      yield* topUp(1_000)
      const holds = yield* CallHolds.CallHolds
      const storage = yield* Storage
      const charges = [1, 2, 3].map((n) => ({
        call: `call_${n}`,
        createdAt: n < 3 ? 0 : 86_400_000,
        micros: n,
        hold: null
      }))
      yield* storage.transaction(holds.charge(live, charges))
      yield* audit(live)
      const entries = (yield* entriesOf(live)).slice(1).map(({ kind, micros, reference }) => [kind, micros, reference])
      assert.deepStrictEqual(entries, [
        ["managed_calls", 3, "1970-01-01/call_1"],
        ["managed_calls", 3, "1970-01-02/call_3"]
      ])
    }).pipe(Effect.provide(world()))
  )
})
