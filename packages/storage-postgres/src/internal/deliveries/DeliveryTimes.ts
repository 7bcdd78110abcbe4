/** The time methods of DeliveryStore: next due time, age, and deliveries postponed by a wrong clock. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Millis } from "@limbeck/core/time/Timestamp"
import type { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const decodeTime = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ at: Schema.NullOr(Millis) })]))

type Methods = Pick<DeliveryStore["Service"], "pullForward" | "nextDueAt" | "oldest">

export const make = (sql: PgClient.PgClient): Methods => ({
  pullForward: Effect.fnUntraced(function* ({ latest, leaseUntil, now }) {
    // Freed leases are negative numbers. Skips rows under a concurrent write, which sets their times anew.
    const rows = yield* sql`
      WITH ahead AS (
        SELECT id, partition FROM deliveries_due due
        WHERE ready_at > ${T.int(latest)} AND (lease > 0 OR EXISTS (
          SELECT FROM deliveries d
          WHERE d.id = due.id AND d.partition = due.partition AND d.updated_at > ${T.int(latest)}
        ))
        FOR UPDATE SKIP LOCKED
      ), moved AS (
        UPDATE deliveries_due due SET ready_at = CASE WHEN lease > 0 THEN ${T.int(leaseUntil)} ELSE ${T.int(now)} END
        FROM ahead WHERE due.id = ahead.id AND due.partition = ahead.partition
        RETURNING due.id, due.partition
      ), told AS (
        UPDATE deliveries d SET due_at = least(due_at, ${T.int(now)})
        FROM moved WHERE d.id = moved.id AND (d.partition = moved.partition) IS TRUE
      )
      SELECT count(*)::int AS count FROM moved`
    return (yield* decodeCount(rows))[0].count
  }, failAs("DeliveryStore.pullForward")),

  nextDueAt: Effect.gen(function* () {
    const [{ at }] = yield* decodeTime(
      yield* sql`SELECT least((SELECT min(ready_at) FROM deliveries_due WHERE NOT retry),
        (SELECT min(ready_at) FROM deliveries_due WHERE retry)) AS at`
    )
    return at
  }).pipe(Effect.withSpan("DeliveryStore.nextDueAt"), failAs("DeliveryStore.nextDueAt")),

  oldest: Effect.gen(function* () {
    const [{ at }] = yield* decodeTime(yield* sql`SELECT (SELECT created_at FROM deliveries ORDER BY id LIMIT 1) AS at`)
    return at
  }).pipe(Effect.withSpan("DeliveryStore.oldest"), failAs("DeliveryStore.oldest"))
})
