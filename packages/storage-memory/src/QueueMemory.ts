/** Queue in memory. Doorbells ring within the process, which is where everything is that could want to hear them. */

import type { Partition } from "@limbeck/core/partition/Partition"
import { LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { DueIndex } from "./Due.ts"
import type { Journal, MemoryDatabase } from "./MemoryDatabase.ts"
import { Family, keyOf, Table } from "./Table.ts"

interface Item {
  readonly partition: Partition
  readonly subject: string
  readonly lease: number
  /** When it is due, or, while it is held, when the lease ends. */
  readonly at: number
  readonly held: boolean
}

class Items {
  private readonly table = new Table<Item>()
  private readonly due = new Family(() => new DueIndex())
  /** The same by partition, for claims in which these take turns. */
  private readonly turns = new Family(() => new Index<Waiting>(byPartition))
  /** Never taken back, so that a lease number is never given twice. */
  private leases = 0

  nextLease(): number {
    return ++this.leases
  }

  dueOf(topic: string): DueIndex {
    return this.due.of(topic)
  }

  /** Keys of what is due, the oldest of each partition before the second of any, from the one behind `behind` on. */
  inTurns({ limit, now, topic }: Claim, behind: string): ReadonlyArray<string> {
    const turns = this.turns.of(topic)
    const due = (from: string) => {
      // The first that is due of those that are not before `from`; items of a partition stand oldest first.
      for (const item of turns.ascending({ partition: from, at: 0, subject: "" })) if (item.at <= now) return item.partition
      return null
    }
    const partitions: Array<string> = []
    const visit = (from: string, last: string) => {
      for (let next = due(from); next !== null && next <= last && partitions.length < limit; next = due(after(next))) {
        partitions.push(next)
      }
    }
    visit(after(behind), lastText)
    visit("", behind)
    const queues = partitions.map((partition) => this.oldestOf(turns, partition, now, limit))
    const rounds = Array.from({ length: limit }, (_, nth) => queues.flatMap((queue) => queue.slice(nth, nth + 1)))
    return rounds.flat().slice(0, limit).toSorted((a, b) => turnOf(partitions, a) - turnOf(partitions, b)).map(({partition, subject}) => keyOf(partition, subject))
  }

  get(topic: string, key: string): Item | undefined {
    return this.table.get(keyOf(topic, key))
  }

  write(journal: Journal, topic: string, key: string, after: Item | null): void {
    const before = this.get(topic, key)
    this.dueOf(topic).move(journal, key, before?.at ?? null, after?.at ?? null)
    const turns = this.turns.of(topic)
    if (before !== undefined) turns.delete(journal, waitingOf(before))
    if (after !== null) turns.add(journal, waitingOf(after))
    if (after === null) this.table.delete(journal, keyOf(topic, key))
    else this.table.set(journal, keyOf(topic, key), after)
  }
}

const keyOfSubject = (partition: Partition, subject: string) => keyOf(partition.key, subject)

const makeItems = (db: MemoryDatabase) => {
  const items = new Items()

  /** Changes an item whose lease is still held; null removes it. */
  const change = ({ lease, partition, subject, topic }: Work, after: (item: Item) => Item | null) =>
    Effect.flatMap(
      db.sync((journal) => {
        const key = keyOfSubject(partition, subject)
        const item = items.get(topic, key)
        if (item === undefined || !item.held || item.lease !== lease) return false
        const changed = after(item)
        if (changed !== item) items.write(journal, topic, key, changed)
        return true
      }),
      (held) => (held ? Effect.void : Effect.fail(new LeaseLost({ topic, subject })))
    )

  return {
    offer: (partition: Partition, topic: string, subject: string, dueAt: number) =>
      db.sync((journal) => {
        const item = { partition, subject, lease: items.nextLease(), at: dueAt, held: false }
        items.write(journal, topic, keyOfSubject(partition, subject), item)
      }),
    claim: ({
      leaseUntil,
      limit,
      now,
      topic
    }: {
      readonly topic: string
      readonly now: number
      readonly limit: number
      readonly leaseUntil: number
    }) =>
      db.sync((journal) =>
        items
          .dueOf(topic)
          .upTo(now, limit)
          .map((key): Work => {
            const item = items.get(topic, key)!
            const lease = items.nextLease()
            items.write(journal, topic, key, { ...item, lease, at: leaseUntil, held: true })
            return { partition: item.partition, topic, subject: item.subject, lease }
          })
      ),
    extend: (work: Work, leaseUntil: number) => change(work, (item) => ({ ...item, at: leaseUntil })),
    guard: (work: Work) => change(work, (item) => item),
    settle: (work: Work) => change(work, () => null),
    release: (work: Work, dueAt: number) => change(work, (item) => ({ ...item, at: dueAt, held: false })),
    withdraw: (partition: Partition, topic: string, subject: string) =>
      db.sync((journal) => items.write(journal, topic, keyOfSubject(partition, subject), null)),
    nextDueAt: (topic: string) => db.sync(() => items.dueOf(topic).nextAt)
  }
}

const makeBells = (db: MemoryDatabase) => {
  const bells = new Family(() => new Set<Latch.Latch>())

  return {
    nudge: (topic: string) =>
      db.afterCommit(Effect.suspend(() => Effect.forEach(bells.of(topic), (bell) => bell.open, { discard: true }))),
    doorbell: (topic: string) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const bell = Latch.makeUnsafe(false)
            bells.of(topic).add(bell)
            return bell
          }),
          (bell) => Effect.sync(() => bells.of(topic).delete(bell))
        ),
        (bell) => ({ await: Effect.andThen(bell.await, bell.close) })
      )
  }
}

export const make = (db: MemoryDatabase): Queue["Service"] => Queue.of({ ...makeItems(db), ...makeBells(db) })
