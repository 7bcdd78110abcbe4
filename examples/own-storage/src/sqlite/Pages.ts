/** Pages of rows that have an `id` and a `created_at`. */
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import { and, ifPresent, type Sql, sql } from "./Sql.ts"

export const creationFilter = (bounds: Pick<PageRequest, "createdAfter" | "createdBefore">): Sql =>
  and([
    ifPresent(bounds.createdAfter, (at) => sql`created_at > ${at}`),
    ifPresent(bounds.createdBefore, (at) => sql`created_at < ${at}`)
  ])

/** The text behind WHERE: the rows of a page that meet `condition`, newest first, plus one that shows whether more follow. */
export const newest = (condition: Sql, request: PageRequest): Sql => sql`
  ${condition} AND ${creationFilter(request)} AND ${ifPresent(request.after, (id) => sql`id < ${id}`)}
  ORDER BY id DESC LIMIT ${request.limit + 1}`

/** A page bounded in bytes too: ends before the row that begins beyond `bytesMax`, with at least one row. */
export const limitsFilter = <A>(
  rows: Iterable<A>,
  {
    bytesMax,
    limit,
    sizeOf
  }: { readonly bytesMax: number; readonly limit: number; readonly sizeOf: (row: A) => number }
): Page<A> => {
  const items: Array<A> = []
  let bytes = 0
  for (const row of rows) {
    if (items.length === limit || bytes >= bytesMax) return { items, hasMore: true }
    items.push(row)
    bytes += sizeOf(row)
  }
  return { items, hasMore: false }
}
