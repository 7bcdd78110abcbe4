/** What every CallStore must do with calls. */
import { assert } from "@effect/vitest"
import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import { type CallFilter, type CallStore, indexedBytesMax } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as StoredText from "@limbeck/capture/call/StoredText"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { firstPage, type Page } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Calls from "../fixtures/Calls.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { open } from "./calls.ts"
import { pageCases } from "./pages.ts"

type Store = CallStore["Service"]

const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

const allIds = Effect.fnUntraced(function* (store: Store, partition: Partition, filter: CallFilter = {}) {
  return idsOf((yield* store.page(partition, filter, firstPage(1_000))).items)
})

/** Characters that Postgres text cannot hold, and possible escape marks of a store. */
const controls = String.fromCharCode(...Array.from({ length: 33 }, (_, code) => code))
const odd = [
  controls,
  "a\0b",
  "\0",
  "half \ud800 a pair",
  "\u0001",
  '\u0001"marked"',
  "",
  "ü 漢 🎈",
  '{"\\u0000":"\\ud800"}'
]

const idOfQuestion = `qst_${"0".repeat(26)}` as const

/** Every field has a value, or none has. */
const full = (fields: Partial<CapturedCall> = {}) =>
  Calls.call({
    endpoint: "responses",
    deployment: "dep_1",
    fallbackReason: "timeout",
    confidence: 0.123456789,
    tags: ["b", "a", 'with "quotes", \\ and {braces}', "", "NULL", "b"],
    externalId: "order 7",
    verifies: { call: Fresh.id("call", Fresh.start) as CapturedCall["id"], deployment: "dep_1" },
    firstTokenMillis: 7,
    assemblerVersion: 1,
    streamed: true,
    servedBy: "upstream_fallback",
    attempts: [
      { source: "src_1", model: "a", statusCode: 429, error: null, latencyMillis: 3 },
      { source: "src_2", model: null, statusCode: null, error: "timeout", latencyMillis: 0 }
    ],
    decisions: [
      {
        question: idOfQuestion,
        name: "a\0b \ud800",
        kind: "predicate",
        probabilities: [0.1, 0.9],
        refusal: false,
        served_by: "student"
      },
      { question: idOfQuestion, name: null, kind: "score", probabilities: null, refusal: true, served_by: "upstream" }
    ],
    usage: { inputTokens: 900, outputTokens: 2, cachedTokens: 800, cacheWrite1hTokens: 0, audioOutputTokens: 1 },
    studentMicros: 4,
    ...fields
  })

const bare = () =>
  Calls.call({
    source: null,
    sourceName: null,
    model: null,
    statusCode: null,
    outcome: "aborted",
    requestIsJson: false,
    response: null,
    responseIsJson: false,
    usage: null,
    costMicros: null,
    billed: false
  })

