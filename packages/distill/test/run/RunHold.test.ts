import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Run from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as RunChanges from "../../src/run/internal/RunChanges.ts"
import * as RunHold from "../../src/run/internal/RunHold.ts"
import { created, live, messages, read, world } from "./World.ts"

/** A hold on a new run, and a storage whose transactions fail after their work while `isDown`. */
const held = Effect.gen(function* () {
  const storage = yield* Storage
  const outage = { isDown: false }
  const unstable = Storage.of({
    ...storage,
    transaction: (effect) =>
      storage.transaction(
        Effect.tap(effect, () =>
          outage.isDown ? Effect.fail(new StorageError({ operation: "commit", cause: null })) : Effect.void
        )
      )
  })
  const { id } = yield* created()
  const queue = yield* Queue
  const now = yield* Clock.currentTimeMillis
  const [work] = yield* queue.claim({ topic: Run.topic, now, limit: 1, leaseUntil: now + DistillLimits.leaseMillis })
  if (work === undefined) return yield* Effect.die("expected a run that is due")
  const changes = yield* RunChanges.make
  const holdOf = yield* Effect.provideService(RunHold.make, Storage, unstable)
  const hold = holdOf(work, yield* changes.find(live, id))
  const say = (message: string) =>
    hold.progress(
      { ...hold.run(), name: message },
      { kind: "log", line: { stage: 1, at: now, level: "info", message } }
    )
  return { hold, id, outage, say }
})

describe("RunHold", () => {
  it.effect("what a failed write did not write is written by the next, before what came since, and once (P138)", () =>
    Effect.gen(function* () {
      const { hold, id, outage, say } = yield* held
      say("one")
      outage.isDown = true
      for (const message of ["two", "three"]) {
        assert.strictEqual((yield* Effect.flip(hold.write))._tag, "StorageError")
        say(message)
      }
      assert.deepStrictEqual(yield* messages(id), [])
      assert.strictEqual(hold.unwrittenSteps(), 3)
      outage.isDown = false
      yield* hold.write
      yield* hold.write
      assert.deepStrictEqual(yield* messages(id), ["one", "two", "three"])
      assert.strictEqual((yield* read(id)).name, "three")
      assert.strictEqual(hold.unwrittenSteps(), 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("a worker whose lease is over writes nothing more (P138)", () =>
    Effect.gen(function* () {
      const { hold, id, say } = yield* held
      const queue = yield* Queue
      yield* TestClock.adjust(DistillLimits.leaseMillis + 1)
      const now = yield* Clock.currentTimeMillis
      yield* queue.claim({ topic: Run.topic, now, limit: 1, leaseUntil: now + DistillLimits.leaseMillis })
      say("late")
      assert.strictEqual((yield* Effect.flip(hold.write))._tag, "LeaseLost")
      assert.deepStrictEqual(yield* messages(id), [])
      assert.strictEqual((yield* read(id)).name, "nightly")
    }).pipe(Effect.provide(world))
  )
})
