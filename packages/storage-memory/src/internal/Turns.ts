/** What waits, partition by partition: for claims in which these take turns. */
import type { Journal } from "./MemoryDatabase.ts"
import { byString } from "./SortedSet.ts"
import { Index } from "./Table.ts"

interface DueItem {
  readonly partition: string
  readonly at: number
  readonly key: string
}

/** Before all keys that come behind this one. */
const justBehind = (partition: string): string => `${partition}\0`

export class Turns {
  private readonly index = new Index<DueItem>(
    (a, b) => byString(a.partition, b.partition) || a.at - b.at || byString(a.key, b.key)
  )

  /** Moves an item; null: it does not wait. */
  move(journal: Journal, item: Omit<DueItem, "at">, before: number | null, after: number | null): void {
    if (before !== null) this.index.delete(journal, { ...item, at: before })
    if (after !== null) this.index.add(journal, { ...item, at: after })
  }

  /** Keys of up to `limit` items due at `now`, as `Queue.claim` says. */
  upTo(now: number, limit: number, behind: string): ReadonlyArray<string> {
    const queues: Array<ReadonlyArray<string>> = []
    for (const partition of this.around(now, behind)) {
      if (queues.length >= limit) break
      queues.push(this.keysOf(partition, now, limit))
    }
    const rounds = Array.from({ length: limit }, (_, nth) => queues.flatMap((keys) => keys.slice(nth, nth + 1)))
    const chosen = new Set(rounds.flat().slice(0, limit))
    return queues.flatMap((keys) => keys.filter((key) => chosen.has(key)))
  }

  private *around(now: number, behind: string): Generator<string> {
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
