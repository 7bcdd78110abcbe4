/** DeliveryStore in memory. The due index is separate from history; statistics are counted on each change. */
import * as Id from "@limbeck/core/ids/Id"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { type Attempt, type Delivery, type Lane, laneOf } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import {
  type ClaimedDelivery,
  type ClaimOptions,
  type DeadLetters,
  type DeliveryFilter,
  type DeliveryStats,
  DeliveryStore,
  type Settlement
} from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { byString } from "../database/SortedSet.ts"
import { append, clear, Family, isWithin, keyOf, Table, takeWhere } from "../database/Table.ts"
import type { EventTables } from "../events/EventStoreMemory.ts"
import { DueLane, Places } from "./DueLane.ts"
import { EndpointRows } from "./EndpointRows.ts"

interface Row {
  readonly partition: Partition
  readonly delivery: Delivery
  readonly lease: number
  readonly leaseUntil: number | null
}

type PullForward = Parameters<DeliveryStore["Service"]["pullForward"]>[0]

class Deliveries {
  private readonly rows = new Table<Row>()
  private readonly endpoints = new Family(() => new EndpointRows())
  private readonly attemptsMade = new Family((): Array<Attempt> => [])
  private readonly due: { readonly [L in Lane]: DueLane } = { first: new DueLane(), retry: new DueLane() }
  /** Never rolled back, so that lease numbers stay unique. */
  private leases = 0

  get(partition: Partition, id: string): Row | undefined {
    return this.rows.get(keyOf(partition.key, id))
  }

  endpoint(partition: Partition, endpointId: string): EndpointRows {
    return this.endpoints.of(keyOf(partition.key, endpointId))
  }

  attempts(partition: Partition, id: string): Array<Attempt> {
    return this.attemptsMade.of(keyOf(partition.key, id))
  }

