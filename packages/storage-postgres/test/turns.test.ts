import { assert, it } from "@effect/vitest"
import type { Partition } from "@limbeck/core/partition/Partition"
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

      const claim = (behind: string, limit = 8, held: ReadonlyArray<Partition> = []) => {
        const counts = new Map(held.map(({ workspace }) => [workspace, 2]))
        const turns = { behind, free: 16, held: counts }
        return queue.claim({ topic: "run", now, limit, leaseUntil: now + 1_000, turns })
      }
      const assertSteps = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown>, most: number) {
        for (const { pages, plan, rows, scanned } of yield* worksOf(sql)(call)) {
          assert.deepStrictEqual(
            scanned.filter((table) => table !== ""),
            [],
            JSON.stringify(plan)
          )
          assert.isAtMost(rows, most, JSON.stringify(plan))
          assert.isAtMost(pages, 5 * most, JSON.stringify(plan))
        }
      })
      for (const behind of ["", crowded!.key, others[250]!.key, others.at(-1)!.key]) {
        yield* assertSteps(claim(behind), 100)
        yield* assertSteps(claim(behind, 8, [crowded!, ...others.slice(0, 3)]), 150)
      }
      yield* assertSteps(queue.nextDueAt("run", [crowded!.workspace]), 1_000)
      const single = others[250]!
      const [work] = yield* claim(others[249]!.key, 1)
      assert.strictEqual(work?.partition.key, single.key)
    }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
  })
)
