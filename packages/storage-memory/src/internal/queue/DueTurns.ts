/** What waits, partition by partition: for claims in which these take turns. */
import { fromKey } from "@limbeck/core/partition/Partition"
import { fits } from "@limbeck/core/pools/Shares"
import type * as Queue from "@limbeck/core/queue/Queue"
import type { UndoLog } from "../database/MemoryDatabase.ts"
import { byString } from "../database/SortedSet.ts"
import { Index } from "../database/Table.ts"

interface DueItem {
  readonly partition: string
  readonly at: number
  readonly key: string
}

interface WaitingItem {
  readonly partition: string
  readonly key: string
  /** Among those of its partition. */
  readonly nth: number
}

/** Partitions of a workspace. */
const modes = 2

/** Sorts before every key behind this partition. */
const justBehind = (partition: string): string => `${partition}\0`

export class DueTurns {
  private readonly index = new Index<DueItem>(
    (a, b) => byString(a.partition, b.partition) || a.at - b.at || byString(a.key, b.key)
  )

  /** Moves an item; null: it does not wait. */
  move(undoLog: UndoLog, item: Omit<DueItem, "at">, before: number | null, after: number | null): void {
    if (before !== null) this.index.delete(undoLog, { ...item, at: before })
    if (after !== null) this.index.add(undoLog, { ...item, at: after })
  }

  /** Keys of up to `limit` items due at `now`, as `Queue.claim` says. */
  upTo(now: number, limit: number, { behind, free, held }: Queue.ClaimTurns): ReadonlyArray<string> {
    const waiting: Array<WaitingItem> = []
    const loads = new Map<string, number>()
    let visits = limit + modes * held.size
    for (const partition of this.cycleFrom(now, behind)) {
      if (visits-- === 0) break
      const most = Math.floor((free + 1 - (held.get(fromKey(partition).workspace) ?? 0)) / 2)
      for (const [nth, key] of this.keysOf(partition, now, Math.min(limit, most)).entries()) {
        waiting.push({ partition, key, nth })
      }
    }
    const inRounds = waiting.toSorted((a, b) => a.nth - b.nth)
    const loaded = inRounds.map((item) => {
      const { workspace } = fromKey(item.partition)
      const load = (loads.get(workspace) ?? held.get(workspace) ?? 0) + 1
      loads.set(workspace, load)
      return { ...item, load }
    })
    const placed = loaded.toSorted((a, b) => a.load - b.load).slice(0, limit)
    const chosen = new Set(placed.filter(({ load }, place) => fits(load - 1, 1, free - place)).map(({ key }) => key))
    return waiting.filter(({ key }) => chosen.has(key)).map(({ key }) => key)
  }

  /** The earliest due time or lease end among the workspaces not in `except`; null without items. */
  nextAt(except: ReadonlyArray<string>): number | null {
    let earliest: number | null = null
    for (const partition of this.partitions(Number.POSITIVE_INFINITY, "", null)) {
      if (except.includes(fromKey(partition).workspace)) continue
      for (const { at } of this.index.ascending({ partition, at: Number.NEGATIVE_INFINITY, key: "" })) {
        earliest = Math.min(at, earliest ?? at)
        break
      }
    }
    return earliest
  }

  private *cycleFrom(now: number, behind: string): Generator<string> {
    yield* this.partitions(now, justBehind(behind), null)
    yield* this.partitions(now, "", behind)
  }

  /** Those with something due, from `first` on. */
  private *partitions(now: number, first: string, last: string | null): Generator<string> {
    let found = this.firstDue(now, first)
    while (found !== undefined && (last === null || found <= last)) {
      yield found
      found = this.firstDue(now, justBehind(found))
    }
  }

  private firstDue(now: number, from: string): string | undefined {
    for (const { at, partition } of this.index.ascending({ partition: from, at: Number.NEGATIVE_INFINITY, key: "" })) {
      if (at <= now) return partition
    }
    return undefined
  }

  private keysOf(partition: string, now: number, limit: number): ReadonlyArray<string> {
    const keys: Array<string> = []
    for (const item of this.index.ascending({ partition, at: Number.NEGATIVE_INFINITY, key: "" })) {
      if (item.partition !== partition || item.at > now || keys.length >= limit) break
      keys.push(item.key)
    }
    return keys
  }
}
