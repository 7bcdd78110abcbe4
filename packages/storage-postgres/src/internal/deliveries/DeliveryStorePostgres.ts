/**
 * DeliveryStore on Postgres. Due deliveries live in a narrow table beside the history; a claim or a settlement is one
 * statement over a set, whose text is the same for any size. Ranges of ids divide the history, so each statement names the
 * first and the last id of its set. Prepared plans may date from empty tables, when every index seemed cheap: `(…) IS TRUE`
 * hides a condition from the planner that led to a wrong index.
 */
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import { type Delivery, laneOf } from "@limbeck/webhooks/delivery/Delivery"
import { type ClaimedDelivery, DeliveryStore, type InsertLease } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { hold } from "../connection/Writes.ts"
import * as Claims from "./DeliveryClaims.ts"
import * as DeadLetters from "./DeliveryDeadLetters.ts"
import * as History from "./DeliveryHistory.ts"
import * as Lookups from "./DeliveryLookups.ts"
import * as Pages from "./DeliveryPages.ts"
import { arraysOf, columnsOf, StoredDelivery, toDelivery } from "./DeliveryRows.ts"
import * as Settlements from "./DeliverySettlements.ts"
import * as Tallies from "./DeliveryTallies.ts"
import * as Times from "./DeliveryTimes.ts"
import * as Leases from "./Leases.ts"

// Every delivery is read so: a row takes 1.5 µs, and 4.8 µs interpreted.
const decodeClaimed = Schema.decodeUnknownEffect(
  compileOnUse(
    Schema.Array(
      Schema.Struct({ ...StoredDelivery.fields, partition: Schema.String, body: Schema.NullOr(Schema.String) })
    )
  )
)

const noneHeld: InsertLease = { ids: new Set(), leaseUntil: 0 }

export const make = Effect.fnUntraced(function* (sql: BoundedClient) {
  const columns = columnsOf(sql)
  const lookups = yield* Lookups.make(sql, columns)
  const claim = Claims.make(sql)
  const leases = Leases.make(sql)

  const nothing = sql.literal("")
  const countingDead = sql.literal(`, dead AS (SELECT partition, endpoint_id FROM made WHERE status = 'dead_lettered'),
    counted AS (${Tallies.add(Tallies.deadOf("dead", "new"))})`)

  const inserting = (
    partition: Partition,
    deliveries: ReadonlyArray<Delivery>,
    held: ReadonlyMap<string, number>,
    leaseUntil: number
  ) => {
    const written = arraysOf(deliveries)
    // Few if any: what is inserted has not been attempted.
    const retries = T.texts(deliveries.filter((delivery) => laneOf(delivery) === "retry").map(({ id }) => id))
    // None in service: only tests and benchmarks begin with dead letters.
    const hasDead = deliveries.some(({ status }) => status === "dead_lettered")
    return sql`
    WITH made AS (
      INSERT INTO deliveries (partition, id, endpoint_id, event_id, event_type, status, attempt_count,
        cycle_started_at, cycle_attempts, trigger, last_result, due_at, created_at, updated_at)
      SELECT ${partition.key}, * FROM unnest(
        ${written.ids}, ${written.endpointIds}, ${T.texts(deliveries.map(({ eventId }) => eventId))},
        ${T.texts(deliveries.map(({ eventType }) => eventType))}, ${written.statuses}, ${written.attemptCounts},
        ${written.cycleStarts}, ${written.cycleAttempts}, ${written.triggers}, ${written.lastResults}, ${written.dueTimes},
        ${T.ints(deliveries.map(({ createdAt }) => createdAt))}, ${written.updateTimes})
      RETURNING id, partition, endpoint_id, status, due_at, id = ANY(${retries}) AS retry
    )${hasDead ? countingDead : nothing}
    INSERT INTO deliveries_due (id, partition, endpoint_id, due_at, ready_at, lease, retry)
    SELECT made.id, partition, endpoint_id, due_at,
      CASE WHEN held.id IS NULL THEN due_at ELSE ${T.int(leaseUntil)} END, held.lease, retry
    FROM made LEFT JOIN unnest(${T.texts([...held.keys()])}, ${T.ints([...held.values()])}) AS held (id, lease)
      ON held.id = made.id
    WHERE due_at IS NOT NULL`
  }

  /** Leases for the due deliveries named in `held`. */
  const leasesOf = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>, held: InsertLease) {
    const due = deliveries.filter(({ dueAt, id }) => dueAt !== null && held.ids.has(id))
    const taken = due.length === 0 ? [] : yield* leases.take(due.length)
    return new Map(taken.map((lease, index) => [due[index]?.id ?? "", lease]))
  })

  /**
   * A statement of its own: one snapshot for claim and look-up could show the state before another's settlement. The text
   * is looked up row by row: for a join, the planner at times reads all events.
   */
  const read = Effect.fnUntraced(function* (claims: ReadonlyArray<Claims.Claim>) {
    const [first, last] = T.bounds(claims.map(({ id }) => id))
    const rows = yield* sql`
      SELECT ${columns}, d.partition,
        (SELECT body FROM events e WHERE e.partition = d.partition AND e.id = d.event_id) AS body
      FROM deliveries d
      WHERE d.id = ANY(${T.texts(claims.map(({ id }) => id))}) AND d.id BETWEEN ${first} AND ${last}`
    const found = new Map(
      (yield* decodeClaimed(rows)).map((stored) => [
        `${stored.id} ${stored.partition}`,
        { body: stored.body, delivery: toDelivery(stored) }
      ])
    )
    return claims.flatMap(({ id, lease, partition }): ReadonlyArray<ClaimedDelivery> => {
      const { body = null, delivery } = found.get(`${id} ${partition}`) ?? {}
      // A delivery without its event cannot be sent, and must not stop the others.
      return body === null || delivery === undefined ? [] : [{ partition: fromKey(partition), delivery, lease, body }]
    })
  })

  return DeliveryStore.of({
    insert: Effect.fnUntraced(function* (partition, deliveries, held = noneHeld) {
      if (deliveries.length === 0) return new Map()
      const given = yield* leasesOf(deliveries, held)
      yield* hold(sql, "DeliveryStore.insert")(inserting(partition, deliveries, given, held.leaseUntil))
      return given
    }, failAs("DeliveryStore.insert")),

    claimDue: Effect.fnUntraced(function* (options) {
      const claims = yield* claim(options)
      return claims.length === 0 ? [] : yield* read(claims)
    }, failAs("DeliveryStore.claimDue")),

    ...Settlements.make(sql),
    ...DeadLetters.make(sql, columns),
    ...History.make(sql),
    ...Pages.make(sql, columns),
    ...Times.make(sql),
    ...lookups
  })
})
