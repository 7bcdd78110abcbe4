/** A list of the API: all items, page by page, or one page. */

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  /** Null on the last page; never null in a forward walk over events, so that it can be resumed. */
  readonly next_cursor: string | null
}

/**
 * Nothing is asked until it is read.
 *
 * @example
 * for await (const run of limbeck.runs.list({ status: "failed" })) console.log(run.id)
 * const { data, next_cursor } = await limbeck.runs.list({ limit: 5 }).page()
 */
export class List<A> implements AsyncIterable<A> {
  readonly #page: (cursor: string | undefined) => Promise<Page<unknown>>

  constructor(page: (cursor: string | undefined) => Promise<Page<unknown>>) {
    this.#page = page
  }

  /** The first page, or the one that the query's `cursor` names. */
  page(): Promise<Page<A>> {
    return this.#read(undefined)
  }

  /** Each page, from the first to the last. */
  async *pages(): AsyncGenerator<Page<A>, void, void> {
    let cursor: string | undefined
    do {
      const page = await this.#read(cursor)
      yield page
      cursor = page.has_more ? (page.next_cursor ?? undefined) : undefined
    } while (cursor !== undefined)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<A, void, void> {
    for await (const { data } of this.pages()) yield* data
  }

  /** All items, possibly many. */
  async all(): Promise<ReadonlyArray<A>> {
    const items: Array<A> = []
    for await (const item of this) items.push(item)
    return items
  }

  #read(cursor: string | undefined): Promise<Page<A>> {
    // What the list's operation answers.
    return this.#page(cursor) as Promise<Page<A>>
  }
}
