/** Runs whose workers die, one after the other, in virtual time on each storage. */
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { created, failing, plain, read, runOnce, Script, say, silentWorker, stageOf, worldOn } from "./World.ts"

const storages = { memory: StorageMemory.layer, Postgres: Database.storageOn(StoragePostgres.layer) } as const

/** Lets real time pass, for database responses, without virtual time. */
const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await turn()
  })

/** The time comes at which a worker may take the run up. */
const untilDue = Effect.fnUntraced(function* (id: string) {
  const { dueAt } = yield* read(id)
  const now = yield* Clock.currentTimeMillis
  yield* TestClock.adjust(Math.max(0, (dueAt ?? now) - now))
})

/** A worker takes the run up and dies: it stays silent until its lease ends. Whether an attempt began. */
const loseWorker = Effect.gen(function* () {
  const script = yield* Script
  const attempts = script.heard.length
  const worker = yield* silentWorker
  const driving = yield* Effect.forkScoped(Effect.exit(worker.drive))
  yield* until(() => script.heard.length > attempts || driving.pollUnsafe() !== undefined)
  const hasBegun = script.heard.length > attempts
  if (hasBegun) yield* TestClock.adjust(DistillLimits.leaseMillis)
  return hasBegun
})

/** So many attempts are lost; between them the run waits out its pauses. */
const loseAttempts = Effect.fnUntraced(function* (id: string, count: number) {
  for (let lost = 0; lost < count; ) {
    yield* untilDue(id)
    if (yield* loseWorker) lost++
  }
})

/** The next worker finds the last loss, and waits with the run if it has to. */
const resume = Effect.fnUntraced(function* (id: string) {
  yield* runOnce
  yield* untilDue(id)
  yield* runOnce
})

for (const [name, storage] of Object.entries(storages)) {
  describe(`a run whose workers die, on ${name}`, () => {
    it.effect("succeeds after nine, and has all attempts of its own left (P925)", () =>
      Effect.gen(function* () {
        yield* say(() => Stream.never)
        const { id } = yield* created()
        yield* loseAttempts(id, 9)
        const script = yield* Script
        const attempts = script.heard.length
        // Two attempts fail by themselves, and the third succeeds.
        yield* say((context) => (script.heard.length <= attempts + 2 ? failing(true) : plain(context)))
        yield* resume(id)
        yield* untilDue(id)
        yield* runOnce
        yield* untilDue(id)
        yield* runOnce
        const run = yield* read(id)
        assert.deepInclude(run, { status: "succeeded", error: null })
        assert.deepInclude(stageOf(run, "materialize"), { attempt: 12, lostOfStart: 9 })
      }).pipe(Effect.scoped, Effect.provide(worldOn(storage)))
    )

    it.effect("waits longer after each, and fails after ten in one stage (P925)", () =>
      Effect.gen(function* () {
        yield* say(() => Stream.never)
        const { id } = yield* created()
        const begun: Array<number> = []
        for (let lost = 0; lost < 10; lost++) {
          yield* loseAttempts(id, 1)
          begun.push(yield* Clock.currentTimeMillis)
        }
        const waits = begun.slice(1).map((at, index) => at - (begun[index] ?? 0))
        assert.deepStrictEqual(
          waits.slice(0, -1),
          waits.slice(0, -1).toSorted((a, b) => a - b)
        )
        yield* runOnce
        const run = yield* read(id)
        assert.deepInclude(run.error, { code: "worker_lost", stage: 1 })
        assert.deepInclude(stageOf(run, "materialize"), { status: "failed", attempt: 10 })
      }).pipe(Effect.scoped, Effect.provide(worldOn(storage)))
    )
  })
}
