/** Lists of captured calls read about as many rows as they return, for long histories and rare filters. */
import { assert, it } from "@effect/vitest"
import { type CallScan, CallStore } from "@limbeck/capture/call/CallStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { analyze, client, freshSchema, url } from "./Database.ts"
import { assertKept, worksOf } from "./Plans.ts"

const count = 20_000
const minute = 60_000
const day = 24 * 60 * minute

/** One call in a thousand is odd in every way; the rest is alike. */
const fill = Effect.gen(function* () {
  const store = yield* CallStore
  const partition = Fresh.partition()
  const calls = Calls.calls(count, (n) => ({
    createdAt: Fresh.start + n * minute,
    ...(n % 1_000 === 0
      ? {
          source: "src_odd",
          model: "odd",
          servedBy: "student" as const,
          deployment: "dep_odd",
          externalId: "odd",
          outcome: "failed" as const,
          tags: ["all", "odd"]
        }
      : { tags: ["all"], externalId: `order-${n}`, deployment: "dep_usual" })
  }))
  yield* store.append(Calls.inPartition(partition, calls))
  yield* Effect.forEach(Array.from({ length: 2_000 }).keys(), (n) =>
    store.insertFeedback(partition, Calls.feedback({ call: calls[n]!.id, externalId: `order-${n}`, name: `name-${n}` }))
  )
  return { partition, calls }
})

/** What a scan reads by one statement. */
const atOnce = 1_000

const scanned = (store: CallStore["Service"], partition: Partition, how: Partial<CallScan>) =>
  Stream.runDrain(
    Stream.take(store.scan(partition, { createdAfter: null, createdBefore: null, feedbackMin: null, ...how }), 1)
  )

/** The calls that versions are made of. */
const taught = {
  endpoint: "chat.completions",
  outcome: "succeeded",
  servedBy: ["upstream", "shadow", "upstream_fallback"]
} as const

/** No filter, or one indexed filter: with a common value, a rare value and an absent value. */
const single = [
  {},
  { model: "large" },
  { model: "odd" },
  { model: "unheard of" },
  { source: "src_odd" },
  { source: "src_unheard_of" },
  { servedBy: ["student" as const] },
  { externalId: "odd" },
  { deployment: "dep_odd" }
]
/** Maximum rows per plan step for a page of 20 by one index. */
const rowsMax = 50

it.effect(
  "what is listed, scanned, removed or swept of calls costs little more than it is (P61, P475, P1151, P1308, P1671)",
  () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      const sql = yield* client(schema)
      yield* Effect.gen(function* () {
        const store = yield* CallStore
        const { calls, partition } = yield* fill
        const assertLittle = Effect.fnUntraced(function* <A, E, R>(read: Effect.Effect<A, E, R>) {
          for (const work of yield* worksOf(sql)(read)) {
            const told = `${work.mode} ${work.text}\n${JSON.stringify(work.plan, null, 1)}`
            assert.notInclude(work.scanned, "calls", told)
            assert.isAtMost(work.rows, 2 * atOnce, told)
            assert.isAtMost(work.pages, 7 * atOnce, told)
          }
        })
        // Even before the planner has statistics about calls.
        yield* assertLittle(scanned(store, partition, taught))
        yield* analyze(sql)
        const page = { ...firstPage(20), after: calls[count - 100]!.id }
        const alike = { source: "src_of_the_fixture", model: "large", tags: ["all"] }
        const odd = [
          { source: "src_odd" },
          { model: "odd" },
          { servedBy: ["student" as const] },
          { externalId: "odd" },
          { outcome: "failed" as const },
          { deployment: "dep_odd" },
          { tags: ["odd"] },
          { tags: ["odd"], model: "odd" },
          { tags: ["unheard of"] },
          { model: "unheard of", outcome: "aborted" as const }
        ]
        const reads = [
          store.find(partition, calls[7]!.id),
          ...[{}, alike, { model: "large" }, { tags: ["all"] }, ...odd].map((filter) =>
            store.page(partition, filter, page)
          ),
          ...[{}, { call: calls[7]!.id }, { externalId: "order-7" }, { name: "name-7" }].map((filter) =>
            store.pageFeedback(partition, filter, firstPage(20))
          ),
          store.figures(partition, "dep_odd"),
          store.servedCount(partition, "dep_odd", Fresh.start),
          ...(["oldest", "newest"] as const).map((order) =>
            store.servedCalls(partition, "dep_usual", Fresh.start + count, { order, limit: 500 })
          ),
          store.shadowsOf(partition, calls[7]!.id),
          scanned(store, partition, {}),
          scanned(store, partition, taught),
          scanned(store, partition, { model: "odd", tags: ["odd"] }),
          scanned(store, partition, { feedbackMin: 0.5, createdBefore: Fresh.start + 1_000 * minute }),
          store.prune(Fresh.start, 100),
          store.prune(Fresh.start + 10 * minute, 100),
          store.remove(partition, calls[7]!.id)
        ]
        for (const read of reads) yield* assertLittle(read)
        for (const filter of single) {
          const works = yield* worksOf(sql)(store.page(partition, filter, firstPage(20)))
          assertKept(works)
          for (const work of works) assert.isAtMost(work.rows, rowsMax, JSON.stringify(work.plan))
        }
        for (const width of ["hour", "all"] as const) {
          const range = { width, from: Fresh.start + day, until: Fresh.start + 2 * day }
          const works = yield* worksOf(sql)(Stream.runDrain(store.tallies(partition, range)))
          for (const { plan, rows, scanned } of works) {
            assert.deepStrictEqual(scanned, [], JSON.stringify(plan))
            assert.isAtMost(rows, rowsMax, JSON.stringify(plan))
          }
        }
        for (const { plan, rows, scanned } of yield* worksOf(sql)(
          store.pruneTallies("hour", Fresh.start + 9 * day, 20)
        )) {
          assert.deepStrictEqual(scanned, [], JSON.stringify(plan))
          assert.isAtMost(rows, rowsMax, JSON.stringify(plan))
        }
      }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
    })
)