export const suite = describePort("CallStore", (it) => {
  it.effect("a call comes back as it was, whatever its texts hold (P60)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = [
        full(),
        bare(),
        ...odd.map((text) => full({ request: text, response: text, requestIsJson: false }))
      ]
      yield* append(...calls)
      for (const call of calls) assert.deepStrictEqual(yield* store.find(partition, call.id), Option.some(call))
      const page = yield* store.page(partition, {}, firstPage(100))
      assert.deepStrictEqual(page.items, calls.toReversed())
    })
  )

  it.effect("a call that no store can take is refused as itself, with nothing of its batch stored (P121)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const long = Array.from({ length: 4_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 8).join("")
      for (const poison of [{ model: long }, { externalId: long }, { tags: ["a", long] }]) {
        const refused = yield* Effect.flip(append(Calls.call(), Calls.call(poison)))
        assert.strictEqual(refused._tag, "RecordRefused")
        assert.notInclude(JSON.stringify(refused), long)
      }
      assert.deepStrictEqual(yield* allIds(store, partition), [])
      const whole = Calls.call({ model: "m".repeat(indexedBytesMax), tags: ["é".repeat(indexedBytesMax / 2)] })
      yield* append(whole)
      assert.deepStrictEqual(yield* allIds(store, partition), [whole.id])
    })
  )

  it.effect("calls are counted by the day that they were made on, each once, or not at all (P331)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const { usage } = yield* LedgerStore
      const storage = yield* Storage
      const counts = (of: Partition) => Effect.map(usage(of, firstPage(9)), ({ items }) => items)
      const counted = (date: string, quantity: number) => ({ date, kind: "captured_calls", quantity, micros: 0 })
      const midnight = Date.parse("2026-11-23T00:00:00Z")
      const [last, first] = [Calls.call({ createdAt: midnight - 1 }), Calls.call({ createdAt: midnight })]
      const theirs = Calls.inPartition(others[0]!, [first])
      yield* store.append([...Calls.inPartition(partition, [first, last, first]), ...theirs])
      yield* append(last, Calls.call({ createdAt: midnight - 1 }))
      const undone = yield* Effect.flip(storage.transaction(Effect.andThen(append(Calls.call()), Effect.fail("no"))))
      assert.strictEqual(undone, "no")
      yield* store.remove(partition, first.id)
      yield* append(first)
      assert.deepStrictEqual<unknown>(yield* counts(partition), [counted("2026-11-23", 1), counted("2026-11-22", 2)])
      assert.deepStrictEqual<unknown>(yield* counts(others[0]!), [counted("2026-11-23", 1)])
    })
  )

  it.effect("a body of many megabytes comes back as it was", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = Calls.calls(3, (n) => ({
        request: `${n}ü`.repeat(2 ** 21),
        response: "0123456789".repeat(2 ** 19)
      }))
      yield* append(...calls)
      for (const call of calls) assert.isTrue(Option.isSome(yield* store.find(partition, call.id)))
      const found = yield* store.find(partition, calls[1]!.id)
      assert.isTrue(Option.isSome(found) && found.value.request === calls[1]!.request)
    })
  )

  it.effect(
    "calls as large as there may be come back whole, a few to a page, and go when they are removed (P119)",
    () =>
      Effect.gen(function* () {
        const { append, partition, store } = yield* open
        const { text } = StoredText.of("\0".repeat(CaptureLimits.storedBodyBytesMax))
        const calls = Calls.calls(4, (n) => ({
          request: text,
          requestIsJson: false,
          response: text,
          createdAt: Fresh.start + n
        }))
        yield* append(...calls)
        const seen: Array<CapturedCall> = []
        for (let after: string | null = null, more = true; more; after = seen.at(-1)!.id) {
          const page: Page<CapturedCall> = yield* store.page(partition, {}, { ...firstPage(100), after })
          assert.isTrue(
            page.items.length > 0 && page.items.every((call) => call.request === text && call.response === text)
          )
          seen.push(...page.items)
          more = page.hasMore
        }
        assert.deepStrictEqual(idsOf(seen), idsOf(calls).toReversed())
        const found = Option.getOrThrow(yield* store.find(partition, calls[0]!.id))
        assert.isTrue(found.request === text && found.response === text)
        for (const { id } of calls) assert.isTrue(yield* store.remove(partition, id))
      })
  )

  it.effect("a call that is larger than any that is stored today hinders nobody, and can be removed (P119)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const [before, large, after] = Calls.calls(3)
      yield* append(before!, { ...large!, request: "\0".repeat(15 * 2 ** 20), requestIsJson: false }, after!)
      const scan = store.scan(partition, { createdAfter: null, createdBefore: null, feedbackMin: null })
      const scanned = yield* Stream.runCollect(scan)
      const seen: Array<CapturedCall> = []
      for (let from: string | null = null, more = true; more; from = seen.at(-1)!.id) {
        const page: Page<CapturedCall> = yield* store.page(partition, {}, { ...firstPage(10), after: from })
        seen.push(...page.items)
        more = page.hasMore
      }
      const found = Option.getOrThrow(yield* store.find(partition, large!.id))
      // Whole, or said to be cut.
      for (const call of [scanned[1], seen[1], found]) {
        assert.isTrue(call?.request.length === 15 * 2 ** 20 || (call?.truncated && call.request === "null"))
      }
      for (const calls of [scanned, seen]) assert.deepStrictEqual(idsOf(calls), idsOf([after!, large!, before!]))
      assert.isTrue(yield* store.remove(partition, large!.id))
      assert.deepStrictEqual(yield* allIds(store, partition), idsOf([after!, before!]))
    })
  )

  it.effect("calls that come again are passed over, and those with them are stored (P60)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const [first, second, third] = Calls.calls(3)
      assert.deepStrictEqual(yield* append(first!, second!), new Set<string>(idsOf([first!, second!])))
      const again = [{ ...first!, request: "other" }, third!, third!, { ...second!, tags: ["other"] }]
      assert.deepStrictEqual(yield* append(...again), new Set<string>([third!.id]))
      assert.deepStrictEqual((yield* store.page(partition, {}, firstPage(10))).items, [third!, second!, first!])
      assert.deepStrictEqual(yield* allIds(store, partition, { tags: ["other"] }), [])
      assert.deepStrictEqual(yield* append(), new Set())
    })
  )

  it.effect("appends that run at once with the same calls store each once", () =>
    Effect.gen(function* () {
      const { partition, store } = yield* open
      const calls = Calls.calls(200)
      const again = Array.from({ length: 8 }, () => store.append(Calls.inPartition(partition, calls)))
      const added = yield* Effect.all(again, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* allIds(store, partition), idsOf(calls).toReversed())
      assert.sameMembers(
        added.flatMap((ids) => [...ids]),
        idsOf(calls)
      )
    })
  )

  it.effect("one append takes more calls than a statement holds, of many partitions, all or none of them", () =>
    Effect.gen(function* () {
      const { others, partition, store } = yield* open
      const storage = yield* Storage
      const mine = Calls.calls(1_200)
      const theirs = Calls.calls(2)
      const both = [...Calls.inPartition(partition, mine), ...Calls.inPartition(others[0], theirs)]
      yield* Effect.exit(storage.transaction(Effect.andThen(store.append(both), Effect.fail("no"))))
      assert.deepStrictEqual(yield* allIds(store, partition), [])
      yield* store.append(both)
      assert.deepStrictEqual(yield* allIds(store, partition), idsOf(mine).toReversed().slice(0, 1_000))
      assert.deepStrictEqual(yield* allIds(store, others[0]), idsOf(theirs).toReversed())
    })
  )

  pageCases(
    it,
    Effect.map(open, ({ append, partition, store }) => ({
      insert: (createdAt: number) => {
        const call = Calls.call({ createdAt })
        return Effect.as(append(call), call.id)
      },
      page: (request) => store.page(partition, {}, request)
    }))
  )

  it.effect("every filter passes the calls that it says, alone and with others", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const plain = Calls.call()
      // A special field of a call, with the filter that passes it.
      const odd: ReadonlyArray<readonly [fields: Partial<CapturedCall>, filter: CallFilter]> = [
        [{ source: "src_2" }, { source: "src_2" }],
        [{ model: "svc:tiny" }, { model: "svc:tiny" }],
        [{ externalId: "x-1" }, { externalId: "x-1" }],
        [{ endpoint: "embeddings" }, { endpoints: ["embeddings"] }],
        [{ outcome: "failed" }, { outcome: "failed" }],
        [{ deployment: "dep_2" }, { deployment: "dep_2" }],
        [{ verifies: { call: plain.id, deployment: "dep_3" } }, { verifies: true }]
      ]
      const calls = odd.map(([fields]) => Calls.call(fields))
      const tagged = Calls.call({ tags: ["red", "blue"] })
      const byStudent = Calls.call({ servedBy: "student" })
      yield* append(plain, ...calls, tagged, byStudent)
      for (const [index, [, filter]] of odd.entries()) {
        assert.deepStrictEqual(yield* allIds(store, partition, filter), [calls[index]!.id])
        assert.deepStrictEqual(yield* allIds(store, partition, { ...filter, tags: ["red"] }), [])
      }
      const ids = (filter: CallFilter) => allIds(store, partition, filter)
      assert.deepStrictEqual(yield* ids({ tags: ["blue"] }), [tagged.id])
      assert.deepStrictEqual(yield* ids({ tags: ["blue", "red"], model: "large" }), [tagged.id])
      assert.deepStrictEqual(yield* ids({ tags: ["blue", "green"] }), [])
      assert.deepStrictEqual(yield* ids({ servedBy: ["student"] }), [byStudent.id])
      assert.strictEqual((yield* ids({ servedBy: ["upstream", "shadow"] })).length, 9)
      assert.strictEqual((yield* ids({ servedBy: [], tags: [] })).length, 10)
      assert.strictEqual((yield* ids({ outcome: "succeeded", source: "src_of_the_fixture" })).length, 8)
      assert.strictEqual((yield* ids({ verifies: false })).length, 9)
      assert.strictEqual((yield* ids({ verifies: false, model: "large" })).length, 8)
      assert.deepStrictEqual(yield* ids({ verifies: true, model: "svc:tiny" }), [])
      assert.deepStrictEqual(yield* ids({ externalId: "\0" }), [])
    })
  )

  it.effect("filters hold on every page of a walk", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = Calls.calls(40, (n) => ({
        tags: n % 3 === 0 ? ["third"] : [],
        model: n % 2 === 0 ? "even" : "odd"
      }))
      yield* append(...calls)
      for (const filter of [{ tags: ["third"] }, { model: "even" }, { tags: ["third"], model: "even" }]) {
        const seen: Array<string> = []
        for (let after: string | null = null, more = true; more; after = seen.at(-1) ?? null) {
          const page = yield* store.page(partition, filter, { ...firstPage(3), after })
          seen.push(...idsOf(page.items))
          more = page.hasMore
        }
        assert.deepStrictEqual(seen, yield* allIds(store, partition, filter))
      }
    })
  )

  it.effect("a page of large calls ends early, says that more follow, and a walk meets them all (P61)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const large = Calls.calls(12, (n) => ({ request: String(n % 10).repeat(2 ** 20), requestIsJson: false }))
      yield* append(...large)
      const first = yield* store.page(partition, {}, firstPage(100))
      assert.isTrue(first.hasMore)
      assert.isTrue(first.items.length > 1 && first.items.length < 12)
      const second = yield* store.page(partition, {}, { ...firstPage(100), after: first.items.at(-1)?.id ?? null })
      assert.isFalse(second.hasMore)
      assert.deepStrictEqual(idsOf([...first.items, ...second.items]), idsOf(large).toReversed())
      assert.isTrue([...first.items, ...second.items].every(({ request }) => request.length === 2 ** 20))
    })
  )

  it.effect("a removed call is gone at once, and no later append brings it or what its shadow said (P60)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const [kept, gone] = Calls.calls(2, () => ({ tags: ["red"], externalId: "x", deployment: "dep_1" }))
      const shadows = Calls.inPartition(partition, [Calls.shadow(gone!, { deployment: "dep_1" })])
      yield* append(kept!, gone!)
      yield* store.appendShadows(shadows)
      assert.isTrue(yield* store.remove(partition, gone!.id))
      assert.deepStrictEqual(yield* append(gone!), new Set())
      yield* store.appendShadows(shadows)
      assert.isTrue(Option.isNone(yield* store.find(partition, gone!.id)))
      for (const filter of [{}, { tags: ["red"] }, { externalId: "x" }, { servedBy: ["upstream" as const] }]) {
        assert.deepStrictEqual(yield* allIds(store, partition, filter), [kept!.id])
      }
      assert.deepStrictEqual(yield* store.shadowsOf(partition, gone!.id), [])
      const figures = yield* store.figures(partition, "dep_1")
      assert.deepStrictEqual([figures.calls.upstream, figures.shadowed], [1, 0])
      assert.isFalse(yield* store.remove(partition, gone!.id))
    })
  )

  it.effect("an append that runs while a call is removed does not bring it back (P60)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = Calls.calls(20)
      yield* append(...calls)
      const removing = Effect.forEach(calls, ({ id }) => store.remove(partition, id), { concurrency: 4 })
      const appending = Effect.forEach(calls, () => append(...calls), { concurrency: 4 })
      yield* Effect.all([removing, appending], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* allIds(store, partition), [])
    })
  )

  it.effect("there is nothing to remove under another id, or in another partition", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const call = Calls.call()
      yield* append(call)
      assert.isFalse(yield* store.remove(partition, Fresh.id("call")))
      assert.isFalse(yield* store.remove(partition, "\0"))
      for (const other of others) {
        assert.isFalse(yield* store.remove(other, call.id))
        assert.isTrue(Option.isNone(yield* store.find(other, call.id)))
        assert.deepStrictEqual(yield* allIds(store, other), [])
      }
      assert.deepStrictEqual(yield* allIds(store, partition), [call.id])
    })
  )
})
