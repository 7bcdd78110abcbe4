/** What every LedgerStore must do. */
import { assert } from "@effect/vitest"
import { type Balances, type Entry, empty, type Posting, type Usage } from "@limbeck/billing/ledger/Entry"
import { after, entryOf, usageKey } from "@limbeck/billing/ledger/LedgerRules"
import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { pageCases } from "./pages.ts"

const topUp = (micros: number, reference = Fresh.name("payment")): Posting => ({ kind: "top_up", micros, reference })

const entriesOf = (postings: ReadonlyArray<Posting>, at = Fresh.start): ReadonlyArray<Entry> =>
  postings.map((posting) => entryOf(Fresh.id("led", at), at, posting))

const open = Effect.gen(function* () {
  const store = yield* LedgerStore
  const storage = yield* Storage
  const { mine, others } = Fresh.neighbours()
  const append = (entries: ReadonlyArray<Entry>, usage: ReadonlyArray<Usage> = [], partition: Partition = mine) =>
    storage.transaction(Effect.andThen(store.lock(partition), store.append(partition, entries, usage)))
  const post = (...postings: ReadonlyArray<Posting>) => append(entriesOf(postings))
  return { store, storage, partition: mine, others, append, post }
})

const used = (date: string, kind: Usage["kind"], quantity: number, micros: number): Usage => ({
  date,
  kind,
  quantity,
  micros
})

const sumOf = (balances: Balances): number => Object.values(balances).reduce((sum, micros) => sum + micros, 0)

