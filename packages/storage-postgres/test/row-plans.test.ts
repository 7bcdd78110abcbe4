/** Reading one split of a version reads only its own rows, however many the other split has. */
import { assert, it } from "@effect/vitest"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { analyze, client, freshSchema, url } from "./Database.ts"
import { worksOf } from "./Plans.ts"

const count = 10_000
const holdoutEvery = 100

it.effect("holdout rows are found among their like: no row of train is looked at for them (P99)", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const sql = yield* client(schema)
    yield* Effect.gen(function* () {
      const store = yield* RowStore
      const partition = Fresh.partition()
      const rows = Array.from({ length: count }, (_, n) => ({
        key: String(n).padStart(8, "0"),
        split: n % holdoutEvery === 0 ? ("holdout" as const) : ("train" as const),
        body: `{"n":${n}}`
      }))
      for (const version of ["one", "other"]) yield* store.append(partition, version, rows)
      const check = Effect.gen(function* () {
        const page = { split: "holdout", after: "00000100", limit: 10 } as const
        for (const work of yield* worksOf(sql)(store.page(partition, "one", page))) {
          assert.isAtMost(work.rows, 11, work.text)
        }
        const scan = Stream.runDrain(store.scan(partition, "one", "holdout"))
        const works = yield* worksOf(sql)(scan)
        assert.isNotEmpty(works)
        for (const work of works) assert.isAtMost(work.rows, count / holdoutEvery, work.text)
      })
      // Before the planner has looked at the table, and after.
      yield* check
      yield* analyze(sql)
      yield* check
    }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
  })
)
