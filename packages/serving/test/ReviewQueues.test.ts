/** A verdict and its feedback are one write: a process that dies in between leaves both or none. */
import { assert, describe, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as Crypto from "@limbeck/node/Crypto"
import * as ReviewQueues from "@limbeck/serving/review/ReviewQueues"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

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

const world = ReviewQueues.layer.pipe(Layer.provideMerge(losing), Layer.provideMerge(base))

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
})
