import { assert, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { client, freshSchema, url } from "./Database.ts"

const batch = 4_000

/** A delivery each for many events, all made and done with. */
const finish = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const partition = Fresh.partition()
  const made = Events.events(partition, batch)
  yield* Effect.flatMap(EventStore, (events) => events.append(partition, made))
  const endpointId = Deliveries.endpointId()
  const deliveries = made.map((event) => Deliveries.delivery(event, endpointId))
  const leases = yield* store.insert(partition, deliveries, {
    ids: new Set(deliveries.map(({ id }) => id)),
    leaseUntil: Fresh.start + 10 ** 9
  })
  yield* store.settle(
    deliveries.map((delivery) =>
      Deliveries.successOf({ partition, delivery, lease: leases.get(delivery.id) ?? 0, body: "" })
    )
  )
})

it.live(
  "the table of what is due is vacuumed while deliveries pass through it, long before autovacuum looks (P47)",
  () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      const storage = yield* Layer.build(StoragePostgres.layer({ url, schema }))
      const sql = yield* client(schema)
      const vacuums = Effect.map(
        sql.unsafe(
          "SELECT vacuum_count::int AS count FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'deliveries_due'",
          [schema]
        ),
        ([row]) => Number(Object(row).count)
      )
      // A vacuum leaves the table to a concurrent one.
      yield* sql`ALTER TABLE deliveries_due SET (autovacuum_enabled = false)`.unprepared
      yield* Effect.provideContext(Effect.repeat(finish, { times: 4 }), storage)
      // The vacuum continues beside the last deliveries, and statistics follow a moment later.
      const seen = yield* Effect.repeat(vacuums, {
        until: (count) => count > 0,
        schedule: Schedule.spaced("100 millis"),
        times: 1_000
      })
      assert.isAbove(seen, 0)
    })
)
