/** Queue in memory. Doorbells ring within this process, where all listeners are. */

import type { Partition } from "@limbeck/core/partition/Partition"
import { type Claim, LeaseLost, type Outcome, Queue, type Work } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { DueIndex } from "../database/Due.ts"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { Family, keyOf, Table } from "../database/Table.ts"
import { DueTurns } from "./DueTurns.ts"

interface Item {
  readonly partition: Partition
  readonly subject: string
  readonly lease: number
  /** The due time or, under a lease, the end of the lease. */
  readonly at: number
  readonly held: boolean
}

class Items {
  private readonly table = new Table<Item>()
  private readonly due = new Family(() => new DueIndex())
  /** The same by partition, for claims in which these take turns. */
  private readonly turns = new Family(() => new DueTurns())
  /** Never rolled back, so that lease numbers stay unique. */
  private leases = 0

  nextLease(): number {
    return ++this.leases
  }

  dueOf(topic: string): DueIndex {
    return this.due.of(topic)
  }

  turnsOf(topic: string): DueTurns {
    return this.turns.of(topic)
  }

  get(topic: string, key: string): Item | undefined {
    return this.table.get(keyOf(topic, key))
  }

  write(undoLog: UndoLog, topic: string, key: string, after: Item | null): void {
    const before = this.get(topic, key)
    this.dueOf(topic).move(undoLog, key, before?.at ?? null, after?.at ?? null)
    const item = after ?? before
    if (item === undefined) return
    const waiting = { partition: item.partition.key, key }
    this.turnsOf(topic).move(undoLog, waiting, before?.at ?? null, after?.at ?? null)
    if (after === null) this.table.delete(undoLog, keyOf(topic, key))
    else this.table.set(undoLog, keyOf(topic, key), after)
  }
}

type PullForward = Parameters<Queue["Service"]["pullForward"]>[1]

const keyOfSubject = (partition: Partition, subject: string) => keyOf(partition.key, subject)

const makeItems = (db: MemoryDatabase) => {
  const items = new Items()

  /** Changes an item if its lease is current, and returns whether it was; null removes the item. */
  const changeIn = (
    undoLog: UndoLog,
    { lease, partition, subject, topic }: Work,
    after: (item: Item) => Item | null
  ): boolean => {
    const key = keyOfSubject(partition, subject)
    const item = items.get(topic, key)
    if (item === undefined || !item.held || item.lease !== lease) return false
    const changed = after(item)
    if (changed !== item) items.write(undoLog, topic, key, changed)
    return true
  }

  const change = (work: Work, after: (item: Item) => Item | null) =>
    Effect.flatMap(
      db.sync((undoLog) => changeIn(undoLog, work, after)),
      (held) => (held ? Effect.void : Effect.fail(new LeaseLost({ topic: work.topic, subject: work.subject })))
    )

  const settled = () => null
  const releasedAt = (dueAt: number) => (item: Item) => ({ ...item, at: dueAt, held: false })
  const after = ({ next }: Outcome) => {
    if (next === "held") return (item: Item) => item
    return next === "done" ? settled : releasedAt(next)
  }

  return {
    offer: (partition: Partition, topic: string, subject: string, dueAt: number) =>
      db.sync((undoLog) => {
        const item = { partition, subject, lease: items.nextLease(), at: dueAt, held: false }
        items.write(undoLog, topic, keyOfSubject(partition, subject), item)
      }),
    claim: ({ leaseUntil, limit, now, topic, turns }: Claim) =>
      db.sync((undoLog) =>
        (turns === undefined ? items.dueOf(topic).upTo(now, limit) : items.turnsOf(topic).upTo(now, limit, turns)).map(
          (key): Work => {
            const item = items.get(topic, key)!
            const lease = items.nextLease()
            items.write(undoLog, topic, key, { ...item, lease, at: leaseUntil, held: true })
            return { partition: item.partition, topic, subject: item.subject, lease }
          }
        )
      ),
    extend: (work: Work, leaseUntil: number) => change(work, (item) => ({ ...item, at: leaseUntil })),
    guard: (work: Work) => change(work, (item) => item),
    settle: (work: Work) => change(work, settled),
    release: (work: Work, dueAt: number) => change(work, releasedAt(dueAt)),
    conclude: (outcomes: ReadonlyArray<Outcome>) =>
      db.sync((undoLog) =>
        outcomes.flatMap((outcome) => (changeIn(undoLog, outcome.work, after(outcome)) ? [] : [outcome.work]))
      ),
    withdraw: (partition: Partition, topic: string, subject: string) =>
      db.sync((undoLog) => items.write(undoLog, topic, keyOfSubject(partition, subject), null)),
    pullForward: (topic: string, { latest, leaseUntil, now }: PullForward) =>
      db.sync((undoLog) => {
        const ahead = items.dueOf(topic).after(latest)
        for (const key of ahead) {
          const item = items.get(topic, key)!
          items.write(undoLog, topic, key, { ...item, at: item.held ? leaseUntil : now })
        }
        return ahead.length
      }),
    nextDueAt: (topic: string, except: ReadonlyArray<string> = []) =>
      db.sync(() => (except.length === 0 ? items.dueOf(topic).nextAt : items.turnsOf(topic).nextAt(except)))
  }
}

const makeBells = (db: MemoryDatabase) => {
  const bells = new Family(() => new Set<Latch.Latch>())

  return {
    // There is no other process.
    nudge: (topic: string, whom?: "everywhere" | "elsewhere") =>
      whom === "elsewhere"
        ? Effect.void
        : db.afterCommit(Effect.suspend(() => Effect.forEach(bells.of(topic), (bell) => bell.open, { discard: true }))),
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
