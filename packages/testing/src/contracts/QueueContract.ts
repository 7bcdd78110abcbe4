/** What every Queue must do: no item is held twice at a time, and a lease that was lost writes nothing any more. */
import { assert } from "@effect/vitest"
import type { Outcome, Queue, Work } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Fresh from "../fixtures/Fresh.ts"
import { later, now, open, subjects } from "../fixtures/QueueTopic.ts"
import { describePort } from "./AllPorts.ts"

/** All that can be written under a lease. */
const writesUnder = (queue: Queue["Service"], work: Work) => [
  queue.guard(work),
  queue.extend(work, later),
  queue.release(work, now),
  queue.settle(work)
]

const assertLost = Effect.fnUntraced(function* (queue: Queue["Service"], work: Work) {
  for (const write of writesUnder(queue, work)) {
    const error = yield* Effect.flip(write)
    assert.strictEqual(error._tag, "LeaseLost")
  }
})

export const suite = describePort("Queue", (it) => {
  it.effect("an offered subject is claimed when it is due, not before", () =>
    Effect.gen(function* () {
      const { claim, offer, partition, topic } = yield* open
      yield* offer("a")
      assert.deepStrictEqual(yield* claim(now - 1), [])
      const [work] = yield* claim(now)
      assert.deepStrictEqual({ ...work, lease: 0 }, { partition, topic, subject: "a", lease: 0 })
    })
  )

  it.effect(
    "what waits beyond a time is pulled forward, a lease to its new end, and what waits less stays (P123)",
    () =>
      Effect.gen(function* () {
        const { claim, nextDueAt, offer, queue, topic } = yield* open
        const farFuture = now + 90_000_000
        yield* offer("held")
        const [held] = yield* claim(now, { leaseUntil: farFuture })
        yield* offer("ahead", farFuture)
        yield* offer("waiting", later)
        const corrected = queue.pullForward(topic, { now, latest: later, leaseUntil: later + 500 })
        assert.strictEqual(yield* corrected, 2)
        assert.strictEqual(yield* queue.pullForward(topic, { now, latest: later + 500, leaseUntil: later }), 0)
        assert.strictEqual(yield* nextDueAt, now)
        assert.deepStrictEqual(subjects(yield* claim(now)), ["ahead"])
        yield* queue.guard(held!)
        assert.sameMembers(subjects(yield* claim(later)), ["waiting", "ahead"])
        assert.deepStrictEqual(subjects(yield* claim(later + 500)), ["held"])
      })
  )

  it.effect("the oldest due come first, and no more than the limit", () =>
    Effect.gen(function* () {
      const { claim, offer } = yield* open
      yield* Effect.forEach([3, 1, 4, 2], (n) => offer(`s${n}`, now + n))
      assert.deepStrictEqual(subjects(yield* claim(now + 10, { limit: 3 })), ["s1", "s2", "s3"])
      assert.deepStrictEqual(subjects(yield* claim(now + 10, { limit: 3 })), ["s4"])
    })
  )

  it.effect("a topic's items are claimed under that topic only, whatever partition they are of", () =>
    Effect.gen(function* () {
      const here = yield* open
      const there = yield* open
      const { mine, others } = Fresh.neighbours()
      const all = [mine, ...others]
      yield* Effect.forEach(all, (partition, index) => here.offer("same", now + index, partition))
      yield* there.offer("same")
      const works = yield* here.claim(later)
      assert.deepStrictEqual(
        works.map(({ partition }) => partition.key),
        all.map(({ key }) => key)
      )
      assert.strictEqual((yield* there.claim()).length, 1)
    })
  )

  it.effect("a claimed item is hidden until its lease ends, then claimed again under a higher lease (P14)", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      yield* offer("a")
      const [first] = yield* claim(now, { leaseUntil: later })
      assert.deepStrictEqual(yield* claim(later - 1), [])
      const [second] = yield* claim(later, { leaseUntil: later + 1 })
      assert.isAbove(second!.lease, first!.lease)
      yield* assertLost(queue, first!)
      yield* queue.settle(second!)
      assert.deepStrictEqual(yield* claim(later + 10_000), [])
    })
  )

  it.effect("a lease that nobody else took is still held, also when its time is over", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      yield* offer("a")
      const [work] = yield* claim(now, { leaseUntil: now + 1 })
      yield* queue.guard(work!)
      yield* queue.extend(work!, later)
      assert.deepStrictEqual(yield* claim(later - 1), [])
    })
  )

  it.effect("extend prolongs the lease", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      yield* offer("a")
      const [work] = yield* claim(now, { leaseUntil: later })
      yield* queue.extend(work!, later + 500)
      assert.deepStrictEqual(yield* claim(later + 499), [])
      assert.strictEqual((yield* claim(later + 500)).length, 1)
    })
  )

  it.effect("settle removes the item; a second one finds the lease lost", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, queue } = yield* open
      yield* offer("a")
      const [work] = yield* claim()
      yield* queue.settle(work!)
      assert.strictEqual(yield* nextDueAt, null)
      yield* assertLost(queue, work!)
    })
  )

  it.effect("an item offered anew after it was settled is not held by old leases", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      yield* offer("a")
      const [old] = yield* claim()
      yield* queue.settle(old!)
      yield* offer("a")
      yield* assertLost(queue, old!)
      const [work] = yield* claim()
      assert.isAbove(work!.lease, old!.lease)
      yield* assertLost(queue, old!)
      yield* queue.settle(work!)
    })
  )

  it.effect("release makes the item due again at the time given, for anybody", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, queue } = yield* open
      yield* offer("a")
      const [first] = yield* claim(now, { leaseUntil: later })
      yield* queue.release(first!, now + 5)
      yield* assertLost(queue, first!)
      assert.strictEqual(yield* nextDueAt, now + 5)
      assert.deepStrictEqual(yield* claim(now + 4), [])
      const [second] = yield* claim(now + 5)
      assert.isAbove(second!.lease, first!.lease)
    })
  )

  it.effect("offered again, an item is due at the later word and its lease is void", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, queue } = yield* open
      yield* offer("a", now + 10)
      yield* offer("a", now)
      const [held] = yield* claim(now, { leaseUntil: later })
      yield* offer("a", now + 20)
      yield* assertLost(queue, held!)
      assert.strictEqual(yield* nextDueAt, now + 20)
      const works = yield* claim(now + 20)
      assert.strictEqual(works.length, 1)
      assert.isAbove(works[0]!.lease, held!.lease)
    })
  )

  it.effect(
    "of many that are concluded at once each has its own outcome, and those that were lost change nothing (P241)",
    () =>
      Effect.gen(function* () {
        const { claim, nextDueAt, offer, partition, queue } = yield* open
        const storage = yield* Storage
        const other = Fresh.partition()
        for (const subject of ["kept", "done", "again", "sooner", "lost", "gone"]) yield* offer(subject)
        yield* offer("done", now, other)
        const works = yield* claim(now, { leaseUntil: later })
        const workOf = (subject: string, of = partition) =>
          works.find((work) => work.subject === subject && work.partition.key === of.key)!
        yield* offer("lost", now + 1)
        yield* queue.withdraw(partition, workOf("gone").topic, "gone")
        const outcomes: ReadonlyArray<Outcome> = [
          { work: workOf("kept"), next: "held" },
          { work: workOf("done"), next: "done" },
          { work: workOf("done", other), next: "held" },
          { work: workOf("again"), next: now + 7 },
          { work: workOf("sooner"), next: now + 5 },
          { work: workOf("lost"), next: "done" },
          { work: workOf("gone"), next: now },
          { work: { ...workOf("kept"), lease: workOf("kept").lease - 1 }, next: "done" },
          { work: { ...workOf("kept"), topic: Fresh.name("topic") }, next: now },
          { work: { ...workOf("kept"), partition: other }, next: "done" }
        ]
        assert.sameDeepMembers(
          [...(yield* storage.transaction(queue.conclude(outcomes)))],
          outcomes.slice(5).map(({ work }) => work)
        )
        assert.strictEqual(yield* nextDueAt, now + 1)
        assert.deepStrictEqual(subjects(yield* claim(now + 10)), ["lost", "sooner", "again"])
        yield* queue.guard(workOf("kept"))
        yield* queue.guard(workOf("done", other))
        yield* assertLost(queue, workOf("done"))
        assert.deepStrictEqual(yield* storage.transaction(queue.conclude([])), [])
      })
  )

  it.effect("conclusions of a transaction that rolls back did not happen", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      const storage = yield* Storage
      for (const subject of ["a", "b"]) yield* offer(subject)
      const works = yield* claim(now, { leaseUntil: later })
      const outcomes = works.map((work, index): Outcome => ({ work, next: index === 0 ? "done" : now }))
      yield* Effect.flip(storage.transaction(Effect.andThen(queue.conclude(outcomes), Effect.fail("refused"))))
      yield* Effect.forEach(works, queue.guard)
    })
  )

  it.effect("withdraw removes the item no matter which worker holds it, and accepts one that is not there", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, partition, queue, topic } = yield* open
      yield* queue.withdraw(partition, topic, "a")
      yield* offer("a")
      const [held] = yield* claim()
      yield* queue.withdraw(partition, topic, "a")
      yield* assertLost(queue, held!)
      assert.strictEqual(yield* nextDueAt, null)
      assert.deepStrictEqual(yield* claim(later + 10_000), [])
    })
  )

  it.effect("nothing done in another partition, topic or lease touches an item", () =>
    Effect.gen(function* () {
      const { claim, offer, queue, topic } = yield* open
      const { mine, others } = Fresh.neighbours()
      yield* offer("a", now, mine)
      const [held] = yield* claim()
      for (const partition of others) {
        yield* queue.withdraw(partition, topic, "a")
        yield* assertLost(queue, { ...held!, partition })
      }
      yield* queue.withdraw(mine, Fresh.name("topic"), "a")
      yield* assertLost(queue, { ...held!, topic: Fresh.name("topic") })
      yield* assertLost(queue, { ...held!, subject: "b" })
      yield* assertLost(queue, { ...held!, lease: held!.lease - 1 })
      yield* assertLost(queue, { ...held!, lease: held!.lease + 1 })
      yield* queue.settle(held!)
    })
  )

  it.effect("nextDueAt is the earliest due time or end of a lease, of its topic", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, queue } = yield* open
      assert.strictEqual(yield* nextDueAt, null)
      yield* offer("a", now)
      yield* offer("b", later + 500)
      assert.strictEqual(yield* nextDueAt, now)
      const [work] = yield* claim(now, { leaseUntil: later })
      assert.strictEqual(yield* nextDueAt, later)
      yield* queue.extend(work!, later + 900)
      assert.strictEqual(yield* nextDueAt, later + 500)
    })
  )

  it.effect("concurrent claimers share nothing and leave nothing (P13)", () =>
    Effect.gen(function* () {
      const { claim, offer } = yield* open
      const offered = Array.from({ length: 200 }, (_, n) => `s${n}`)
      yield* Effect.forEach(offered, (subject, n) => offer(subject, now + (n % 3)), { concurrency: 8, discard: true })
      const drain: Effect.Effect<ReadonlyArray<Work>, unknown> = Effect.flatMap(claim(later, { limit: 7 }), (works) =>
        works.length === 0 ? Effect.succeed([]) : Effect.map(drain, (rest) => [...works, ...rest])
      )
      const works = (yield* Effect.all(
        Array.from({ length: 8 }, () => drain),
        { concurrency: "unbounded" }
      )).flat()
      assert.deepStrictEqual(subjects(works).toSorted(), offered.toSorted())
      assert.strictEqual(new Set(works.map(({ lease, subject }) => `${subject} ${lease}`)).size, works.length)
    })
  )

  it.effect("of a holder and a claimer who meet at the end of a lease, exactly one goes on (P15)", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      for (let round = 0; round < 20; round++) {
        const subject = `s${round}`
        yield* offer(subject)
        const [held] = yield* claim(now, { leaseUntil: later })
        const [settled, taken] = yield* Effect.all([Effect.result(queue.settle(held!)), claim(later)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(taken.length, settled._tag === "Success" ? 0 : 1)
        yield* Effect.forEach(taken, (work) => queue.settle(work))
      }
    })
  )

  it.effect("guard keeps others from the item until its transaction has committed (P15)", () =>
    Effect.gen(function* () {
      const { claim, offer, queue } = yield* open
      const storage = yield* Storage
      yield* offer("a")
      const [held] = yield* claim(now, { leaseUntil: later })
      const guarded = yield* Deferred.make<void>()
      // The rival answers at once with nothing, or waits for the commit and then finds nothing.
      const rival = yield* Effect.forkChild(Effect.andThen(Deferred.await(guarded), claim(later)))
      const write = Effect.all([
        queue.guard(held!),
        Deferred.succeed(guarded, undefined),
        Effect.timeoutOption(Fiber.await(rival), "50 millis"),
        queue.settle(held!)
      ])
      yield* storage.transaction(write)
      assert.deepStrictEqual(yield* Fiber.join(rival), [])
    })
  )

  it.effect("offers and settlements of a transaction that rolls back did not happen", () =>
    Effect.gen(function* () {
      const { claim, nextDueAt, offer, queue } = yield* open
      const storage = yield* Storage
      const refuse = <E>(write: Effect.Effect<unknown, E>) =>
        Effect.flip(storage.transaction(Effect.andThen(write, Effect.fail("refused"))))
      yield* refuse(offer("a"))
      assert.strictEqual(yield* nextDueAt, null)
      yield* offer("a")
      const [held] = yield* claim(now, { leaseUntil: later })
      for (const write of [offer("a", now + 7), queue.settle(held!), queue.release(held!, now)]) yield* refuse(write)
      assert.strictEqual(yield* nextDueAt, later)
      yield* queue.settle(held!)
    })
  )

  /** Quiet: the first doorbell of a process may ring once by itself, when the process begins to listen. */
  const quietDoorbell = Effect.fnUntraced(function* (queue: Queue["Service"], topic: string) {
    yield* queue.doorbell(Fresh.name("topic"))
    return yield* queue.doorbell(topic)
  })

  const rings = (bell: { readonly await: Effect.Effect<void> }, within: "5 minutes" | "100 millis" = "5 minutes") =>
    Effect.map(Effect.timeoutOption(bell.await, within), Option.isSome)

  it.effect("a doorbell answers to a nudge of its topic, also to one before it was waited for", () =>
    Effect.gen(function* () {
      const { queue, topic } = yield* open
      const bell = yield* queue.doorbell(topic)
      const waiting = yield* Effect.forkChild(rings(bell))
      yield* Effect.yieldNow
      yield* queue.nudge(topic)
      assert.isTrue(yield* Fiber.join(waiting))
      yield* queue.nudge(topic)
      assert.isTrue(yield* rings(bell))
    })
  )

  it.effect("a doorbell does not answer to a nudge of another topic", () =>
    Effect.gen(function* () {
      const { queue, topic } = yield* open
      const bell = yield* quietDoorbell(queue, topic)
      yield* queue.nudge(Fresh.name("topic"))
      assert.isFalse(yield* rings(bell, "100 millis"))
    })
  )

  it.effect("a nudge rings every doorbell of its topic", () =>
    Effect.gen(function* () {
      const { queue, topic } = yield* open
      const bells = yield* Effect.all([queue.doorbell(topic), queue.doorbell(topic), queue.doorbell(topic)])
      yield* queue.nudge(topic)
      assert.deepStrictEqual(yield* Effect.forEach(bells, (bell) => rings(bell)), [true, true, true])
    })
  )

  it.effect("a nudge of the others alone rings no doorbell of this process", () =>
    Effect.gen(function* () {
      const { queue, topic } = yield* open
      const bell = yield* quietDoorbell(queue, topic)
      yield* queue.nudge(topic, "elsewhere")
      assert.isFalse(yield* rings(bell, "100 millis"))
      yield* queue.nudge(topic, "everywhere")
      assert.isTrue(yield* rings(bell))
    })
  )

  it.effect("a nudge in a transaction rings after the commit, and never when it rolls back", () =>
    Effect.gen(function* () {
      const { queue, topic } = yield* open
      const storage = yield* Storage
      const bell = yield* quietDoorbell(queue, topic)
      yield* Effect.flip(storage.transaction(Effect.andThen(queue.nudge(topic), Effect.fail("refused"))))
      assert.isFalse(yield* rings(bell, "100 millis"))
      const before = yield* storage.transaction(Effect.andThen(queue.nudge(topic), rings(bell, "100 millis")))
      assert.isFalse(before)
      assert.isTrue(yield* rings(bell))
    })
  )
})
