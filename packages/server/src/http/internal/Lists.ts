/** Lists at the edge: cursors in, the list envelope out (service-api 4.4, contract 1). */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import * as Cursor from "@limbeck/core/pages/Cursor"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"

/** What every list takes, decoded. */
export interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly created_after?: number
  readonly created_before?: number
}

export interface ListOptions {
  readonly partition: Partition
  /** The name of the list; with the filters it identifies cursors. */
  readonly list: string
  readonly query: ListQuery
  readonly filters?: Readonly<Record<string, string | undefined>>
}

const scopeOf = ({ filters, list, partition, query }: ListOptions): Cursor.ListScope => ({
  partition,
  list,
  filters: {
    ...filters,
    created_after: query.created_after?.toString(),
    created_before: query.created_before?.toString()
  }
})

export const positionOf = (options: ListOptions): Effect.Effect<string | null, InvalidInput> =>
  options.query.cursor === undefined
    ? Effect.succeed(null)
    : Effect.fromResult(Cursor.decode(scopeOf(options), options.query.cursor))

export const limitOf = (query: ListQuery): number => query.limit ?? Limits.pageDefault

/** The envelope of a page that ends at `position`. */
export const envelope = <B>(
  options: ListOptions,
  data: ReadonlyArray<B>,
  hasMore: boolean,
  position: string | null
) => ({
  data,
  has_more: hasMore,
  next_cursor: position === null ? null : Cursor.encode(scopeOf(options), position)
})

/** Reads a page of rows with ids, and renders it. */
export const page = <A extends { readonly id: string }, B, E>(
  options: ListOptions,
  read: (request: Page.PageRequest) => Effect.Effect<Page.Page<A>, E>,
  render: (items: ReadonlyArray<A>) => ReadonlyArray<B>
) =>
  Effect.gen(function* () {
    const { query } = options
    const after = yield* positionOf(options)
    const { end, hasMore, items } = yield* read({
      limit: limitOf(query),
      after,
      createdAfter: query.created_after ?? null,
      createdBefore: query.created_before ?? null
    })
    return envelope(options, render(items), hasMore, hasMore ? (end ?? items.at(-1)?.id ?? null) : null)
  })

/** A page of a list in memory, in its own order; `keyOf` identifies rows. */
export const part = <A>(options: ListOptions, all: ReadonlyArray<A>, keyOf: (row: A) => string) =>
  Effect.gen(function* () {
    const after = yield* positionOf(options)
    const last = after === null ? -1 : all.findIndex((row) => keyOf(row) === after)
    if (after !== null && last < 0) return yield* invalid("cursor", "The row that this cursor stands at is gone")
    const { hasMore, items } = Page.fromRows(all.slice(last + 1), limitOf(options.query))
    const end = items.at(-1)
    return envelope(options, items, hasMore, hasMore && end !== undefined ? keyOf(end) : null)
  })

/** A list that is never paged. */
export const whole = <B>(data: ReadonlyArray<B>) => ({ data, has_more: false, next_cursor: null })
