/** What every RowStore must do. */
import { assert } from "@effect/vitest"
import type { Page } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { RowStore, type StoredKey, type StoredRow } from "@limbeck/distill/dataset/RowStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"

const row = (key: string, split: StoredRow["split"] = "train", body = `{"key":"${key}"}`): StoredRow => ({
  key,
  split,
  body
})

/** Every third is a holdout row. */
const rowsOf = (count: number): ReadonlyArray<StoredRow> =>
  Array.from({ length: count }, (_, n) => row(String(n).padStart(8, "0"), n % 3 === 0 ? "holdout" : "train"))

const everything = { split: null, after: null, limit: 1_000 } as const

const open = Effect.map(RowStore, (store) => {
  const { mine, others } = Fresh.neighbours()
  return { store, partition: mine, others, version: Fresh.id("dsv") }
})

const keysOf = Effect.fnUntraced(function* (store: RowStore["Service"], partition: Partition, version: string) {
  const keys: Array<StoredKey> = []
  yield* store.walkKeys(partition, version, (page) => keys.push(...page))
  return keys
})

export const suite = describePort("RowStore", (it) => {
  it.effect("rows come back as they were, by ascending key, whatever order they came in", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      // By code units: digits, capitals, underscore, small letters. A dictionary's order is another.
      const keys = ["1", "10", "9", "A", "B", "_", "a", "a-b", "aB", "b"]
      const rows = keys.map((key) => row(key, "holdout", '{ "ü" :\t"漢", "n": 1.0}'))
      yield* store.append(partition, version, rows.toReversed())
      assert.deepStrictEqual(yield* store.page(partition, version, everything), { items: rows, hasMore: false })
      assert.deepStrictEqual(yield* Stream.runCollect(store.scan(partition, version, null)), rows)
    })
  )

  it.effect(
    "a row has another body once it was replaced, and keeps its key and split; other keys change nothing (P1515)",
    () =>
      Effect.gen(function* () {
        const { others, partition, store, version } = yield* open
        const rows = rowsOf(6)
        yield* store.append(partition, version, rows)
        for (const other of others) yield* store.append(other, version, rows)
        const body = '{"ü":"漢","weight":2.5}'
        yield* store.replace(partition, version, [
          { key: rows[3]!.key, body },
          { key: "unknown", body }
        ])
        yield* store.replace(partition, Fresh.id("dsv"), [{ key: rows[0]!.key, body }])
        yield* store.replace(partition, version, [])
        const expected = rows.map((one, n) => (n === 3 ? { ...one, body } : one))
        assert.deepStrictEqual(yield* Stream.runCollect(store.scan(partition, version, null)), expected)
        assert.deepStrictEqual(yield* store.findMany(partition, version, ["unknown"]), [])
        for (const other of others) {
          assert.deepStrictEqual(yield* Stream.runCollect(store.scan(other, version, null)), rows)
        }
      })
  )

  it.effect("pages go on after a key, and hasMore tells whether further rows follow", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const rows = rowsOf(10)
      yield* store.append(partition, version, rows)
      const seen: Array<StoredRow> = []
      for (let after: string | null = null, more = true; more; after = seen.at(-1)!.key) {
        const page: Page<StoredRow> = yield* store.page(partition, version, { split: null, after, limit: 5 })
        seen.push(...page.items)
        more = page.hasMore
      }
      assert.deepStrictEqual(seen, rows)
      const between = yield* store.page(partition, version, { split: null, after: "00000003x", limit: 1 })
      assert.deepStrictEqual(between, { items: [rows[4]!], hasMore: true })
    })
  )

  it.effect("a page of large rows ends before its limit, and a walk by pages meets each of them once (P119)", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const rows = ["a", "b", "c", "d"].map((key) => row(key, "train", `"${"x".repeat(6 * 2 ** 20)}"`))
      yield* store.append(partition, version, rows)
      const seen: Array<ReadonlyArray<string>> = []
      for (let after: string | null = null, more = true; more; after = seen.at(-1)!.at(-1)!) {
        const page: Page<StoredRow> = yield* store.page(partition, version, { split: null, after, limit: 100 })
        assert.isTrue(page.items.every(({ body }) => body === rows[0]!.body))
        seen.push(page.items.map(({ key }) => key))
        more = page.hasMore
      }
      assert.deepStrictEqual(seen, [
        ["a", "b"],
        ["c", "d"]
      ])
    })
  )

  it.effect("a page or scan of one split has no row of the other", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const rows = rowsOf(12)
      yield* store.append(partition, version, rows)
      for (const split of ["train", "holdout"] as const) {
        const expected = rows.filter((row) => row.split === split)
        assert.deepStrictEqual((yield* store.page(partition, version, { ...everything, split })).items, expected)
        assert.deepStrictEqual(yield* Stream.runCollect(store.scan(partition, version, split)), expected)
      }
      const holdout = { split: "holdout", after: null } as const
      assert.isTrue((yield* store.page(partition, version, { ...holdout, limit: 3 })).hasMore)
      assert.isFalse((yield* store.page(partition, version, { ...holdout, limit: 4 })).hasMore)
    })
  )

  it.effect("rows are found by their keys, each once, and a key that the version does not have brings none", () =>
    Effect.gen(function* () {
      const { others, partition, store, version } = yield* open
      const rows = rowsOf(6)
      yield* store.append(partition, version, rows)
      const asked = [rows[4]!.key, "unknown", rows[1]!.key, rows[4]!.key]
      assert.sameDeepMembers([...(yield* store.findMany(partition, version, asked))], [rows[1]!, rows[4]!])
      assert.deepStrictEqual(yield* store.findMany(partition, version, []), [])
      assert.deepStrictEqual(yield* store.findMany(others[0]!, version, asked), [])
    })
  )

  it.effect("a row whose key is there is passed over, and append answers the keys of all others (P90)", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const rows = rowsOf(4)
      const keys = rows.map(({ key }) => key)
      assert.sameMembers([...(yield* store.append(partition, version, rows.slice(0, 2)))], keys.slice(0, 2))
      const again = rows.map((row) => ({ ...row, body: `${row.body} ` }))
      assert.sameMembers([...(yield* store.append(partition, version, again))], keys.slice(2))
      assert.deepStrictEqual(yield* store.append(partition, version, again), [])
      const { items } = yield* store.page(partition, version, everything)
      assert.deepStrictEqual(items, [...rows.slice(0, 2), ...again.slice(2)])
    })
  )

  it.effect("a key that is twice among the rows of one append is kept once", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const twice = [row("a", "train", "first"), row("b"), row("a", "train", "second")]
      assert.sameMembers([...(yield* store.append(partition, version, twice))], ["a", "b"])
      const { items } = yield* store.page(partition, version, everything)
      assert.deepStrictEqual(
        items.map(({ key }) => key),
        ["a", "b"]
      )
    })
  )

  it.effect("a scan, of rows or of keys, meets every row of a large version once, in order (P89)", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      const rows = rowsOf(12_345)
      yield* Effect.forEach(
        Array.from({ length: 13 }, (_, index) => 12_000 - index * 1_000),
        (from) => store.append(partition, version, rows.slice(from, from + 1_000))
      )
      assert.deepStrictEqual(yield* Stream.runCollect(store.scan(partition, version, null)), rows)
      const keys = rows.map(({ key, split }) => ({ key, split }))
      assert.deepStrictEqual(yield* keysOf(store, partition, version), keys)
      const some = yield* Stream.runCollect(Stream.take(store.scan(partition, version, null), 3))
      assert.deepStrictEqual(some, rows.slice(0, 3))
    })
  )

  it.effect("a version without rows is empty, and appending nothing is nothing", () =>
    Effect.gen(function* () {
      const { partition, store, version } = yield* open
      yield* store.append(partition, version, [])
      assert.deepStrictEqual(yield* store.page(partition, version, everything), { items: [], hasMore: false })
      assert.deepStrictEqual(yield* Stream.runCollect(store.scan(partition, version, null)), [])
      assert.deepStrictEqual(yield* keysOf(store, partition, version), [])
    })
  )

  it.effect("clear removes the rows of its version only", () =>
    Effect.gen(function* () {
      const { others, partition, store, version } = yield* open
      const otherVersion = Fresh.id("dsv")
      const kept = [[partition, otherVersion] as const, ...others.map((other) => [other, version] as const)]
      for (const [of, at] of [[partition, version] as const, ...kept]) yield* store.append(of, at, rowsOf(3))
      yield* store.clear(partition, version)
      assert.deepStrictEqual((yield* store.page(partition, version, everything)).items, [])
      for (const [of, at] of kept) assert.strictEqual((yield* store.page(of, at, everything)).items.length, 3)
      yield* store.append(partition, version, [row("new")])
      assert.deepStrictEqual((yield* store.page(partition, version, everything)).items, [row("new")])
    })
  )

  it.effect("nobody reads the rows of another partition or version (P8)", () =>
    Effect.gen(function* () {
      const { others, partition, store, version } = yield* open
      yield* store.append(partition, version, rowsOf(3))
      const elsewhere = [[partition, Fresh.id("dsv")] as const, ...others.map((other) => [other, version] as const)]
      for (const [of, at] of elsewhere) {
        assert.deepStrictEqual((yield* store.page(of, at, everything)).items, [])
        assert.deepStrictEqual(yield* Stream.runCollect(store.scan(of, at, "train")), [])
        assert.deepStrictEqual(yield* keysOf(store, of, at), [])
      }
    })
  )
})
