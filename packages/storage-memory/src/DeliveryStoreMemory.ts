/** DeliveryStore in memory. What is due is kept apart from history, and statistics are counted as things change. */
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { type Attempt, type Delivery, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import {
  type ClaimedDelivery,
  type DeliveryFilter,
  type DeliveryStats,
  DeliveryStore,
  type Settlement
} from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import { DueIndex } from "./Due.ts"
import type { EventTables } from "./EventStoreMemory.ts"
import type { Journal, MemoryDatabase } from "./MemoryDatabase.ts"
import { byString } from "./SortedSet.ts"
import { append, Family, Index, isWithin, keyOf, Table, takeWhere } from "./Table.ts"

interface Row {
  readonly partition: Partition
  readonly delivery: Delivery
  readonly lease: number
  readonly leaseUntil: number | null
}

type Claim = Parameters<DeliveryStore["Service"]["claimDue"]>[0]

/** What one endpoint has, and how many of which. Attempts are ordered by their start. */
class EndpointRows {
  readonly ids = new Index<string>(byString)
  readonly attempts = new Index<Attempt>((a, b) => a.startedAt - b.startedAt || byString(a.id, b.id))
  private pending = 0
  private deadLettered = 0

  count(journal: Journal, { status }: Delivery, by: 1 | -1): void {
    const pending = isSettled(status) ? 0 : by
    const deadLettered = status === "dead_lettered" ? by : 0
    this.pending += pending
    this.deadLettered += deadLettered
    journal.undo(() => {
      this.pending -= pending
      this.deadLettered -= deadLettered
    })
  }

  stats(since: number): DeliveryStats {
    let attempts = 0
    let succeeded = 0
    for (const attempt of this.attempts.descending(null)) {
      if (attempt.startedAt < since) break
      attempts += 1
      if (isSuccess(attempt.result)) succeeded += 1
    }
    return { attempts, succeeded, pending: this.pending, deadLettered: this.deadLettered }
  }
}

class Deliveries {
  private readonly rows = new Table<Row>()
  private readonly endpoints = new Family(() => new EndpointRows())
  private readonly attemptsMade = new Family((): Array<Attempt> => [])
  private readonly due = new Family(() => new DueIndex())
  /** Endpoints, each at the time of its first due delivery: one that has a large backlog costs no more than others. */
  private readonly dueEndpoints = new DueIndex()
  /** Never taken back, so that a lease number is never given twice. */
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
    return this.dueEndpoints.nextAt
  }

  write(journal: Journal, row: Row): void {
    const { delivery, partition } = row
    const key = keyOf(partition.key, delivery.id)
    const before = this.rows.get(key)
    const endpoint = this.endpoint(partition, delivery.endpointId)
    if (before === undefined) endpoint.ids.add(journal, delivery.id)
    else endpoint.count(journal, before.delivery, -1)
    endpoint.count(journal, delivery, 1)
    this.moveDue(journal, keyOf(partition.key, delivery.endpointId), key, waitsUntil(before), waitsUntil(row))
    this.rows.set(journal, key, row)
  }

  private moveDue(journal: Journal, endpoint: string, key: string, before: number | null, after: number | null): void {
    const due = this.due.of(endpoint)
    const first = due.nextAt
    due.move(journal, key, before, after)
    this.dueEndpoints.move(journal, endpoint, first, due.nextAt)
  }

  claim(journal: Journal, options: Claim): ReadonlyArray<Row> {
    return this.oldestDue(options).map((row) => {
      const claimed = { ...row, lease: ++this.leases, leaseUntil: options.leaseUntil }
      this.write(journal, claimed)
      return claimed
    })
  }

  /** Of the `limit` endpoints whose work has waited longest comes everything that can be among the `limit` oldest. */
  private oldestDue({ except = [], limit, now, perEndpointMax = limit }: Claim): ReadonlyArray<Row> {
    const passedOver = new Set(except)
    const isWanted = (endpoint: string) => !passedOver.has(endpoint.slice(endpoint.lastIndexOf("\n") + 1))
    return this.dueEndpoints
      .upTo(now, limit, isWanted)
      .flatMap((endpoint) => this.due.of(endpoint).upTo(now, Math.min(limit, perEndpointMax)))
      .map((key) => this.rows.get(key)!)
      .sort((a, b) => waitsUntil(a)! - waitsUntil(b)! || byString(a.delivery.id, b.delivery.id))
      .slice(0, limit)
  }

  /** Whether the lease was still held. */
  settle(journal: Journal, { attempt, delivery, lease, partition }: Settlement): boolean {
    const row = this.get(partition, delivery.id)
    if (row === undefined || row.leaseUntil === null || row.lease !== lease) return false
    this.write(journal, { ...row, delivery, leaseUntil: null })
    if (attempt !== null) {
      append(journal, this.attempts(partition, delivery.id), [attempt])
      this.endpoint(partition, delivery.endpointId).attempts.add(journal, attempt)
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
    insert: (partition, many) =>
      db.sync((journal) => {
        for (const delivery of many) {
          if (eventOf(partition, delivery) === undefined) throw new Error(`${delivery.id} has no event`)
          if (deliveries.get(partition, delivery.id) !== undefined) throw new Error(`${delivery.id} is there already`)
          deliveries.write(journal, { partition, delivery, lease: 0, leaseUntil: null })
        }
      }),
    claimDue: (options) =>
      db.sync((journal) =>
        deliveries.claim(journal, options).map(
          ({ delivery, lease, partition }): ClaimedDelivery => ({
            partition,
            delivery,
            lease,
            body: eventOf(partition, delivery)!.body
          })
        )
      ),
    settle: (settlements) =>
      db.sync((journal) =>
        settlements
          .filter((settlement) => !deliveries.settle(journal, settlement))
          .map((settlement) => settlement.delivery.id)
      ),
    nextDueAt: db.sync(() => deliveries.nextDueAt),
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
