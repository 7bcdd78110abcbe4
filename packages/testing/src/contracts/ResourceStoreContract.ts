/** What every ResourceStore must do. */
import { assert } from "@effect/vitest"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"
import { pageCases } from "./pages.ts"

const { kind, note, otherKind } = Notes

/** An empty list of the notes with a label, among others without. */
const openList = (labels: ReadonlyArray<string>) =>
  Effect.map(ResourceStore, (store) => {
    const partition = Fresh.partition()
    const insert = (createdAt: number) => {
      const wanted = note({ createdAt, tags: ["blue", "round"] })
      const unwanted = note({ createdAt, tags: ["blue"] })
      const also = labels.length === 0 ? Effect.void : store.insert(partition, kind, unwanted)
      return Effect.as(Effect.andThen(store.insert(partition, kind, wanted), also), wanted.id)
    }
    return { insert, page: (request: Parameters<typeof store.page>[3]) => store.page(partition, kind, labels, request) }
  })

/** Every read of a note. */
const readAll = Effect.fnUntraced(function* (partition: Partition, noteKind: typeof kind, sought: Notes.Note) {
  const store = yield* ResourceStore
  return [
    ...Option.toArray(yield* store.find(partition, noteKind, sought.id)).map(({ value }) => value),
    ...Option.toArray(yield* store.findUnique(partition, noteKind, sought.title ?? "")).map(({ value }) => value),
    ...(yield* store.findMany(partition, noteKind, [sought.id])).map(({ value }) => value),
    ...(yield* store.findByLabels(partition, noteKind, sought.tags)),
    ...(yield* store.page(partition, noteKind, sought.tags, firstPage(10))).items,
    ...(yield* store.page(partition, noteKind, [], firstPage(10))).items
  ]
})

