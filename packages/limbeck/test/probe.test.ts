/** The machine's speed for estimates: measured in the background on demand, and stored for the next start. */
import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import * as Ids from "@limbeck/core/ids/Ids"
import { StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as KeptSpeed from "@limbeck/executors/builtin/KeptSpeed"
import * as Probe from "@limbeck/executors/builtin/Probe"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"

const surroundings = Layer.mergeAll(StorageMemory.layer, Layer.provide(Ids.layer, Crypto.layer))

/** A process: the probe as long as `use` takes. */
const process = <A, E, R>(use: (probe: StudentProbe["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(StudentProbe, use), Layer.fresh(Probe.layer))

it.live(
  "the speed is 1 until it was measured, which nobody waits for; the next process begins with what was kept (P130)",
  () =>
    Effect.gen(function* () {
      const { find } = yield* KeptSpeed.make
      const measured = yield* process(({ speed }) =>
        Effect.gen(function* () {
          assert.isTrue(Option.isNone(yield* find))
          assert.strictEqual(yield* speed, 1)
          const kept = yield* Effect.repeat(find, { until: Option.isSome, schedule: Schedule.spaced("20 millis") })
          assert.strictEqual(yield* speed, Option.getOrThrow(kept).speed)
          return Option.getOrThrow(kept)
        })
      )
      yield* (yield* KeptSpeed.make).keep(measured.speed === 4 ? 8 : 4)
      yield* process(({ speed }) =>
        Effect.map(speed, (first) => assert.strictEqual(first, measured.speed === 4 ? 8 : 4))
      )
    }).pipe(Effect.provide(surroundings))
)

it.effect(
  "a server that builds no version and is asked for no estimate measures nothing; its first version makes it begin (P472)",
  () =>
    Effect.gen(function* () {
      let threads = 0
      const count = () => void threads++
      globalThis.process.on("worker", count)
      yield* Effect.addFinalizer(() => Effect.sync(() => globalThis.process.off("worker", count)))
      yield* process(({ censusTaker }) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("1 day")
          assert.strictEqual(threads, 0)
          censusTaker?.()
          while (threads === 0) yield* Effect.promise(() => turn())
        })
      )
    }).pipe(Effect.provide(surroundings))
)
