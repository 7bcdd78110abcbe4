/** EventStore in memory. Transactions run one at a time, so events are appended in commit order. */
import type { StoredEvent } from "@limbeck/core/events/Event"
import { matches } from "@limbeck/core/events/EventPattern"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Page from "@limbeck/core/pages/Page"
import * as Option from "effect/Option"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { append, Family, isWithin, Table, takeWhere } from "../database/Table.ts"

/** Events in commit order. A removed event keeps its position, but takes no memory. */
class CommitLog {
  readonly events: Array<StoredEvent> = []
  /** Places before the first of `events`. */
  before = 0

  get end(): number {
    return this.before + this.events.length
  }

  /** Drops removed events from the beginning. */
  trim(undoLog: UndoLog, isGone: (event: StoredEvent) => boolean): void {
    const kept = this.events.findIndex((event) => !isGone(event))
    const gone = this.events.splice(0, kept < 0 ? this.events.length : kept)
    this.before += gone.length
    undoLog.undo(() => {
      this.events.unshift(...gone)
      this.before -= gone.length
    })
  }
}

/** The events of all partitions, each found by id and in the order of commits. */
export class EventTables {
  readonly byId = new Family(() => new Table<StoredEvent>())
  readonly committed = new Family(() => new CommitLog())
}

const isWanted =
  (pattern: string | null, bounds: Pick<Page.PageRequest, "createdAfter" | "createdBefore">) => (event: StoredEvent) =>
    (pattern === null || matches(pattern, event.type)) && isWithin(event.createdAt, bounds)

/** A position is the number of the partition's earlier events. */
const positionOf = (position: string | null): number => Number.parseInt(position ?? "0", 10) || 0

export const make = (db: MemoryDatabase, tables: EventTables): EventStore["Service"] =>
  EventStore.of({
    append: (partition, events) =>
      db.sync((undoLog) => {
        const table = tables.byId.of(partition.key)
        for (const event of events) {
          if (table.get(event.id) !== undefined) throw new Error(`${event.id} is there already`)
          table.set(undoLog, event.id, event)
        }
        append(undoLog, tables.committed.of(partition.key).events, events)
      }),
    find: (partition, id) => db.sync(() => Option.fromUndefinedOr(tables.byId.of(partition.key).get(id))),
    page: (partition, pattern, request) =>
      db.sync(() => {
        const newest = tables.byId.of(partition.key).descending(request.after)
        return Page.fromRows(takeWhere(newest, request.limit + 1, isWanted(pattern, request)), request.limit)
      }),
    pageForward: (partition, { limit, pattern, position, ...bounds }) =>
      db.sync(() => {
        const log = tables.committed.of(partition.key)
        const kept = tables.byId.of(partition.key)
        const wanted = isWanted(pattern, bounds)
        const items: Array<StoredEvent> = []
        let next = positionOf(position)
        for (let at = Math.max(next, log.before); at < log.end; at++) {
          const event = log.events[at - log.before]!
          if (!wanted(event) || kept.get(event.id) === undefined) continue
          if (items.length === limit) return { items, hasMore: true, next: String(next) }
          items.push(event)
          next = at + 1
        }
        return { items, hasMore: false, next: String(Math.max(next, log.end)) }
      }),
    prune: (createdBefore, limit) =>
      db.sync((undoLog) => {
        let left = limit
        for (const [key, table] of tables.byId.entries) {
          const old = takeWhere(table.ascending(null), left, ({ createdAt }) => createdAt < createdBefore)
          for (const { id } of old) table.delete(undoLog, id)
          if (old.length > 0) tables.committed.of(key).trim(undoLog, ({ id }) => table.get(id) === undefined)
          left -= old.length
        }
        return limit - left
      })
  })
