/** An index of items by due time. Contains waiting items only, never history. */
import type { UndoLog } from "./MemoryDatabase.ts"
import { byString } from "./SortedSet.ts"
import { Index } from "./Table.ts"

export interface DueEntry {
  /** The due time or, under a lease, the end of the lease. */
  readonly at: number
  readonly key: string
}

export class DueIndex {
  private readonly index = new Index<DueEntry>((a, b) => a.at - b.at || byString(a.key, b.key))

  get nextAt(): number | null {
    return this.index.first?.at ?? null
  }

  /** Moves an item; null: it does not wait. */
  move(undoLog: UndoLog, key: string, before: number | null, after: number | null): void {
    if (before !== null) this.index.delete(undoLog, { at: before, key })
    if (after !== null) this.index.add(undoLog, { at: after, key })
  }

  /** Keys of items due later than `latest`. */
  after(latest: number): ReadonlyArray<string> {
    return [...this.index.ascending({ at: latest + 1, key: "" })].map(({ key }) => key)
  }

  /** Keys of up to `limit` wanted items due at `now`, oldest due first. */
  upTo(now: number, limit: number, wanted: (key: string) => boolean = () => true): ReadonlyArray<string> {
    const keys: Array<string> = []
    for (const { at, key } of this.index.ascending()) {
      if (at > now || keys.length >= limit) break
      if (wanted(key)) keys.push(key)
    }
    return keys
  }
}
