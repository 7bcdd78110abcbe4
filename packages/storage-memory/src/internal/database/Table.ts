/** Journalled collections: rows by key, ordered by key, and a few derived shapes that stores use. */
import type { PageRequest } from "@limbeck/core/pages/Page"
import type { UndoLog } from "./MemoryDatabase.ts"
import { byString, type Compare, SortedSet } from "./SortedSet.ts"

/** Joins the parts of a key; no part holds a line break. */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.join("\n")

export class Table<A> {
  private readonly rows = new Map<string, A>()
  private readonly keys = new SortedSet<string>(byString)

  get(key: string): A | undefined {
    return this.rows.get(key)
  }

  set(undoLog: UndoLog, key: string, row: A): void {
    const before = this.rows.get(key)
    this.put(key, row)
    undoLog.undo(() => (before === undefined ? this.drop(key) : this.put(key, before)))
  }

  delete(undoLog: UndoLog, key: string): void {
    const before = this.rows.get(key)
    if (before === undefined) return
    this.drop(key)
    undoLog.undo(() => this.put(key, before))
  }

  /** Rows by ascending key, after `after`. */
  *ascending(after: string | null): Generator<A> {
    for (const key of this.keys.ascending(after ?? undefined)) if (key !== after) yield this.rows.get(key)!
  }

  /** Rows by descending key, before `before`. */
  *descending(before: string | null): Generator<A> {
    for (const key of this.keys.descending(before ?? undefined)) yield this.rows.get(key)!
  }

  private put(key: string, row: A): void {
    if (!this.rows.has(key)) this.keys.add(key)
    this.rows.set(key, row)
  }

  private drop(key: string): void {
    this.rows.delete(key)
    this.keys.delete(key)
  }
}

/** An ordered set whose changes are journalled. */
export class Index<A> {
  private readonly items: SortedSet<A>

  constructor(compare: Compare<A>) {
    this.items = new SortedSet(compare)
  }

  get first(): A | undefined {
    return this.items.first
  }

  add(undoLog: UndoLog, item: A): void {
    this.items.add(item)
    undoLog.undo(() => this.items.delete(item))
  }

  delete(undoLog: UndoLog, item: A): void {
    this.items.delete(item)
    undoLog.undo(() => this.items.add(item))
  }

  /** Starts at the first item not before `start`; null: all. */
  ascending(start: A | null = null): Generator<A> {
    return this.items.ascending(start ?? undefined)
  }

  /** How many are not before `start`. */
  sizeFrom(start: A): number {
    return this.items.sizeFrom(start)
  }

  descending(before: A | null): Generator<A> {
    return this.items.descending(before ?? undefined)
  }
}

/** One `A` per key, created at first use. Needs no undo: an empty member equals a missing one. */
export class Family<A> {
  private readonly members = new Map<string, A>()
  private readonly make: () => A

  constructor(make: () => A) {
    this.make = make
  }

  get all(): Iterable<A> {
    return this.members.values()
  }

  get entries(): Iterable<readonly [key: string, member: A]> {
    return this.members.entries()
  }

  of(key: string): A {
    const found = this.members.get(key)
    if (found !== undefined) return found
    const made = this.make()
    this.members.set(key, made)
    return made
  }
}

/** Appends to a list that only grows. */
export const append = <A>(undoLog: UndoLog, list: Array<A>, items: ReadonlyArray<A>): void => {
  const length = list.length
  for (const item of items) list.push(item)
  undoLog.undo(() => {
    list.length = length
  })
}

/** Takes everything out of a list. */
export const clear = <A>(undoLog: UndoLog, list: Array<A>): void => {
  const items = list.splice(0)
  undoLog.undo(() => list.push(...items))
}

/** The first `count` items that `wanted` accepts. */
export const takeWhere = <A>(items: Iterable<A>, count: number, wanted: (item: A) => boolean): ReadonlyArray<A> => {
  const taken: Array<A> = []
  if (count <= 0) return taken
  for (const item of items) {
    if (!wanted(item)) continue
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

/** Whether a creation time is inside the bounds of a request; both are exclusive. */
export const isWithin = (
  createdAt: number,
  { createdAfter, createdBefore }: Pick<PageRequest, "createdAfter" | "createdBefore">
): boolean =>
  (createdAfter === null || createdAt > createdAfter) && (createdBefore === null || createdAt < createdBefore)
