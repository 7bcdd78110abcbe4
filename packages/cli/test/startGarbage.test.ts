/** The garbage of a server's start. */
import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Limits } from "../src/serve/Limits.ts"
import * as StartGarbage from "../src/serve/StartGarbage.ts"

it.effect("is collected once, after the first two seconds without load (P1822)", () =>
  Effect.gen(function* () {
    const loads = [0.9, 0.2, 0.01, 0.9, 0.01]
    let collections = 0
    const load = Effect.sync(() => loads.shift() ?? 0)
    yield* Effect.forkChild(
      StartGarbage.collectOnceIdle(
        load,
        Effect.sync(() => void collections++)
      )
    )
    yield* TestClock.adjust(2 * Limits.idleMillis)
    assert.strictEqual(collections, 0)
    yield* TestClock.adjust(Limits.idleMillis)
    assert.strictEqual(collections, 1)
    yield* TestClock.adjust(10 * Limits.idleMillis)
    assert.strictEqual(collections, 1)
    assert.lengthOf(loads, 2)
  })
)

it("is collected whole (P1822)", async () => {
  const unreachable = new WeakRef(new Array(1_000))
  // A WeakRef keeps its target until the end of the turn that made it.
  await turn()
  await Effect.runPromise(StartGarbage.collect)
  assert.isUndefined(unreachable.deref())
})

it("counts as load what holds the event loop (P1822)", async () => {
  const load = StartGarbage.loadMeter()
  await turn()
  const until = process.cpuUsage().user + 20_000
  while (process.cpuUsage().user < until);
  assert.isAbove(await Effect.runPromise(load), Limits.idleLoadMax)
})
