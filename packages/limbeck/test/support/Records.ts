/** The database's final events, deliveries, and recorded attempts. */

import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Event = Schema.Struct({ id: Schema.String, type: Schema.String })

const Delivery = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  endpointId: Schema.String,
  status: Schema.String,
  attemptCount: Schema.Int,
  createdAt: Schema.Int
})
export type Delivery = typeof Delivery.Type

const Attempt = Schema.Struct({
  deliveryId: Schema.String,
  number: Schema.Int,
  /** The arrival's number, from the receiver's response. */
  arrival: Schema.Int,
  statusCode: Schema.Int
})
export type Attempt = typeof Attempt.Type

const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(Event))
const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(Delivery))
const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))
const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: Schema.Int })))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

/** A fresh schema, dropped at the end, with its contents. */
export const open = async (atEnd: AtEnd) => {
  const { schema, sql } = await Database.openSchema(atEnd)
  return {
    schema,
    /** Deliveries that are not final. */
    openCount: () =>
      Effect.runPromise(
        Effect.flatMap(
          sql`SELECT count(*) AS count FROM deliveries WHERE status NOT IN ('succeeded', 'dead_lettered')`,
          decodeCount
        )
      ).then(([{ count }]) => count),
    /** Items of work that a worker has not given back. */
    heldCount: () =>
      Effect.runPromise(
        Effect.flatMap(sql`SELECT count(*) AS count FROM work WHERE lease IS NOT NULL`, decodeCount)
      ).then(([{ count }]) => count),
    events: () => Effect.runPromise(Effect.flatMap(sql`SELECT id, type FROM events ORDER BY id`, decodeEvents)),
    deliveries: () =>
      Effect.runPromise(
        Effect.flatMap(
          sql`SELECT id, event_id AS "eventId", endpoint_id AS "endpointId", status, attempt_count AS "attemptCount",
            created_at AS "createdAt" FROM deliveries ORDER BY id`,
          decodeDeliveries
        )
      ),
    /** In the order of the deliveries. */
    dueTimes: () =>
      Effect.runPromise(
        Effect.flatMap(sql`SELECT due_at AS at FROM deliveries WHERE due_at IS NOT NULL ORDER BY id`, decodeTimes)
      ).then((rows) => rows.map(({ at }) => at)),
    /** By delivery, and as they count. */
    attempts: () =>
      Effect.runPromise(
        Effect.flatMap(
          sql`SELECT delivery_id AS "deliveryId", number, (result->>'bodySnippet')::bigint AS arrival,
            (result->>'statusCode')::bigint AS "statusCode" FROM attempts ORDER BY delivery_id, number, id`,
          decodeAttempts
        )
      )
  }
}