  get nextDueAt(): number | null {
    const times = [this.due.first.nextAt, this.due.retry.nextAt].filter((at) => at !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  get oldest(): number | null {
    let oldest: number | null = null
    for (const { delivery } of this.rows.ascending(null))
      oldest = Math.min(oldest ?? delivery.createdAt, delivery.createdAt)
    return oldest
  }

  write(undoLog: UndoLog, row: Row): void {
    const { delivery, partition } = row
    const key = keyOf(partition.key, delivery.id)
    const before = this.rows.get(key)
    const endpoint = this.endpoint(partition, delivery.endpointId)
    if (before === undefined) endpoint.ids.add(undoLog, delivery.id)
    else endpoint.count(undoLog, before.delivery, -1)
    endpoint.count(undoLog, delivery, 1)
    const due = keyOf(partition.key, delivery.endpointId)
    if (before !== undefined) this.due[laneOf(before.delivery)].move(undoLog, due, key, waitsUntil(before), null)
    this.due[laneOf(delivery)].move(undoLog, due, key, null, waitsUntil(row))
    this.rows.set(undoLog, key, row)
  }

  claim(undoLog: UndoLog, options: ClaimOptions): ReadonlyArray<Row> {
    return this.oldestDue(options).map((row) => this.lease(undoLog, row, options.leaseUntil))
  }

  lease(undoLog: UndoLog, row: Row, leaseUntil: number): Row {
    const leased = { ...row, lease: ++this.leases, leaseUntil }
    this.write(undoLog, leased)
    return leased
  }

  pullForward(undoLog: UndoLog, { latest, leaseUntil, now }: PullForward): number {
    const isAhead = (row: Row) =>
      (waitsUntil(row) ?? latest) > latest && (row.leaseUntil !== null || row.delivery.updatedAt > latest)
    const ahead = [...this.rows.ascending(null)].filter(isAhead)
    for (const row of ahead) {
      const { dueAt } = row.delivery
      const delivery = { ...row.delivery, dueAt: dueAt === null ? null : Math.min(dueAt, now) }
      this.write(undoLog, { ...row, delivery, leaseUntil: row.leaseUntil === null ? null : leaseUntil })
    }
    return ahead.length
  }

  private oldestDue(options: ClaimOptions): ReadonlyArray<Row> {
    const places = new Places(options.rooms ?? { of: new Map(), others: options.limit })
    return this.due[options.lane]
      .upTo(options)
      .map((key) => this.rows.get(key)!)
      .sort((a, b) => waitsUntil(a)! - waitsUntil(b)! || byString(a.delivery.id, b.delivery.id))
      .filter(({ delivery, partition }) => places.take(keyOf(partition.key, delivery.id)))
      .slice(0, options.limit)
  }

  *deadLetters(partition: Partition, letters: DeadLetters, after: string | null): Generator<Delivery> {
    for (const id of this.endpoint(partition, letters.endpointId).dead.ascending(after)) {
      const { delivery } = this.get(partition, id)!
      const isWanted = delivery.createdAt >= letters.since && delivery.updatedAt <= letters.until
      if (id !== after && isWanted) yield delivery
    }
  }

  /** Whether it was still dead. */
  redeliver(undoLog: UndoLog, partition: Partition, delivery: Delivery): boolean {
    const row = this.get(partition, delivery.id)
    if (row?.delivery.status !== "dead_lettered" || row.delivery.endpointId !== delivery.endpointId) return false
    this.write(undoLog, { ...row, delivery })
    return true
  }

  /** Final deliveries whose ids come before `before`, with their attempts. */
  removeBefore(undoLog: UndoLog, before: string): void {
    const old = Iterable.filter(
      this.rows.ascending(null),
      ({ delivery }) => delivery.id < before && isSettled(delivery.status)
    )
    for (const row of [...old]) this.remove(undoLog, row)
  }

  private remove(undoLog: UndoLog, { delivery, partition }: Row): void {
    const endpoint = this.endpoint(partition, delivery.endpointId)
    endpoint.ids.delete(undoLog, delivery.id)
    endpoint.count(undoLog, delivery, -1)
    const attempts = this.attempts(partition, delivery.id)
    for (const attempt of attempts) endpoint.deleteAttempt(undoLog, attempt)
    clear(undoLog, attempts)
    this.rows.delete(undoLog, keyOf(partition.key, delivery.id))
  }

  /** Whether the lease was still held. */
  settle(undoLog: UndoLog, { attempt, delivery, lease, partition }: Settlement): boolean {
    const row = this.get(partition, delivery.id)
    if (row === undefined || row.leaseUntil === null || row.lease !== lease) return false
    this.write(undoLog, { ...row, delivery, leaseUntil: null })
    if (attempt !== null) {
      append(undoLog, this.attempts(partition, delivery.id), [attempt])
      this.endpoint(partition, delivery.endpointId).addAttempt(undoLog, attempt)
    }
    return true
  }
}

/** When somebody may take it next: at its due time, or when a lease on it ends. */
const waitsUntil = (row: Row | undefined): number | null => row?.leaseUntil ?? row?.delivery.dueAt ?? null

const isWanted =
  ({ eventType, status }: DeliveryFilter, request: Page.PageRequest) =>
  (delivery: Delivery) =>
    (status === null || delivery.status === status) &&
    (eventType === null || delivery.eventType === eventType) &&
    isWithin(delivery.createdAt, request)

export const make = (db: MemoryDatabase, events: EventTables): DeliveryStore["Service"] => {
  const deliveries = new Deliveries()
  const eventOf = (partition: Partition, { eventId }: Delivery) => events.byId.of(partition.key).get(eventId)

  return DeliveryStore.of({
    insert: (partition, many, held) =>
      db.sync((undoLog) => {
        const leases = new Map<string, number>()
        for (const delivery of many) {
          if (eventOf(partition, delivery) === undefined) throw new Error(`${delivery.id} has no event`)
          if (deliveries.get(partition, delivery.id) !== undefined) throw new Error(`${delivery.id} is there already`)
          const row = { partition, delivery, lease: 0, leaseUntil: null }
          if (!held?.ids.has(delivery.id)) deliveries.write(undoLog, row)
          else leases.set(delivery.id, deliveries.lease(undoLog, row, held.leaseUntil).lease)
        }
        return leases
      }),
    claimDue: (options) =>
      db.sync((undoLog) =>
        deliveries.claim(undoLog, options).map(
          ({ delivery, lease, partition }): ClaimedDelivery => ({
            partition,
            delivery,
            lease,
            body: eventOf(partition, delivery)!.body
          })
        )
      ),
    settle: (settlements) =>
      db.sync((undoLog) =>
        settlements
          .filter((settlement) => !deliveries.settle(undoLog, settlement))
          .map((settlement) => settlement.delivery.id)
      ),
    redeliver: (partition, many) =>
      db.sync((undoLog) =>
        many.filter((delivery) => !deliveries.redeliver(undoLog, partition, delivery)).map(({ id }) => id)
      ),
    countDeadLetters: (partition, letters) =>
      db.sync(() => Iterable.size(deliveries.deadLetters(partition, letters, null))),
    deadLetters: (partition, letters, { after, limit }) =>
      db.sync(() => [...Iterable.take(deliveries.deadLetters(partition, letters, after), limit)]),
    hasFailedSince: (partition, endpointId, since) =>
      db.sync(() => deliveries.endpoint(partition, endpointId).hasFailedSince(since)),
    pullForward: (options) => db.sync((undoLog) => deliveries.pullForward(undoLog, options)),
    nextDueAt: db.sync(() => deliveries.nextDueAt),
    oldest: db.sync(() => deliveries.oldest),
    page: (partition, filter, request) =>
      db.sync(() => {
        const ids = deliveries.endpoint(partition, filter.endpointId).ids.descending(request.after)
        const newest = Iterable.map(ids, (id) => deliveries.get(partition, id)!.delivery)
        return Page.fromRows(takeWhere(newest, request.limit + 1, isWanted(filter, request)), request.limit)
      }),
    find: (partition, endpointId, id) =>
      db.sync(() =>
        Option.fromUndefinedOr(deliveries.get(partition, id)?.delivery).pipe(
          Option.filter((delivery) => delivery.endpointId === endpointId)
        )
      ),
    attempts: (partition, id) => db.sync(() => [...deliveries.attempts(partition, id)]),
    keepHistory: ({ since }) =>
      db.sync((undoLog) => {
        deliveries.removeBefore(undoLog, Id.floorAt("del", since))
        return true
      }),
    stats: (partition, endpointIds, since) =>
      db.sync(() => {
        const found = new Map<string, DeliveryStats>()
        for (const id of endpointIds) {
          const endpoint = deliveries.endpoint(partition, id)
          if (endpoint.ids.first !== undefined) found.set(id, endpoint.stats(since))
        }
        return found
      })
  })
}
