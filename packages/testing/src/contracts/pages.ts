/** The promises of every list of pages, for any store. */
import { assert, type Vitest } from "@effect/vitest"
import { firstPage, type Page, type PageRequest } from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import * as Fresh from "../fixtures/Fresh.ts"
import type { AllPorts } from "./AllPorts.ts"

/** An empty list that can be filled. */
export interface PagedList<E> {
  /** Inserts a row of this creation time; answers its id. */
  readonly insert: (createdAt: number) => Effect.Effect<string, E>
  readonly page: (request: PageRequest) => Effect.Effect<Page<{ readonly id: string }>, E>
}

const idsOf = ({ items }: Page<{ readonly id: string }>) => items.map(({ id }) => id)

/** Walks to the end; `between` happens after every page. */
const walk = Effect.fnUntraced(function* <E>(list: PagedList<E>, limit: number, between: Effect.Effect<unknown, E>) {
  const seen: Array<string> = []
  let after: string | null = null
  for (;;) {
    const page: Page<{ readonly id: string }> = yield* list.page({ ...firstPage(limit), after })
    seen.push(...idsOf(page))
    if (!page.hasMore) return seen
    after = seen.at(-1) ?? null
    yield* between
  }
})

export const pageCases = <E>(it: Vitest.MethodsNonLive<AllPorts>, open: Effect.Effect<PagedList<E>, E, AllPorts>) => {
  it.effect("a list is newest first, in whatever order its rows were inserted", () =>
    Effect.gen(function* () {
      const list = yield* open
      const [third, first, second] = yield* Effect.forEach([3, 1, 2], (at) => list.insert(Fresh.start + at))
      assert.deepStrictEqual(idsOf(yield* list.page(firstPage(10))), [third, second, first])
    })
  )

  it.effect("hasMore is true exactly while further rows follow (P9)", () =>
    Effect.gen(function* () {
      const list = yield* open
      assert.deepStrictEqual(yield* list.page(firstPage(2)), { items: [], hasMore: false })
      const ids = yield* Effect.forEach([1, 2, 3], (at) => list.insert(Fresh.start + at))
      const page = yield* list.page(firstPage(2))
      assert.isTrue(page.hasMore)
      assert.strictEqual(page.items.length, 2)
      assert.isFalse((yield* list.page(firstPage(3))).hasMore)
      assert.isFalse((yield* list.page({ ...firstPage(2), after: ids[1]! })).hasMore)
    })
  )

  it.effect(
    "walking by the last id of each page meets every row once, also when rows are inserted meanwhile (P9)",
    () =>
      Effect.gen(function* () {
        const list = yield* open
        // Three rows share each instant.
        const ids = yield* Effect.forEach(Array.from({ length: 23 }).keys(), (n) =>
          list.insert(Fresh.start + Math.floor(n / 3))
        )
        const insertNewer = Effect.suspend(() => list.insert(Fresh.start + 1_000))
        const seen = yield* walk(list, 4, insertNewer)
        assert.deepStrictEqual(seen, ids.toReversed())
      })
  )

  it.effect("createdAfter and createdBefore leave out their own instants", () =>
    Effect.gen(function* () {
      const list = yield* open
      const ids = yield* Effect.forEach([0, 1, 2, 3, 4], (at) => list.insert(Fresh.start + at))
      const between = (after: number | null, before: number | null) =>
        Effect.map(list.page({ ...firstPage(10), createdAfter: after, createdBefore: before }), idsOf)
      assert.deepStrictEqual(yield* between(Fresh.start + 1, null), [ids[4], ids[3], ids[2]])
      assert.deepStrictEqual(yield* between(null, Fresh.start + 3), [ids[2], ids[1], ids[0]])
      assert.deepStrictEqual(yield* between(Fresh.start + 1, Fresh.start + 3), [ids[2]])
      assert.deepStrictEqual(yield* between(Fresh.start + 2, Fresh.start + 2), [])
    })
  )

  it.effect("bounds of creation hold on every page of a walk", () =>
    Effect.gen(function* () {
      const list = yield* open
      const ids = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (at) => list.insert(Fresh.start + at))
      const request = { ...firstPage(2), createdAfter: Fresh.start, createdBefore: Fresh.start + 5 }
      const first = yield* list.page(request)
      const second = yield* list.page({ ...request, after: ids[3]! })
      assert.deepStrictEqual([idsOf(first), first.hasMore], [[ids[4], ids[3]], true])
      assert.deepStrictEqual([idsOf(second), second.hasMore], [[ids[2], ids[1]], false])
    })
  )
}
