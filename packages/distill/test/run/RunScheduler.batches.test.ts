import { assert, describe, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { Pools } from "@limbeck/core/pools/Pools"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { DistillLimits } from "@limbeck/distill/Limits"
import { Progress } from "@limbeck/distill/run/Executor"
import * as Run from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as RunHold from "../../src/run/internal/RunHold.ts"
import {
  anotherScheduler,
  at,
  created,
  done,
  failing,
  live,
  messages,
  plain,
  read,
  say,
  stranger,
  test,
  told,
  world
} from "./World.ts"

/** The evaluation answers two rows. */
const answering = at("eval", () =>
  Stream.make<Array<Progress>>(
    ...["row_1", "row_2"].map((key) =>
      Progress.Answer({
        row: { key, row: { messages: [{ role: "user", content: key }], completion: "yes" } },
        completion: "yes",
        latencyMillis: 1,
        confidence: null
      })
    ),
    done()
  )
)

/** A worker's storage accesses: transactions, and statements outside them. */
const counted = Effect.gen(function* () {
  const [storage, queue, resources] = [yield* Storage, yield* Queue, yield* ResourceStore]
  const calls = yield* CallStore
  const seen = { transactions: 0, reviews: 0 }
  let inside = 0
  const one = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      if (inside === 0) seen.transactions++
      return effect
    })
  const counting = {
    storage: Storage.of({
      ...storage,
      transaction: (effect) =>
        one(
          storage.transaction(
            Effect.suspend(() => {
              inside++
              return Effect.ensuring(
                effect,
                Effect.sync(() => inside--)
              )
            })
          )
        )
    }),
    queue: Queue.of({
      ...queue,
      claim: (options) => one(queue.claim(options)),
      nextDueAt: (topic) => one(queue.nextDueAt(topic))
    }),
    resources: ResourceStore.of({
      ...resources,
      find: (partition, kind, id) => one(resources.find(partition, kind, id)),
      findMany: (partition, kind, ids) => one(resources.findMany(partition, kind, ids))
    }),
    calls: CallStore.of({
      ...calls,
      pageFeedback: (partition, filter, request) => {
        seen.reviews++
        return one(calls.pageFeedback(partition, filter, request))
      }
    })
  }
  const scheduler = yield* anotherScheduler.pipe(
    Effect.provideService(Storage, counting.storage),
    Effect.provideService(Queue, counting.queue),
    Effect.provideService(ResourceStore, counting.resources),
    Effect.provideService(CallStore, counting.calls)
  )
  return { scheduler, seen }
})

/** Holds on new runs, written through one storage with counted transactions. */
const held = Effect.fnUntraced(function* (count: number) {
  const [storage, queue, resources] = [yield* Storage, yield* Queue, yield* ResourceStore]
  const seen = { transactions: 0 }
  const counting = Storage.of({
    ...storage,
    transaction: (effect) =>
      Effect.suspend(() => {
        seen.transactions++
        return storage.transaction(effect)
      })
  })
  for (let index = 0; index < count; index++) yield* created({}, index % 2 === 0 ? live : test)
  const now = yield* Clock.currentTimeMillis
  const works = yield* queue.claim({
    topic: Run.topic,
    now,
    limit: count,
    leaseUntil: now + DistillLimits.leaseMillis
  })
  const holdOf = yield* Effect.provideService(RunHold.make, Storage, counting)
  const holds = yield* Effect.forEach(works, (work) =>
    Effect.map(resources.findMany(work.partition, Run.kind, [work.subject]), ([found]) => holdOf(work, found!))
  )
  for (const hold of holds) {
    hold.progress(
      { ...hold.run(), name: "written" },
      { kind: "log", line: { stage: 1, at: now, level: "info", message: "one" } }
    )
  }
  const writeAll = Effect.forEach(holds, ({ write }) => Effect.result(write), { concurrency: "unbounded" })
  return { holds, seen, writeAll, works }
})

