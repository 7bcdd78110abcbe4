import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Notes from "@limbeck/testing/fixtures/Notes"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CurrentTransformer } from "effect/sql/Statement"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { analyze, client, freshSchema, url } from "./Database.ts"

const decodePlan = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.String })))

const count = 3_000

/** Enough rows of several partitions that a table scan is never the best plan. */
const fill = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const events = yield* EventStore
  const queue = yield* Queue
  const rows = yield* RowStore
  const partitions = Array.from({ length: 10 }, () => Fresh.partition())
  for (const partition of partitions) {
    const made = Events.events(partition, count / 10)
    yield* events.append(partition, made)
    const notes = made.map((_, index) => Notes.note({ title: `${index}`, tags: [`status:${index % 50}`] }))
    yield* Effect.forEach(notes, (note) => resources.insert(partition, Notes.kind, note), { concurrency: 8 })
    yield* rows.append(
      partition,
      "version",
      made.map(({ id }) => ({ key: id, split: "train", body: "{}" }))
    )
    const subjects = made.map(({ id }) => id)
    yield* Effect.forEach(subjects, (id) => queue.offer(partition, "topic", id, Fresh.start), { concurrency: 8 })
  }
  return partitions[0]!
})

it.live("every hot statement finds its rows by an index, however large the tables are", () =>
  Effect.gen(function* () {
    const schema = yield* freshSchema
    const sql = yield* client(schema)
    yield* Effect.gen(function* () {
      const partition = yield* fill
      yield* analyze(sql)

      const explained: Array<string> = []
      /** Explains each statement of a call instead of running it. */
      const explain = <A, E, R>(call: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const seen: Array<readonly [string, ReadonlyArray<unknown>]> = []
          const observed = Effect.provideService(call, CurrentTransformer, (statement) => {
            seen.push(statement.compile())
            return Effect.succeed(statement)
          })
          yield* observed
          for (const [text, parameters] of seen) {
            const lines = yield* decodePlan(yield* sql.unsafe(`EXPLAIN ${text}`, parameters))
            const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
            explained.push(text)
            assert.notMatch(plan, /Seq Scan/, `${text}\n${plan}`)
          }
        })

      const resources = yield* ResourceStore
      const events = yield* EventStore
      const queue = yield* Queue
      const rows = yield* RowStore
      const at = { now: Fresh.start + 10 ** 6, limit: 20, leaseUntil: Fresh.start + 10 ** 9 }
      const page = { ...firstPage(20), after: Fresh.id("note") }
      const forward = { position: "1.", pattern: null, limit: 20, createdAfter: null, createdBefore: null }

      yield* explain(resources.find(partition, Notes.kind, "id"))
      yield* explain(resources.findUnique(partition, Notes.kind, "7"))
      yield* explain(resources.findMany(partition, Notes.kind, ["a", "b"]))
      yield* explain(resources.page(partition, Notes.kind, [], page))
      yield* explain(resources.page(partition, Notes.kind, ["status:1"], page))
      yield* explain(resources.findByLabels(partition, Notes.kind, ["status:1"]))
      yield* explain(Effect.flatMap(CredentialStore, (credentials) => credentials.findByDigest("d")))
      yield* explain(events.find(partition, "id"))
      yield* explain(events.page(partition, null, page))
      yield* explain(events.pageForward(partition, forward))
      yield* explain(rows.page(partition, "version", { split: "train", after: "a", limit: 20 }))
      yield* explain(queue.claim({ topic: "topic", ...at }))
      yield* explain(queue.nextDueAt("topic"))
      const work = { partition, topic: "topic", subject: "subject", lease: 1 }
      for (const next of ["held", "done", Fresh.start] as const) yield* explain(queue.conclude([{ work, next }]))
      const stored = [{ value: Notes.note(), revision: 0 }]
      yield* explain(Effect.ignore(resources.compareAndSetMany(partition, Notes.kind, stored)))
      assert.strictEqual(explained.length, 17)
    }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
  })
)