export const suite = describePort("ResourceStore", (it) => {
  pageCases(it, openList([]))

  it.describe("page by labels", () => pageCases(it, openList(["round", "blue"])))

  it.effect("an inserted resource is found as it was, at revision 0", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const content = { text: "ü ✓ 漢 \"'\\ \n", number: 0.1, large: 2 ** 53 - 1, deep: [{ a: null }, []], empty: {} }
      const value = note({ title: "a title", tags: ["b", "a"], content })
      yield* store.insert(partition, kind, value)
      assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some({ value, revision: 0 }))
      assert.deepStrictEqual(yield* readAll(partition, kind, value), Array(6).fill(value))
    })
  )

  it.effect("a taken id fails and changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ title: "first", tags: ["a"] })
      yield* store.insert(partition, kind, value)
      const error = yield* Effect.flip(store.insert(partition, kind, { ...value, title: "second", tags: ["b"] }))
      assert.strictEqual(error._tag, "AlreadyExists")
      assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some({ value, revision: 0 }))
      assert.deepStrictEqual(yield* store.findUnique(partition, kind, "second"), Option.none())
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["a", "b"]), [value])
    })
  )

  it.effect("a taken unique name fails and changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const first = note({ title: "same" })
      const second = note({ title: "same" })
      yield* store.insert(partition, kind, first)
      const error = yield* Effect.flip(store.insert(partition, kind, second))
      assert.strictEqual(error._tag, "AlreadyExists")
      assert.deepStrictEqual(yield* store.find(partition, kind, second.id), Option.none())
      assert.deepStrictEqual((yield* store.page(partition, kind, [], firstPage(5))).items, [first])
    })
  )

  it.effect("what is added is there, and a taken id fails with its transaction, which keeps nothing", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const [value, other] = [note({ title: "first" }), note({ title: "other" })]
      yield* storage.transaction(store.add(partition, kind, value))
      const taken = store.add(partition, kind, { ...value, title: "second" })
      const both = storage.transaction(Effect.andThen(store.add(partition, kind, other), taken))
      for (const refused of [taken, both]) assert.strictEqual((yield* Effect.flip(refused))._tag, "StorageError")
      assert.deepStrictEqual((yield* store.page(partition, kind, [], firstPage(5))).items, [value])
      yield* store.add(partition, kind, other)
      assert.deepStrictEqual(yield* store.find(partition, kind, other.id), Option.some({ value: other, revision: 0 }))
    })
  )

  it.effect("a refused insert leaves the transaction around it whole", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const [before, after] = [note({ title: "before" }), note({ title: "after" })]
      yield* storage.transaction(
        Effect.gen(function* () {
          yield* store.insert(partition, kind, before)
          yield* Effect.flip(store.insert(partition, kind, before))
          yield* Effect.flip(store.insert(partition, kind, note({ title: "before" })))
          yield* store.insert(partition, kind, after)
        })
      )
      assert.deepStrictEqual((yield* store.page(partition, kind, [], firstPage(5))).items, [after, before])
    })
  )

  it.effect("of many who want one unique name at once, exactly one gets it (P7)", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const insert = () => Effect.result(store.insert(partition, kind, note({ title: "wanted" })))
      const results = yield* Effect.forEach(Array.from({ length: 12 }), insert, { concurrency: "unbounded" })
      assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      assert.deepStrictEqual(
        results.filter(Result.isFailure).map(({ failure }) => failure._tag),
        Array(11).fill("AlreadyExists")
      )
      assert.strictEqual((yield* store.page(partition, kind, [], firstPage(20))).items.length, 1)
    })
  )

  it.effect("compareAndSet to a unique name that another has is refused, and the transaction around it goes on", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const [holder, other, after] = [note({ title: "taken" }), note({ title: "free" }), note({ title: "after" })]
      yield* store.insert(partition, kind, holder)
      yield* store.insert(partition, kind, other)
      const wanted = { value: { ...other, title: "taken" }, revision: 0 }
      const error = yield* storage.transaction(
        Effect.tap(Effect.flip(store.compareAndSet(partition, kind, wanted)), () =>
          store.insert(partition, kind, after)
        )
      )
      assert.strictEqual(error._tag, "RevisionConflict")
      assert.deepStrictEqual(yield* store.find(partition, kind, other.id), Option.some({ value: other, revision: 0 }))
      assert.isTrue(Option.isSome(yield* store.find(partition, kind, after.id)))
    })
  )

  it.effect("compareAndSet writes at the stored revision, and counts it up by one", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ content: 0 })
      yield* store.insert(partition, kind, value)
      const next = { ...value, content: 1 }
      const written = yield* store.compareAndSet(partition, kind, { value: next, revision: 0 })
      assert.deepStrictEqual(written, { value: next, revision: 1 })
      assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some(written))
      const again = yield* store.compareAndSet(partition, kind, { ...written, value: { ...next, content: 2 } })
      assert.strictEqual(again.revision, 2)
    })
  )

  it.effect("compareAndSet at any other revision, or of what is not there, fails and changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ content: 0, tags: ["a"] })
      yield* store.insert(partition, kind, value)
      const stored = yield* store.compareAndSet(partition, kind, { value: { ...value, content: 1 }, revision: 0 })
      for (const revision of [0, 2]) {
        const stale = { value: { ...value, content: 9, tags: ["b"] }, revision }
        const error = yield* Effect.flip(store.compareAndSet(partition, kind, stale))
        assert.strictEqual(error._tag, "RevisionConflict")
      }
      assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some(stored))
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["b"]), [])
      const missing = yield* Effect.flip(store.compareAndSet(partition, kind, { value: note(), revision: 0 }))
      assert.strictEqual(missing._tag, "RevisionConflict")
    })
  )

  it.effect("of many writers at one revision, exactly one wins (P7)", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note()
      yield* store.insert(partition, kind, value)
      for (const revision of [0, 1, 2]) {
        const write = (content: number) =>
          Effect.result(store.compareAndSet(partition, kind, { value: { ...value, content }, revision }))
        const results = yield* Effect.forEach(Array.from({ length: 10 }).keys(), write, { concurrency: "unbounded" })
        const won = results.filter(Result.isSuccess).map(({ success }) => success)
        assert.strictEqual(won.length, 1)
        assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some(won[0]!))
      }
    })
  )

  it.effect("no increment is lost when every loser reads again", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ content: 0 })
      yield* store.insert(partition, kind, value)
      const increment = Effect.gen(function* () {
        const { revision, value: held } = Option.getOrThrow(yield* store.find(partition, kind, value.id))
        yield* store.compareAndSet(partition, kind, { value: { ...held, content: Number(held.content) + 1 }, revision })
      }).pipe(Effect.retry({ while: (error) => error._tag === "RevisionConflict" }))
      yield* Effect.all(
        Array.from({ length: 20 }, () => increment),
        { concurrency: "unbounded", discard: true }
      )
      const stored = Option.getOrThrow(yield* store.find(partition, kind, value.id))
      assert.deepStrictEqual([stored.value.content, stored.revision], [20, 20])
    })
  )

  it.effect("labels and the unique name are those of the last write", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ title: "old", tags: ["a", "b"] })
      yield* store.insert(partition, kind, value)
      const next = { ...value, title: "new", tags: ["b", "c"] }
      const stored = yield* store.compareAndSet(partition, kind, { value: next, revision: 0 })
      assert.deepStrictEqual(yield* store.findUnique(partition, kind, "old"), Option.none())
      assert.deepStrictEqual(yield* store.findUnique(partition, kind, "new"), Option.some(stored))
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["a"]), [])
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["c"]), [next])
      assert.deepStrictEqual((yield* store.page(partition, kind, ["a"], firstPage(5))).items, [])
      yield* store.insert(partition, kind, note({ title: "old" }))
    })
  )

  it.effect("of many that are written at once, each is written or refused by itself (P241)", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const [first, second, third, absent] = [
        note({ tags: ["a", "b"] }),
        note({ tags: ["a"] }),
        note({ tags: [] }),
        note()
      ]
      const notes = [first, second, third, absent]
      yield* Effect.forEach(notes.slice(0, 3), (value) => store.insert(partition, kind, value))
      const changed = (value: Notes.Note) => ({ ...value, tags: ["c", value.id], content: { changed: true } })
      yield* store.compareAndSet(partition, kind, { value: second, revision: 0 })
      const stored = notes.map((value) => ({ value: changed(value), revision: 0 }))
      const refused = yield* store.compareAndSetMany(partition, kind, stored)
      assert.sameMembers([...refused], [second.id, absent.id])
      const ids = notes.map(({ id }) => id)
      assert.sameDeepMembers(
        [...(yield* store.findMany(partition, kind, ids))],
        [
          { value: changed(first), revision: 1 },
          { value: second, revision: 1 },
          { value: changed(third), revision: 1 }
        ]
      )
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["c"]), [changed(first), changed(third)])
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["a"]), [second])
      const elsewhere = store.compareAndSetMany(Fresh.partition(), kind, [{ value: changed(first), revision: 1 }])
      assert.deepStrictEqual(yield* elsewhere, [first.id])
    })
  )

  it.effect("remove answers whether there was one, and frees the unique name and the id", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const value = note({ title: "name", tags: ["a"] })
      assert.isFalse(yield* store.remove(partition, kind, value.id))
      yield* store.insert(partition, kind, value)
      assert.isTrue(yield* store.remove(partition, kind, value.id))
      assert.isFalse(yield* store.remove(partition, kind, value.id))
      assert.deepStrictEqual(yield* readAll(partition, kind, value), [])
      yield* store.insert(partition, kind, value)
      assert.deepStrictEqual(yield* store.find(partition, kind, value.id), Option.some({ value, revision: 0 }))
    })
  )

  it.effect("a page by labels has only what carries every one of them", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const oldest = note({ tags: ["a"] })
      const both = note({ tags: ["a", "b", "c"] })
      const notes = [oldest, both, note({ tags: ["b"] }), note()]
      yield* Effect.forEach(notes, (value) => store.insert(partition, kind, value))
      const page = (labels: ReadonlyArray<string>) => store.page(partition, kind, labels, firstPage(10))
      assert.deepStrictEqual((yield* page(["a", "b"])).items, [both])
      assert.deepStrictEqual((yield* page(["b", "a", "c"])).items, [both])
      assert.deepStrictEqual((yield* page(["a", "x"])).items, [])
      assert.deepStrictEqual((yield* page([])).items, notes.toReversed())
    })
  )

  it.effect("findByLabels has what carries at least one of the labels, once each, oldest first", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const [a, ab, b, c] = [
        note({ tags: ["a"] }),
        note({ tags: ["a", "b"] }),
        note({ tags: ["b"] }),
        note({ tags: ["c"] })
      ]
      for (const each of [kind, otherKind]) {
        yield* Effect.forEach([c, b, ab, a], (value) => store.insert(partition, each, value))
        assert.deepStrictEqual(yield* store.findByLabels(partition, each, ["b", "a", "x"]), [a, ab, b])
        assert.deepStrictEqual(yield* store.findByLabels(partition, each, ["x"]), [])
        assert.deepStrictEqual(yield* store.findByLabels(partition, each, []), [])
      }
    })
  )

  it.effect("findMany has those that exist, once each", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const notes = [note(), note(), note()]
      yield* Effect.forEach(notes, (value) => store.insert(partition, kind, value))
      const ids = [notes[2]!.id, notes[0]!.id, notes[2]!.id, note().id]
      const found = yield* store.findMany(partition, kind, ids)
      assert.sameDeepMembers(
        [...found],
        [notes[0]!, notes[2]!].map((value) => ({ value, revision: 0 }))
      )
      assert.deepStrictEqual(yield* store.findMany(partition, kind, []), [])
    })
  )

  it.effect("no method sees or changes what is in another partition, or of another kind (P8)", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const { mine, others } = Fresh.neighbours()
      const value = note({ title: "shared", tags: ["a"] })
      yield* store.insert(mine, kind, value)
      const elsewhere = [...others.map((partition) => ({ partition, of: kind })), { partition: mine, of: otherKind }]
      for (const { of, partition } of elsewhere) {
        assert.deepStrictEqual(yield* readAll(partition, of, value), [])
        assert.isFalse(yield* store.remove(partition, of, value.id))
        const error = yield* Effect.flip(store.compareAndSet(partition, of, { value, revision: 0 }))
        assert.strictEqual(error._tag, "RevisionConflict")
        // The same id and unique name are free there.
        yield* store.insert(partition, of, { ...value, content: "theirs" })
        yield* store.remove(partition, of, value.id)
      }
      assert.deepStrictEqual(yield* store.find(mine, kind, value.id), Option.some({ value, revision: 0 }))
    })
  )

  it.effect("a rolled back write leaves labels and unique names as they were", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const storage = yield* Storage
      const partition = Fresh.partition()
      const value = note({ title: "old", tags: ["a"] })
      yield* store.insert(partition, kind, value)
      const change = store.compareAndSet(partition, kind, {
        value: { ...value, title: "new", tags: ["b"] },
        revision: 0
      })
      yield* Effect.flip(storage.transaction(Effect.andThen(change, Effect.fail("refused"))))
      const removal = store.remove(partition, kind, value.id)
      yield* Effect.flip(storage.transaction(Effect.andThen(removal, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* readAll(partition, kind, value), Array(6).fill(value))
      assert.deepStrictEqual(yield* store.findByLabels(partition, kind, ["b"]), [])
      yield* store.insert(partition, kind, note({ title: "new" }))
    })
  )
})
