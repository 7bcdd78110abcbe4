/** How servers share the use of a token's limits, and what becomes of a dead server's reservations. */
import { assert, it } from "@effect/vitest"
import * as Id from "@limbeck/core/ids/Id"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { BillingLimits } from "../src/Limits.ts"
import * as TokenUse from "../src/limits/TokenUse.ts"
import * as TokenUseRules from "../src/limits/TokenUseRules.ts"
import * as TokenUses from "../src/limits/TokenUses.ts"

const { live } = World

const use = Id.floorAt("tok", 1)
const spender: TokenUse.Spender = { use, maxMicrosPerDay: 100 }

/** A server of its own on the same storage; closing the scope without more kills it. */
const server = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.fresh(TokenUses.layer), scope)
  return { uses: Context.get(context, TokenUses.TokenUses), kill: Scope.close(scope, Exit.void) }
})

type Uses = TokenUses.TokenUses["Service"]

/** What is left of the day's limit: as much as a call can reserve, which is then dropped. */
const left = Effect.fnUntraced(function* (uses: Uses) {
  const tried = yield* Effect.result(uses.reserve(live.workspace, spender, "probe", spender.maxMicrosPerDay + 1))
  assert.isTrue(Result.isFailure(tried))
  return Result.isFailure(tried) && tried.failure._tag === "DayCostReached" ? tried.failure.leftMicros : -1
})

const stored = Effect.flatMap(ResourceStore, (resources) =>
  Effect.map(resources.find(live, TokenUse.kind, use), (found) => Option.getOrThrow(found).value)
)

/** The call ends and is stored at this cost. */
const settle = Effect.fnUntraced(function* (uses: Uses, call: string, micros: number) {
  const createdAt = yield* Clock.currentTimeMillis
  const storage = yield* Storage
  assert.isNotNull(uses.end(call, createdAt))
  yield* storage.transaction(uses.settle(live.workspace, [{ use, call, createdAt, micros }]))
})

it.effect(
  "what a dead server reserved comes back as money held for calls does, and what it spent does not (P1126)",
  () =>
    Effect.gen(function* () {
      const [one, two] = [yield* server, yield* server]
      yield* one.uses.reserve(live.workspace, spender, "call_1", 40)
      yield* one.uses.reserve(live.workspace, spender, "call_2", 30)
      yield* two.uses.reserve(live.workspace, spender, "call_3", 20)
      yield* settle(one.uses, "call_2", 5)
      assert.strictEqual(yield* left(two.uses), 100 - 40 - 5 - 20)
      yield* one.kill
      yield* TestClock.adjust(BillingLimits.holdMillis - 1)
      assert.strictEqual(yield* left(two.uses), 100 - 40 - 5 - 20)
      yield* TestClock.adjust(1)
      // The living server has renewed what it reserved.
      assert.strictEqual(yield* left(two.uses), 100 - 5 - 20)
    }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect("a call that lasts for hours stays reserved, and one whose record was lost is released (P1126)", () =>
  Effect.gen(function* () {
    const { uses } = yield* server
    yield* uses.reserve(live.workspace, spender, "call_1", 40)
    yield* uses.reserve(live.workspace, spender, "call_2", 30)
    uses.end("call_2", yield* Clock.currentTimeMillis)
    yield* TestClock.adjust(BillingLimits.callLostMillis)
    assert.strictEqual(yield* left(uses), 30)
    yield* TestClock.adjust(2 * BillingLimits.holdBeatMillis)
    assert.strictEqual(yield* left(uses), 60)
    yield* TestClock.adjust("3 hours")
    assert.strictEqual(yield* left(uses), 60)
    yield* uses.drop("call_1")
    assert.strictEqual(yield* left(uses), 100)
    assert.deepStrictEqual((yield* stored).reservations, [])
  }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect("a transaction that fails has settled nothing, and the next one settles once (P1122)", () =>
  Effect.gen(function* () {
    const { uses } = yield* server
    const storage = yield* Storage
    yield* uses.reserve(live.workspace, spender, "call_1", 40)
    const charge = uses.settle(live.workspace, [{ use, call: "call_1", createdAt: 0, micros: 7 }])
    yield* Effect.exit(storage.transaction(Effect.andThen(charge, Effect.fail("away"))))
    assert.strictEqual(yield* left(uses), 60)
    yield* storage.transaction(charge)
    assert.strictEqual(yield* left(uses), 93)
  }).pipe(Effect.provide(StorageMemory.layer))
)

it.effect("a call that is reserved for again holds the larger or smaller sum alone (P1122)", () =>
  Effect.gen(function* () {
    const { uses } = yield* server
    yield* uses.reserve(live.workspace, spender, "call_1", 90)
    yield* uses.reserve(live.workspace, spender, "call_1", 100)
    yield* uses.reserve(live.workspace, spender, "call_1", 10)
    assert.strictEqual(yield* left(uses), 90)
  }).pipe(Effect.provide(StorageMemory.layer))
)

it("costs count on the day when their call began, and a clock that is behind begins no day (P1122)", () => {
  const noon = Date.UTC(2026, 10, 28, 12)
  const day = 24 * 3_600_000
  const reserved = TokenUseRules.reserve(
    TokenUseRules.zeroUse(use, noon),
    { call: "call_1", micros: 40, maxMicrosPerDay: 100 },
    noon
  ).use
  const settled = (createdAt: number, now: number) =>
    TokenUseRules.settle(reserved, [{ call: "call_1", createdAt, micros: 10 }], now)
  assert.deepInclude(settled(noon, noon + 1), { day: "2026-11-28", spentMicros: 10, reservations: [] })
  assert.deepInclude(settled(noon, noon + day), { day: "2026-11-29", spentMicros: 0, reservations: [] })
  const behind = TokenUseRules.settle(
    settled(noon, noon),
    [{ call: "call_2", createdAt: noon - day, micros: 5 }],
    noon - day
  )
  assert.deepInclude(behind, { day: "2026-11-28", spentMicros: 10 })
})
