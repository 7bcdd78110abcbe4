import { assert, describe, it } from "@effect/vitest"
import { Storage } from "@limbeck/core/storage/Storage"
import { type Executor, Progress } from "@limbeck/distill/run/Executor"
import type * as Run from "@limbeck/distill/run/Run"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Scorings from "@limbeck/distill/scoring/Scorings"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  anotherScheduler,
  created,
  live,
  log,
  messages,
  pass,
  plain,
  read,
  reports,
  runOnce,
  say,
  world
} from "./World.ts"

describe("RunScheduler: what is written", () => {
  it.effect("quick stages that spend nothing are written together, each with its events and states in order", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      let transactions = 0
      const counting = Storage.of({
        ...storage,
        transaction: (effect) =>
          Effect.andThen(
            Effect.sync(() => transactions++),
            storage.transaction(effect)
          )
      })
      const { id } = yield* created()
      const scheduler = yield* Effect.provideService(anotherScheduler, Storage, counting)
      yield* scheduler.runOnce
      assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.strictEqual(transactions, 2, "the claim, and all the rest")
      const records = yield* Effect.flatMap(RunRecords, ({ all }) => all(live, id, { after: 0, limit: 100 }))
      assert.deepStrictEqual(
        records.map((record) => (record.kind === "state" ? JSON.parse(record.state).status : record.kind)),
        ["queued", "validating", "log", "running", "log", "evaluating", "log", "running", "log", "succeeded"]
      )
    }).pipe(Effect.provide(world))
  )

  const slowOrDear: ReadonlyArray<readonly [what: string, say: Executor["execute"]]> = [
    ["long", (context) => Stream.concat(Stream.fromEffectDrain(Effect.sleep(250)), plain(context))],
    [
      "dear",
      (context) =>
        Stream.concat(Stream.make(Progress.Spend({ usage: { gpuSeconds: 1, judgeTokens: 0 } })), plain(context))
    ]
  ]

  for (const [what, execute] of slowOrDear) {
    it.effect(`the end of a stage that was ${what} is written before the next begins`, () =>
      Effect.gen(function* () {
        const { id } = yield* created({ dryRun: false })
        const runs = yield* Runs
        let seen: Run.Run | undefined
        yield* say((context) => {
          if (context.stage.kind === "sft") return execute(context)
          if (context.stage.kind !== "eval") return plain(context)
          const look = Effect.map(Effect.orDie(runs.get(live, id)), (run) => {
            seen = run
          })
          return Stream.concat(Stream.fromEffectDrain(look), plain(context))
        })
        const worker = yield* Effect.forkChild(runOnce)
        yield* pass("1 second")
        yield* Fiber.join(worker)
        assert.strictEqual(seen?.status, "evaluating")
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("a trainer has completions scored from the moment that it is told how, before 250 ms are over (P372)", () =>
    Effect.gen(function* () {
      const scorings = yield* Scorings.Scorings
      let isScored = false
      yield* say((context) => {
        if (context.stage.kind !== "sft") return plain(context)
        const scored = Effect.flatMap(context.scoring.open, ({ capability }) =>
          Effect.orDie(scorings.check(context.run.id, capability))
        )
        const noted = Effect.map(scored, () => {
          isScored = true
        })
        return Stream.concat(Stream.fromEffectDrain(noted), plain(context))
      })
      yield* created()
      yield* runOnce
      assert.isTrue(isScored)
    }).pipe(Effect.provide(Layer.provideMerge(Scorings.layer, world)))
  )

  it.effect("an end that comes while a batch is written is written after it, once", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const [writing, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let transactions = 0
      // The second is that of the batch: the first was the claim.
      const slow = Storage.of({
        ...storage,
        transaction: (effect) =>
          ++transactions === 2
            ? storage.transaction(
                Effect.andThen(Effect.andThen(Deferred.succeed(writing, undefined), Deferred.await(gate)), effect)
              )
            : storage.transaction(effect)
      })
      // All stages are quick; the second continues during the write of the first one's batch.
      yield* say((context) => {
        if (context.stage.kind === "materialize") {
          const rest = Stream.concat(Stream.fromEffectDrain(Effect.sleep(200)), plain(context))
          return Stream.concat(Stream.make(log("first")), rest)
        }
        return Stream.concat(Stream.fromEffectDrain(Deferred.await(writing)), plain(context))
      })
      const { id } = yield* created()
      const scheduler = yield* Effect.provideService(anotherScheduler, Storage, slow)
      const worker = yield* Effect.forkChild(scheduler.runOnce)
      yield* pass(250)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(worker)
      assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.lengthOf(yield* reports, 1)
      assert.strictEqual((yield* messages(id))[0], "first")
    }).pipe(Effect.provide(world))
  )
})
