/** What every Queue must do for workspaces that share a worker: claims take turns, and none exceeds its share of the free slots. */
import { assert } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import type { ClaimTurns, Work } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Fresh from "../fixtures/Fresh.ts"
import { later, now, open, subjects } from "../fixtures/QueueTopic.ts"
import { describePort } from "./AllPorts.ts"

/** So many free slots that no share excludes an item. */
const plenty = (behind: string): ClaimTurns => ({ behind, free: 1_000, held: new Map() })

/** `count` partitions, in the order of their keys. */
const partitions = (count: number): ReadonlyArray<Partition.Partition> =>
  Array.from({ length: count }, () => Fresh.partition()).toSorted((a, b) => (a.key < b.key ? -1 : 1))

export const suite = describePort("Queue turns", (it) => {
  it.effect("partitions take turns: however much one has waiting, another waits for no more than its turn", () =>
    Effect.gen(function* () {
      const { offer, queue, topic } = yield* open
      const [first, second, third] = partitions(3) as [Partition.Partition, Partition.Partition, Partition.Partition]
      // The first has been waiting for longer, with more.
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => offer(`a${n}`, now - 10 + n, first), { discard: true })
      yield* Effect.forEach([2, 1], (n) => offer(`b${n}`, now + n, second), { discard: true })
      yield* offer("c1", now + 3, third)
      yield* offer("later", now + 100, third)
      const claim = (behind: string, limit: number) =>
        queue.claim({ topic, now: now + 10, limit, leaseUntil: later, turns: plenty(behind) })
      assert.deepStrictEqual(subjects(yield* claim("", 2)), ["a1", "b1"])
      assert.deepStrictEqual(subjects(yield* claim(second.key, 1)), ["c1"])
      assert.deepStrictEqual(subjects(yield* claim(third.key, 1)), ["a2"])
      // Continues behind the first and wraps around; then a second item of each partition.
      assert.deepStrictEqual(subjects(yield* claim(first.key, 4)), ["b2", "a3", "a4", "a5"])
      assert.deepStrictEqual(subjects(yield* claim(first.key, 4)), ["a6"])
      assert.deepStrictEqual(yield* claim(first.key, 4), [])
      assert.deepStrictEqual(subjects(yield* queue.claim({ topic, now: later, limit: 1, leaseUntil: later + 1 })), [
        "later"
      ])
    })
  )

  it.effect(
    "a workspace gets half of the free slots at most, and what it holds counts, in both of its modes (P821)",
    () =>
      Effect.gen(function* () {
        const { offer, queue, topic } = yield* open
        const live = Fresh.partition()
        const test = Partition.make(live.workspace, !live.livemode)
        yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => offer(`a${n}`, now + n, live), { discard: true })
        yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => offer(`b${n}`, now + n, test), { discard: true })
        const claim = (free: number, held: number) => {
          const counts: ClaimTurns["held"] = new Map(held === 0 ? [] : [[live.workspace, held]])
          const turns = { behind: "", free, held: counts }
          return Effect.map(
            queue.claim({ topic, now: now + 10, limit: 8, leaseUntil: later, turns }),
            (works) => works.length
          )
        }
        assert.strictEqual(yield* claim(4, 4), 0)
        assert.strictEqual(yield* claim(5, 4), 1)
        assert.strictEqual(yield* claim(8, 0), 4)
        assert.strictEqual(yield* claim(1, 0), 1)
        assert.strictEqual(yield* claim(1, 1), 0)
      })
  )

  it.effect(
    "a workspace with the fewest items under way comes first, and a newcomer gets one of what is free (P821)",
    () =>
      Effect.gen(function* () {
        const { offer, queue, topic } = yield* open
        const [first, second, third] = partitions(3) as [Partition.Partition, Partition.Partition, Partition.Partition]
        for (const partition of [first, second, third]) {
          yield* Effect.forEach([1, 2, 3, 4], (n) => offer(`${n}`, now + n, partition), { discard: true })
        }
        const claim = (free: number, held: ClaimTurns["held"]) =>
          Effect.map(
            queue.claim({ topic, now: now + 10, limit: free, leaseUntil: later, turns: { behind: "", free, held } }),
            (works) => works.map(({ partition }) => partition.key)
          )
        const held = new Map([
          [first.workspace, 4],
          [second.workspace, 2]
        ])
        assert.deepStrictEqual(yield* claim(2, held), [third.key])
        const keys = [first.key, first.key, second.key, second.key, third.key]
        assert.deepStrictEqual(yield* claim(6, new Map()), keys)
      })
  )

  it.effect("nextDueAt leaves out the workspaces that are excepted, in both of their modes (P821)", () =>
    Effect.gen(function* () {
      const { nextDueAt, offer, partition, queue, topic } = yield* open
      const other = Fresh.partition()
      const except = [partition.workspace]
      yield* offer("a", now)
      yield* offer("b", now + 1, Partition.make(partition.workspace, !partition.livemode))
      assert.strictEqual(yield* queue.nextDueAt(topic, except), null)
      yield* offer("c", now + 7, other)
      yield* offer("d", now + 5, other)
      assert.strictEqual(yield* queue.nextDueAt(topic, except), now + 5)
      assert.strictEqual(yield* nextDueAt, now)
      assert.strictEqual(yield* queue.nextDueAt(topic, [partition.workspace, other.workspace]), null)
    })
  )

  it.effect("claimers of turns who meet share nothing, and the next claim finds the rest", () =>
    Effect.gen(function* () {
      const { queue, offer, topic } = yield* open
      const owners = partitions(5)
      const offered = Array.from({ length: 100 }, (_, n) => `s${n}`)
      yield* Effect.forEach(offered, (subject, n) => offer(subject, now + (n % 3), owners[(n % 7) % 5]!), {
        concurrency: 8,
        discard: true
      })
      const claimed: Array<Work> = []
      const drain = (behind: string): Effect.Effect<void, unknown> =>
        Effect.flatMap(
          queue.claim({ topic, now: later, limit: 7, leaseUntil: later + 1_000, turns: plenty(behind) }),
          (works) => {
            claimed.push(...works)
            return claimed.length < offered.length ? drain(works.at(-1)?.partition.key ?? behind) : Effect.void
          }
        )
      yield* Effect.all(
        Array.from({ length: 4 }, () => drain("")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(subjects(claimed).toSorted(), offered.toSorted())
    })
  )
})
