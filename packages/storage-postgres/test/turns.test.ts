import { assert, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"
import { worksOf } from "./Plans.ts"

const now = 1_000_000

it.live("a claim in turns steps from partition to partition, and never over the items that one has waiting", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const sql = yield* client(schema)
    yield* Effect.gen(function* () {
      const queue = yield* Queue
      const [crowded, ...others] = Array.from({ length: 500 }, () => Fresh.partition()).toSorted((a, b) =>
        a.key < b.key ? -1 : 1
      )
      yield* sql`
        INSERT INTO work (partition, topic, subject, due_at, ready_at)
        SELECT ${crowded!.key}, 'run', 'subject' || n, n, n FROM generate_series(1, 50000) n`
      yield* Effect.forEach(others, (partition, n) => queue.offer(partition, "run", "subject", 100_000 + n), {
        concurrency: 8,
        discard: true
      })
      yield* sql`ANALYZE work`.unprepared

      const claim = (behind: string, limit = 8) =>
        queue.claim({ topic: "run", now, limit, leaseUntil: now + 1_000, behind })
      for (const behind of ["", crowded!.key, others[250]!.key, others.at(-1)!.key]) {
        for (const { pages, plan, rows, scanned } of yield* worksOf(sql)(claim(behind))) {
          assert.deepStrictEqual(
            scanned.filter((table) => table !== ""),
            [],
            JSON.stringify(plan)
          )
          assert.isAtMost(rows, 100, JSON.stringify(plan))
          assert.isAtMost(pages, 500, JSON.stringify(plan))
        }
      }
      const single = others[250]!
      const [work] = yield* claim(others[249]!.key, 1)
      assert.strictEqual(work?.partition.key, single.key)
    }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
  })
)