export const suite = describePort("LedgerStore", (it) => {
  pageCases(
    it,
    Effect.map(open, ({ append, partition, store }) => ({
      insert: (createdAt) => {
        const [entry] = entriesOf([topUp(1)], createdAt)
        return Effect.as(append([entry!]), entry!.id)
      },
      page: (request) => store.page(partition, request)
    }))
  )

  it.effect("entries move their amounts between the accounts, which sum to zero, and are read back whole (P150)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      assert.deepStrictEqual(yield* store.balances(partition), empty)
      const postings: ReadonlyArray<Posting> = [
        topUp(10_000_000, "rechnung 7 ü"),
        { kind: "hold", micros: 4_000_000, reference: "run_1" },
        { kind: "release", micros: 3_000_000, reference: "run_1" },
        { kind: "training", micros: 1_999_999, reference: "run_1" },
        { kind: "judging", micros: 1, reference: "run_1" },
        { kind: "managed_calls", micros: 5, reference: "2026-11-22/call_1" },
        { kind: "write_off", micros: 2, reference: "2026-11-22/call_1" }
      ]
      const entries = entriesOf(postings)
      for (const part of [entries.slice(0, 1), entries.slice(1, 3), entries.slice(3)]) {
        yield* append(part)
        assert.strictEqual(sumOf(yield* store.balances(partition)), 0)
      }
      const balances = { funding: -10_000_002, available: 6_999_997, held: 1_000_000, spent: 2_000_005 }
      assert.deepStrictEqual(after(empty, postings), balances)
      assert.deepStrictEqual(yield* store.balances(partition), balances)
      const { items } = yield* store.page(partition, firstPage(100))
      assert.deepStrictEqual(items.toReversed(), entries)
      for (const other of others) {
        assert.deepStrictEqual(yield* store.balances(other), empty)
        assert.deepStrictEqual((yield* store.page(other, firstPage(100))).items, [])
      }
    })
  )

  it.effect(
    "a cause posts once: nothing of what comes with it is written, also where the transaction goes on (P151)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, post, storage, store } = yield* open
        yield* post(topUp(7, "payment"), { kind: "hold", micros: 2, reference: "payment" })
        const again = entriesOf([topUp(1), topUp(7, "payment")])
        const usage = [used("2026-11-22", "training", 1, 1)]
        const caught = storage.transaction(
          Effect.andThen(store.lock(partition), Effect.flip(store.append(partition, again, usage)))
        )
        assert.strictEqual((yield* caught)._tag, "AlreadyPosted")
        assert.strictEqual(
          (yield* Effect.flip(append(entriesOf([topUp(1, "b"), topUp(2, "b")]))))._tag,
          "AlreadyPosted"
        )
        assert.deepStrictEqual(yield* store.balances(partition), { ...empty, funding: -7, available: 5, held: 2 })
        assert.strictEqual((yield* store.page(partition, firstPage(100))).items.length, 2)
        assert.deepStrictEqual((yield* store.usage(partition, firstPage(100))).items, [])
        for (const other of others) yield* append(entriesOf([topUp(7, "payment")]), [], other)
      })
  )

  it.effect("an entry is found by its kind and its reference, in its partition alone", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const [entry] = entriesOf([topUp(7, "payment")])
      yield* append([entry!])
      assert.deepStrictEqual(yield* store.find(partition, "top_up", "payment"), Option.some(entry!))
      assert.deepStrictEqual(yield* store.find(partition, "hold", "payment"), Option.none())
      assert.deepStrictEqual(yield* store.find(partition, "top_up", "pay"), Option.none())
      for (const other of others) assert.deepStrictEqual(yield* store.find(other, "top_up", "payment"), Option.none())
    })
  )

  it.effect("a transaction that fails leaves no entry, no amount and no usage (P150)", () =>
    Effect.gen(function* () {
      const { partition, storage, store } = yield* open
      const write = Effect.gen(function* () {
        yield* store.lock(partition)
        yield* store.append(partition, entriesOf([topUp(7)]), [used("2026-11-22", "training", 1, 1)])
        return yield* Effect.fail("refused")
      })
      assert.strictEqual(yield* Effect.flip(storage.transaction(write)), "refused")
      assert.deepStrictEqual(yield* store.balances(partition), empty)
      assert.deepStrictEqual((yield* store.page(partition, firstPage(9))).items, [])
      assert.deepStrictEqual((yield* store.usage(partition, firstPage(9))).items, [])
    })
  )

  it.effect(
    "who locks the accounts sees what the one before left: a hundred at once spend one balance once (P152)",
    () =>
      Effect.gen(function* () {
        const { partition, post, storage, store } = yield* open
        yield* post(topUp(50))
        const spend = (n: number) =>
          storage.transaction(
            Effect.gen(function* () {
              const { available } = yield* store.lock(partition)
              if (available === 0) return false
              const postings: ReadonlyArray<Posting> = [{ kind: "hold", micros: 1, reference: `run ${n}` }]
              yield* store.append(partition, entriesOf(postings), [])
              return true
            })
          )
        const spent = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          spend,
          { concurrency: "unbounded" }
        )
        assert.strictEqual(spent.filter((isSpent) => isSpent).length, 50)
        assert.deepStrictEqual(yield* store.balances(partition), { ...empty, funding: -50, held: 50 })
      })
  )

  it.effect("usage is added up by day and kind, and is read the last day first, page by page", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const rows = [
        used("2026-11-21", "managed_calls", 3, 30),
        used("2026-11-22", "managed_calls", 2, 20),
        used("2026-11-22", "training", 0.25, 5),
        used("2026-11-22", "managed_calls", 5, 50)
      ]
      yield* append(entriesOf([topUp(1)]), rows.slice(0, 1))
      yield* append([], rows.slice(1))
      const expected = [
        used("2026-11-22", "training", 0.25, 5),
        used("2026-11-22", "managed_calls", 7, 70),
        used("2026-11-21", "managed_calls", 3, 30)
      ]
      assert.deepStrictEqual(yield* store.usage(partition, firstPage(3)), { items: expected, hasMore: false })
      const first = yield* store.usage(partition, firstPage(1))
      assert.deepStrictEqual(first, { items: expected.slice(0, 1), hasMore: true })
      const rest = yield* store.usage(partition, { limit: 5, after: usageKey(expected[0]!) })
      assert.deepStrictEqual(rest, { items: expected.slice(1), hasMore: false })
      for (const other of others) assert.deepStrictEqual((yield* store.usage(other, firstPage(9))).items, [])
    })
  )
})