describe("RunScheduler, batches", () => {
  it.effect("a dry run of five stages takes three transactions at most while more are due (P240)", () =>
    Effect.gen(function* () {
      const runs = 3 * Pools.runs.size
      const ids: Array<string> = []
      for (let index = 0; index < runs; index++) ids.push((yield* created()).id)
      const { scheduler, seen } = yield* counted
      // The first takes a look at the version, which is kept.
      while ((yield* scheduler.runOnce) > 0) {}
      for (const id of ids) assert.strictEqual((yield* read(id)).status, "succeeded")
      assert.isAtMost(seen.transactions, 3 * runs)
      assert.isAtMost(seen.transactions, 2 * runs, "they share most of them")
      const one = yield* created()
      seen.transactions = 0
      yield* scheduler.runOnce
      assert.strictEqual((yield* read(one.id)).status, "succeeded")
      assert.isAtMost(seen.transactions, 5, "alone: the claim, the run, its new version, the beginning, and the rest")
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "what reviewers have said is read where an evaluation has answers, once, and not in a rehearsal (P440)",
    () =>
      Effect.gen(function* () {
        const { scheduler, seen } = yield* counted
        const rehearsal = yield* created()
        yield* scheduler.runOnce
        assert.strictEqual((yield* read(rehearsal.id)).status, "succeeded")
        assert.strictEqual(seen.reviews, 0)
        yield* say(answering)
        const evaluated = yield* created({ dryRun: false })
        yield* scheduler.runOnce
        assert.strictEqual((yield* read(evaluated.id)).status, "succeeded")
        assert.strictEqual(seen.reviews, 2, "what is correct, and what was corrected")
      }).pipe(Effect.provide(world))
  )

  it.effect("each run of a batch has its own events in their order, whatever partition it is of (P240)", () =>
    Effect.gen(function* () {
      const partitions = [live, test, stranger, live, test, stranger]
      const ids: Array<string> = []
      for (const partition of partitions) ids.push((yield* created({}, partition)).id)
      const { scheduler } = yield* counted
      yield* scheduler.runOnce
      for (const [index, id] of ids.entries()) {
        const events = (yield* told(partitions[index]!)).filter(({ object }) => object.id === id || object.run === id)
        assert.deepStrictEqual(
          events.map(({ type }) => type),
          [
            "run.created",
            "run.started",
            "run.stage_succeeded",
            "run.stage_succeeded",
            "run.stage_succeeded",
            "report.ready",
            "run.succeeded"
          ]
        )
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a stage that fails is a step of its own run: the others of the batch go on (P241)", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let index = 0; index < 4; index++) ids.push((yield* created({ name: `run ${index}` })).id)
      yield* say((context) => (context.run.name === "run 1" ? failing(false) : plain(context)))
      const { scheduler } = yield* counted
      yield* scheduler.runOnce
      const runs = yield* Effect.forEach(ids, (id) => read(id))
      assert.deepStrictEqual(
        runs.map(({ status }) => status),
        ["succeeded", "failed", "succeeded", "succeeded"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a lease that is lost leaves out its run alone, in one transaction for all (P241)", () =>
    Effect.gen(function* () {
      const { holds, seen, works, writeAll } = yield* held(4)
      const lost = works[2]!
      yield* (yield* Queue).withdraw(lost.partition, lost.topic, lost.subject)
      const results = yield* writeAll
      assert.strictEqual(seen.transactions, 1)
      for (const [index, { run, work }] of holds.entries()) {
        const result = results[index]!
        assert.strictEqual(
          Result.isFailure(result) ? result.failure._tag : "written",
          index === 2 ? "LeaseLost" : "written"
        )
        assert.deepStrictEqual(yield* messages(run().id, work.partition), index === 2 ? [] : ["one"])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a conflict of one run has the others written by themselves, each once (P241)", () =>
    Effect.gen(function* () {
      const { holds, writeAll, works } = yield* held(4)
      const resources = yield* ResourceStore
      const changed = works[1]!
      const [stored] = yield* resources.findMany(changed.partition, Run.kind, [changed.subject])
      yield* resources.compareAndSet(changed.partition, Run.kind, stored!)
      const results = yield* writeAll
      for (const [index, { run, work }] of holds.entries()) {
        const result = results[index]!
        const tag = Result.isFailure(result) ? result.failure._tag : "written"
        assert.strictEqual(tag, index === 1 ? "RevisionConflict" : "written")
        assert.deepStrictEqual(yield* messages(run().id, work.partition), index === 1 ? [] : ["one"])
        const now = (yield* read(run().id, work.partition)).name
        assert.strictEqual(now, index === 1 ? "nightly" : "written")
      }
    }).pipe(Effect.provide(world))
  )
})
