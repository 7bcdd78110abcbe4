/** A verdict and its feedback are one write: a process that dies in between leaves both or none. */
import { assert, describe, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as Crypto from "@limbeck/node/Crypto"
import * as Deployment from "@limbeck/serving/deployment/Deployment"
import * as GuardWorker from "@limbeck/serving/guard/GuardWorker"
import * as ReviewQueues from "@limbeck/serving/review/ReviewQueues"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Counters from "@limbeck/testing/telemetry/Counters"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Settings from "../src/deployment/Settings.ts"
import * as Watch from "../src/guard/internal/Watch.ts"
import * as ReviewQueue from "../src/review/ReviewQueue.ts"

const { live } = World
const base = Layer.merge(StorageMemory.layer, World.services).pipe(Layer.provideMerge(Crypto.layer))

/** Feedback that is lost once: the process would die there. */
const losing = Layer.effect(
  CallStore,
  Effect.map(CallStore, (store) => {
    let isLost = false
    return CallStore.of({
      ...store,
      insertFeedback: (...given) => {
        if (isLost) return store.insertFeedback(...given)
        isLost = true
        return new StorageError({ operation: "CallStore.insertFeedback", cause: new Error("killed") })
      }
    })
  })
)

const world = Layer.merge(ReviewQueues.layer, GuardWorker.layer).pipe(
  Layer.provideMerge(losing),
  Layer.provideMerge(World.events),
  Layer.provideMerge(base)
)

const ann = { kind: "token", id: "tok_01kaf3tn0e5v2b8w6xq4rj7mca" } as const
const bob = { kind: "token", id: "tok_01kaf3tn0e5v2b8w6xq4rj7mcb" } as const

/** A queue of the holdout rows of a ready version. */
const opened = Effect.fnUntraced(function* (rows: number, shared: number) {
  const version: DatasetVersion.DatasetVersion = Plans.version({ status: "ready", holdoutRows: rows, trainRows: 0 })
  yield* (yield* ResourceStore).insert(live, DatasetVersion.kind, version)
  const stored = Array.from({ length: rows }, (_, at) => {
    const row = { messages: [{ role: "user", content: `question ${at}` }], completion: "yes" }
    return { key: `${at}`, split: "holdout" as const, body: JSON.stringify(row) }
  })
  yield* (yield* RowStore).append(live, version.id, stored)
  const queues = yield* ReviewQueues.ReviewQueues
  return yield* queues.create(live, { version: version.id, of: "holdout", shared })
})

/** A deployment with two answers of its student that verifications contradict, which the guard has not counted. */
const contradicted = Effect.gen(function* () {
  const blank = Settings.blank({ id: "dep_1", alias: "desk", mode: "active", studentModel: "stu_1", now: 0 })
  const guard = { minAgreement: 0, verifyPercent: 100, onBreach: "notify" } as const
  const deployment: Deployment.Deployment = { ...blank, status: "ready", watchedSince: 0, floor: 0, guard }
  yield* (yield* ResourceStore).insert(live, Deployment.kind, deployment)
  const served = Calls.calls(2, () => ({ servedBy: "student", deployment: deployment.id, confidence: 0.5 }))
  const store = yield* CallStore
  yield* store.append(Calls.inPartition(live, served))
  const results = served.map((call) => Calls.shadow(call, { deployment: deployment.id, agrees: false, verifies: true }))
  yield* store.appendShadows(Calls.inPartition(live, results))
  return deployment.id
})

const tallies = Effect.fnUntraced(function* (deployment: string) {
  const watch = yield* (yield* ResourceStore).find(live, Watch.kind, deployment)
  return Option.getOrThrow(watch).value.comparisons.blocks
})

const feedback = Effect.flatMap(CallStore, (store) => store.pageFeedback(live, {}, firstPage(10)))

describe("a review queue", () => {
  it.effect("keeps no verdict without its feedback, and takes it afterwards as if nothing had been (P1572)", () =>
    Effect.gen(function* () {
      const { id } = yield* opened(2, 0)
      const queues = yield* ReviewQueues.ReviewQueues
      const { next } = yield* queues.next(live, id, ann)
      const verdict = { entry: next?.entry ?? 0, verdict: "wrong" } as const
      const failed = yield* Effect.flip(queues.judge(live, id, ann, verdict))
      assert.strictEqual(failed._tag, "StorageError")
      assert.lengthOf(
        (yield* queues.get(live, id)).entries.flatMap(({ verdicts }) => verdicts),
        0
      )
      assert.strictEqual((yield* queues.next(live, id, ann)).next?.entry, next?.entry)
      const turn = yield* queues.judge(live, id, ann, verdict)
      assert.strictEqual(turn.last, next?.entry)
      assert.strictEqual(turn.next?.entry, 2)
      assert.deepStrictEqual<unknown>(
        (yield* feedback).items.map(({ givenBy, id }) => [id, givenBy]),
        turn.queue.entries.flatMap(({ verdicts }) => verdicts.map(({ by, feedback }) => [feedback, by]))
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("counts a difference as agreement once, whoever agrees, and before the guard counts it (P1570)", () =>
    Effect.gen(function* () {
      const deployment = yield* contradicted
      const queues = yield* ReviewQueues.ReviewQueues
      const [{ id }, { id: again }] = yield* Effect.all([
        queues.create(live, { deployment, of: "unsure", shared: 1 }),
        queues.create(live, { deployment, of: "unsure", shared: 1 })
      ])
      const right = { entry: 1, verdict: "right" } as const
      const guard = yield* GuardWorker.GuardWorker
      yield* Effect.ignore(queues.judge(live, id, ann, right)) // Its feedback is lost.
      yield* queues.judge(live, id, ann, right)
      yield* queues.judge(live, id, bob, right)
      assert.strictEqual(yield* guard.runOnce, 2)
      assert.deepStrictEqual(yield* tallies(deployment), [{ compared: 2, agreed: 1 }])
      yield* queues.judge(live, again, bob, right)
      yield* queues.undo(live, id, ann, 1) // Hers was the first.
      assert.deepStrictEqual(yield* tallies(deployment), [{ compared: 2, agreed: 1 }])
      yield* queues.undo(live, id, bob, 1)
      assert.deepStrictEqual(yield* tallies(deployment), [{ compared: 2, agreed: 1 }])
      yield* queues.undo(live, again, bob, 1)
      assert.deepStrictEqual(yield* tallies(deployment), [{ compared: 2, agreed: 0 }])
      yield* queues.judge(live, id, ann, right)
      assert.deepStrictEqual(yield* tallies(deployment), [{ compared: 2, agreed: 1 }])
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps no text of a call that is removed, and passes over its entries together (P1741)", () =>
    Effect.gen(function* () {
      const deployment = yield* contradicted
      const store = yield* CallStore
      const served = Calls.calls(40, () => ({
        servedBy: "student",
        deployment,
        confidence: 0.6
      }))
      yield* store.append(Calls.inPartition(live, served))
      const queues = yield* ReviewQueues.ReviewQueues
      const { entries, id } = yield* queues.create(live, { deployment, of: "unsure", shared: 0 })
      assert.lengthOf(entries, 42)
      const correction = { entry: 1, verdict: "correction", answer: "the secret answer" } as const
      yield* Effect.ignore(queues.judge(live, id, ann, correction)) // Its feedback is lost.
      yield* queues.judge(live, id, ann, correction)
      yield* queues.judge(live, id, ann, correction)
      yield* queues.judge(live, id, ann, { entry: 2, verdict: "wrong" })
      assert.deepStrictEqual(
        (yield* feedback).items.map(({ comment, name }) => [name, comment]),
        [
          ["correct", null],
          ["correction", correction.answer]
        ]
      )
      for (const { key } of entries.slice(0, -1)) yield* store.remove(live, key)
      const { next, queue } = yield* queues.next(live, id, ann)
      assert.deepStrictEqual([next?.entry, queue.entries.filter(({ isGone }) => isGone).length], [42, 39])
      const stored = Option.getOrThrow(yield* (yield* ResourceStore).find(live, ReviewQueue.kind, id))
      assert.notInclude(JSON.stringify(stored), correction.answer)
    }).pipe(Effect.provide(world))
  )

  it.effect("returns an entry whose lease has ended, and asks two people about a shared one (P1567)", () =>
    Effect.gen(function* () {
      const { id } = yield* opened(2, 0.5)
      const queues = yield* ReviewQueues.ReviewQueues
      const entryOf = (by: typeof ann | typeof bob) =>
        Effect.map(queues.next(live, id, by), ({ next }) => next?.entry ?? null)
      // The first is for two people, the second for one.
      assert.deepStrictEqual([yield* entryOf(ann), yield* entryOf(bob)], [1, 1])
      yield* queues.judge(live, id, ann, { entry: 1, verdict: "skip" })
      yield* queues.judge(live, id, bob, { entry: 1, verdict: "skip" })
      assert.deepStrictEqual([yield* entryOf(ann), yield* entryOf(bob)], [2, null])
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual([yield* entryOf(bob), yield* entryOf(ann)], [2, null])
    }).pipe(Effect.provide(world))
  )

  it.effect("metrics count comparisons by alias after their commit, and none that is rolled back (P1673)", () =>
    Effect.gen(function* () {
      yield* contradicted
      const guard = yield* GuardWorker.GuardWorker
      const storage = yield* Storage
      const differed = Counters.total("limbeck_student_comparisons_total", { alias: "desk", result: "differed" })
      const before = yield* differed
      yield* Effect.flip(storage.transaction(Effect.andThen(guard.runOnce, Effect.fail("rolled back"))))
      assert.strictEqual(yield* differed, before)
      assert.strictEqual(yield* guard.runOnce, 2)
      assert.strictEqual(yield* differed, before + 2)
    }).pipe(Effect.provide(world))
  )
})
