// Two hundred runs over three workers that are killed, frozen and stopped, with cancels and retries, in virtual time.
import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import { isTerminal } from "@limbeck/distill/run/RunMachine"
import { Runs } from "@limbeck/distill/run/Runs"
import { caseCount } from "@limbeck/testing/Campaign"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as RunLaws from "@limbeck/testing/fixtures/RunLaws"
import * as SpendingExecutor from "@limbeck/testing/fixtures/SpendingExecutor"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { anotherScheduler, live, pass, read, say, stored, world } from "./World.ts"

const runsCount = 200

/** Luck that a seed replays: numbers from 0 up to 1 (a Lehmer generator). */
const luck = (seed: number): (() => number) => {
  const modulus = 2 ** 31 - 1
  let state = seed
  return () => {
    state = (state * 48_271) % modulus
    return state / modulus
  }
}

const gone = new StorageError({ operation: "any", cause: "this process is dead" })

/**
 * A worker like a separate process: `kill` disconnects it from storage at once, `freeze` stops prolonging its leases, and
 * `slip` refuses its next transaction.
 */
const startWorker = Effect.gen(function* () {
  const [queue, storage] = [yield* Queue, yield* Storage]
  let isDead = false
  let isFrozen = false
  let hasSlipped = false
  const alive = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => (isDead ? Effect.fail(gone) : effect))
  const slipping = Effect.suspend((): Effect.Effect<void, StorageError> => {
    if (!hasSlipped) return Effect.void
    hasSlipped = false
    return Effect.fail(gone)
  })
  const scheduler = yield* anotherScheduler.pipe(
    Effect.provideService(Storage, {
      ...storage,
      // It dies before the commit, or survives.
      transaction: (effect) => alive(storage.transaction(Effect.tap(effect, () => alive(slipping))))
    }),
    Effect.provideService(Queue, {
      ...queue,
      claim: (options) => alive(queue.claim(options)),
      release: (work, dueAt) => alive(queue.release(work, dueAt)),
      extend: (work, until) =>
        Effect.suspend(() => (isDead || isFrozen ? Effect.fail(gone) : queue.extend(work, until)))
    })
  )
  const fiber = yield* Effect.forkChild(scheduler.forever)
  return {
    stop: Fiber.interrupt(fiber),
    freeze: Effect.sync(() => {
      isFrozen = true
    }),
    slip: Effect.sync(() => {
      hasSlipped = true
    }),
    kill: Effect.suspend(() => {
      isDead = true
      return Fiber.interrupt(fiber)
    })
  }
})

const price = ComputeProfile.local.microsPerGpuSecond
const seconds = SpendingExecutor.secondsOfRun(["sft", "eval"])

describe("RunScheduler: chaos", () => {
  for (const seed of [7, 20_261_120].slice(0, caseCount(1, 2))) {
    it.effect(
      `seed ${seed}: 200 runs keep their laws over workers that are killed, frozen and stopped (P32)`,
      () =>
        Effect.gen(function* () {
          const next = luck(seed)
          const runs = yield* Runs
          const starts = new Map<string, Array<number>>()
          const executor = SpendingExecutor.make({
            pace: 1_500,
            started: ({ run, stage }) =>
              Effect.sync(() => {
                const key = `${run.id} ${stage.seq}`
                starts.set(key, [...(starts.get(key) ?? []), stage.attempt])
              })
          })
          yield* say(executor.execute)
          const { id: version } = yield* stored()
          const ids = yield* Effect.forEach(Array.from({ length: runsCount }), (_, index) =>
            Effect.map(
              // A few have no budget for the whole.
              runs.create(
                live,
                request(version, { dryRun: index % 2 === 0, maxCostUsd: ((index % 20 === 1 ? 5 : 40) * price) / 1e6 })
              ),
              ({ run }) => run.id
            )
          )
          const workers = [yield* startWorker, yield* startWorker, yield* startWorker]
          const open = [...ids]
          let [kills, stops, disturbed] = [0, 0, 0]
          const disturbWorker = Effect.gen(function* () {
            const place = Math.floor(next() * workers.length)
            const worker = workers[place]!
            const kind = next()
            if (kind < 0.1) return yield* worker.freeze
            if (kind < 0.25) return yield* worker.slip
            if (kind < 0.6) kills++
            else stops++
            yield* kind < 0.6 ? worker.kill : worker.stop
            workers[place] = yield* startWorker
          })
          const disturbRun = Effect.gen(function* () {
            const place = Math.floor(next() * open.length)
            const id = open[place]!
            const { status } = yield* read(id)
            if (status === "succeeded") return void open.splice(place, 1)
            disturbed++
            const isOver = isTerminal(status)
            yield* Effect.ignore(
              isOver ? runs.retry(live, id, { fromStage: null, maxCostUsd: null }) : runs.cancel(live, id)
            )
          })
          for (let turn = 0; turn < 150; turn++) {
            yield* pass(Math.floor(next() * 900))
            yield* next() < 0.25 ? disturbWorker : disturbRun
          }
          // The frozen worker is not needed any more.
          yield* Effect.forEach(workers, ({ kill }) => kill)
          const last = yield* startWorker
          for (let round = 0; round < 60; round++) {
            const all = yield* Effect.forEach(ids, (id) => read(id))
            const open = all.filter(({ status }) => status !== "succeeded")
            if (open.length === 0) break
            for (const { budgetMicros, error, id, status } of open) {
              const maxCostUsd = error?.code === "budget_exceeded" ? (budgetMicros + 40 * price) / 1e6 : null
              if (isTerminal(status)) yield* runs.retry(live, id, { fromStage: null, maxCostUsd })
            }
            yield* pass("15 seconds")
          }
          yield* last.stop

          const types = yield* RunLaws.eventTypes(live)
          for (const id of ids) {
            const { run } = yield* RunLaws.assertLaws(live, id, types.get(id) ?? [])
            assert.strictEqual(run.status, "succeeded")
            // Exactly what an undisturbed run comes to: nothing lost, nothing twice.
            assert.deepInclude(
              run.totals,
              run.dryRun ? { costMicros: 0 } : { gpuSeconds: seconds, costMicros: seconds * price }
            )
          }
          assert.isAbove(kills, 5)
          assert.isAbove(stops, 5)
          assert.isAbove(disturbed, 50)
          for (const id of ids) {
            for (const { attempt, seq } of (yield* read(id)).stages) {
              const counted = Array.from({ length: attempt }, (_, index) => index + 1)
              // One that began right after a quick stage may begin again, under the same number.
              assert.deepStrictEqual([...new Set(starts.get(`${id} ${seq}`))], counted, `${id} ${seq}`)
            }
          }
        }).pipe(Effect.provide(world)),
      60_000
    )
  }
})
