/** A page of a list: keyset on the time-ordered id, newest first, so that rows inserted meanwhile never shift others. */
import type { Millis } from "../time/Timestamp.ts"

export interface PageRequest {
  readonly limit: number
  /** The id after which the page begins; null for the first page. */
  readonly after: string | null
  /** Exclusive bounds of `createdAt`, in milliseconds. */
  readonly createdAfter: Millis | null
  readonly createdBefore: Millis | null
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** True while further rows follow the last of `items`. */
  readonly hasMore: boolean
  /** The start id of the next page if it differs from the last item, because the page skipped rows. */
  readonly end?: string | undefined
}

export const firstPage = (limit: number): PageRequest => ({
  limit,
  after: null,
  createdAfter: null,
  createdBefore: null
})

/** Makes a page of the `limit + 1` rows that a store reads to see whether more follow. */
export const fromRows = <A>(rows: ReadonlyArray<A>, limit: number): Page<A> => ({
  items: rows.length > limit ? rows.slice(0, limit) : rows,
  hasMore: rows.length > limit
})

export const map = <A, B>(page: Page<A>, f: (item: A) => B): Page<B> => ({
  ...page,
  items: page.items.map(f)
})
