/**
 * DeliveryStore on Postgres. What is due lives in a narrow table of its own beside the history; claims and settlements
 * are sets, one statement each, whose text never changes with their size. The history is divided into ranges of ids, so
 * statements tell the first and the last id they are about. A plan is kept from when the tables were empty and everything
 * seemed cheap: `(…) IS TRUE` around a condition takes it away from the planner where it chose a wrong index by it.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { Attempt, Delivery, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import {
  type ClaimedDelivery,
  type DeliveryStats,
  DeliveryStore,
  type Held,
  type Settlement
} from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Claims from "./DeliveryClaims.ts"
import * as DeadLetters from "./DeliveryDeadLetters.ts"
import * as History from "./DeliveryHistory.ts"
import * as Pages from "./DeliveryPages.ts"
import * as DueVacuum from "./DueVacuum.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(Delivery))
const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(Attempt))

const decodeClaimed = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...Delivery.fields, partition: Schema.String, body: Schema.NullOr(Schema.String) }))
)

const decodeLeases = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String, lease: Schema.Int })))
const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ place: Schema.Int })))
const decodeNext = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ at: Schema.NullOr(Millis) })]))

const decodeStats = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      endpointId: Schema.String,
      attempts: Schema.Int,
      succeeded: Schema.Int,
      pending: Schema.Int,
      deadLettered: Schema.Int
    })
  )
)

const noneHeld: Held = { ids: new Set(), leaseUntil: 0 }

/**
 * A lease is given once, so it tells the place of its settlement in arrays that are sorted by it: a binary search for each
 * row, where looking for it in the array would be quadratic. A freed lease is kept as its negative.
 */
const place = "width_bucket(lease, $2)"
const isHeld = `id = ANY($1) AND lease = ($2)[${place}] AND id = ($1)[${place}] AND partition = ($3)[${place}]`

/**
 * Frees the leases that are still held and writes what belongs to them; the others match nothing. $1 ids, $2 leases, $3
 * partitions, $4 due times, $5 to $11 the new states. $12 to $18 are the attempts; $12 is the place of their settlement.
 * $19 and $20 are the first and the last id.
 */
const settlement = `
  WITH ended AS (
    DELETE FROM deliveries_due WHERE ${isHeld} AND ($4)[${place}] IS NULL
    RETURNING id, partition, endpoint_id, lease
  ), again AS (
    UPDATE deliveries_due SET ready_at = ($4)[${place}], lease = -lease,
      retry = ($6)[${place}] > 0 OR ($9)[${place}] = 'manual'
    WHERE ${isHeld} AND ($4)[${place}] IS NOT NULL
    RETURNING id, partition, endpoint_id, -lease AS lease
  ), held AS MATERIALIZED (
    SELECT id, partition, endpoint_id, ${place} AS place FROM (SELECT * FROM ended UNION ALL SELECT * FROM again) freed
  ), written AS (
    UPDATE deliveries d SET
      due_at = ($4)[place], status = ($5)[place], attempt_count = ($6)[place], cycle_started_at = ($7)[place],
      cycle_attempts = ($8)[place], trigger = ($9)[place], last_result = ($10)[place], updated_at = ($11)[place]
    FROM held WHERE d.id = held.id AND (d.partition = held.partition) IS TRUE AND d.id BETWEEN $19 AND $20
  ), attempted AS (
    INSERT INTO attempts (partition, delivery_id, endpoint_id, id, number, trigger, succeeded, result, started_at)
    SELECT partition, held.id, endpoint_id, attempt.id, number, trigger, succeeded, result, started_at
    FROM unnest($12, $13, $14, $15, $16, $17, $18) AS attempt (place, id, number, trigger, succeeded, result, started_at)
    JOIN held USING (place)
  )
  SELECT place FROM held`

/** Settlements in which no lease comes twice, sorted by it; one that is said again waits for the next round. */
const rounds = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<ReadonlyArray<Settlement>> => {
  const made: Array<Map<number, Settlement>> = []
  for (const settlement of settlements) {
    const round = made.find((round) => !round.has(settlement.lease)) ?? new Map<number, Settlement>()
    if (round.size === 0) made.push(round)
    round.set(settlement.lease, settlement)
  }
  return made.map((round) => [...round.values()].toSorted((a, b) => a.lease - b.lease))
}

/** A delivery, read from `deliveries d`. */
const columnsOf = (sql: PgClient.PgClient) =>
  sql.literal(`d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId",
    d.event_type AS "eventType", d.status, d.attempt_count AS "attemptCount", d.cycle_started_at AS "cycleStartedAt",
    d.cycle_attempts AS "cycleAttempts", d.trigger, d.last_result AS "lastResult", d.due_at AS "dueAt",
    d.created_at AS "createdAt", d.updated_at AS "updatedAt"`)

export const make = (sql: PgClient.PgClient): DeliveryStore["Service"] => {
  const columns = columnsOf(sql)
  const haveLeft = DueVacuum.make(sql)
  const claim = Claims.make(sql)

  /** Answers those of `held` with their leases. */
  const insert = (partition: Partition, deliveries: ReadonlyArray<Delivery>, held: Held) => sql`
    WITH made AS (
      INSERT INTO deliveries (partition, id, endpoint_id, event_id, event_type, status, attempt_count,
        cycle_started_at, cycle_attempts, trigger, last_result, due_at, created_at, updated_at)
      SELECT ${partition.key}, * FROM unnest(
        ${T.texts(deliveries.map(({ id }) => id))},
        ${T.texts(deliveries.map(({ endpointId }) => endpointId))},
        ${T.texts(deliveries.map(({ eventId }) => eventId))},
        ${T.texts(deliveries.map(({ eventType }) => eventType))},
        ${T.texts(deliveries.map(({ status }) => status))},
        ${T.ints(deliveries.map(({ attemptCount }) => attemptCount))},
        ${T.ints(deliveries.map(({ cycleStartedAt }) => cycleStartedAt))},
        ${T.ints(deliveries.map(({ cycleAttempts }) => cycleAttempts))},
        ${T.texts(deliveries.map(({ trigger }) => trigger))},
        ${T.jsons(deliveries.map(({ lastResult }) => lastResult))},
        ${T.ints(deliveries.map(({ dueAt }) => dueAt))},
        ${T.ints(deliveries.map(({ createdAt }) => createdAt))},
        ${T.ints(deliveries.map(({ updatedAt }) => updatedAt))})
      RETURNING id, partition, endpoint_id, due_at, attempt_count > 0 OR trigger = 'manual' AS retry
    ), due AS (
      INSERT INTO deliveries_due (id, partition, endpoint_id, due_at, ready_at, lease, retry)
      SELECT made.id, partition, endpoint_id, due_at,
        CASE WHEN held.id IS NULL THEN due_at ELSE ${T.int(held.leaseUntil)} END,
        CASE WHEN held.id IS NULL THEN NULL ELSE nextval('leases') END, retry
      FROM made LEFT JOIN unnest(${T.texts([...held.ids])}) AS held (id) ON held.id = made.id
      WHERE due_at IS NOT NULL
      RETURNING id, lease
    )
    SELECT id, lease FROM due WHERE lease IS NOT NULL`

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
      (yield* decodeClaimed(rows)).map(({ body, partition, ...delivery }) => [
        `${delivery.id} ${partition}`,
        { body, delivery }
      ])
    )
    return claims.flatMap(({ id, lease, partition }): ReadonlyArray<ClaimedDelivery> => {
      const { body = null, delivery } = found.get(`${id} ${partition}`) ?? {}
      // Without its event there is nothing to send, and one such must not stop the others.
      return body === null || delivery === undefined ? [] : [{ partition: fromKey(partition), delivery, lease, body }]
    })
  })

  const settle = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>) {
    const deliveries = settlements.map(({ delivery }) => delivery)
    const made = settlements.flatMap(({ attempt }, index) => (attempt === null ? [] : [{ attempt, place: index + 1 }]))
    const attempts = made.map(({ attempt }) => attempt)
    const rows = yield* sql.unsafe(settlement, [
      T.texts(deliveries.map(({ id }) => id)),
      T.ints(settlements.map(({ lease }) => lease)),
      T.texts(settlements.map(({ partition }) => partition.key)),
      T.ints(deliveries.map(({ dueAt }) => dueAt)),
      T.texts(deliveries.map(({ status }) => status)),
      T.ints(deliveries.map(({ attemptCount }) => attemptCount)),
      T.ints(deliveries.map(({ cycleStartedAt }) => cycleStartedAt)),
      T.ints(deliveries.map(({ cycleAttempts }) => cycleAttempts)),
      T.texts(deliveries.map(({ trigger }) => trigger)),
      T.jsons(deliveries.map(({ lastResult }) => lastResult)),
      T.ints(deliveries.map(({ updatedAt }) => updatedAt)),
      T.ints(made.map(({ place }) => place)),
      T.texts(attempts.map(({ id }) => id)),
      T.ints(attempts.map(({ number }) => number)),
      T.texts(attempts.map(({ trigger }) => trigger)),
      T.bools(attempts.map(({ result }) => isSuccess(result))),
      T.jsons(attempts.map(({ result }) => result)),
      T.ints(attempts.map(({ startedAt }) => startedAt)),
      ...T.bounds(deliveries.map(({ id }) => id))
    ])
    return (yield* decodePlaces(rows)).map(({ place }) => settlements[place - 1])
  })

  return DeliveryStore.of({
    insert: Effect.fnUntraced(function* (partition, deliveries, held = noneHeld) {
      if (deliveries.length === 0) return new Map()
      const leases = yield* decodeLeases(yield* insert(partition, deliveries, held))
      return new Map(leases.map(({ id, lease }) => [id, lease]))
    }, failAs("DeliveryStore.insert")),

    claimDue: Effect.fnUntraced(function* (options) {
      const claims = yield* claim(options)
      return claims.length === 0 ? [] : yield* read(claims)
    }, failAs("DeliveryStore.claimDue")),

    settle: Effect.fnUntraced(function* (settlements) {
      const written = yield* Effect.forEach(rounds(settlements), settle)
      yield* haveLeft(settlements.length)
      const applied = new Set(written.flat())
      return settlements.flatMap((one) => (applied.has(one) ? [] : [one.delivery.id]))
    }, failAs("DeliveryStore.settle")),

    ...DeadLetters.make(sql, columns),

    ...History.make(sql),

    ...Pages.make(sql, columns),

    nextDueAt: Effect.gen(function* () {
      const [{ at }] = yield* decodeNext(
        yield* sql`SELECT least((SELECT min(ready_at) FROM deliveries_due WHERE NOT retry),
          (SELECT min(ready_at) FROM deliveries_due WHERE retry)) AS at`
      )
      return at
    }).pipe(Effect.withSpan("DeliveryStore.nextDueAt"), failAs("DeliveryStore.nextDueAt")),

    oldest: Effect.gen(function* () {
      const [{ at }] = yield* decodeNext(
        yield* sql`SELECT (SELECT created_at FROM deliveries ORDER BY id LIMIT 1) AS at`
      )
      return at
    }).pipe(Effect.withSpan("DeliveryStore.oldest"), failAs("DeliveryStore.oldest")),

    find: Effect.fnUntraced(function* (partition, endpointId, id) {
      const rows = yield* sql`
        SELECT ${columns} FROM deliveries d
        WHERE id = ${T.text(id)} AND partition = ${partition.key} AND endpoint_id = ${T.text(endpointId)}`
      return Option.fromUndefinedOr((yield* decodeDeliveries(rows))[0])
    }, failAs("DeliveryStore.find")),

    attempts: Effect.fnUntraced(function* (partition, deliveryId) {
      const rows = yield* sql`
        SELECT id, delivery_id AS "deliveryId", number, trigger, result, started_at AS "startedAt" FROM attempts
        WHERE partition = ${partition.key} AND delivery_id = ${T.text(deliveryId)} ORDER BY number`
      return yield* decodeAttempts(rows)
    }, failAs("DeliveryStore.attempts")),

    stats: Effect.fnUntraced(function* (partition, endpointIds, since) {
      const ids = T.texts(endpointIds)
      const rows = yield* sql`
        SELECT endpoint_id AS "endpointId", sum(attempts)::bigint AS attempts, sum(succeeded)::bigint AS succeeded,
          sum(pending)::bigint AS pending, sum(dead_lettered)::bigint AS "deadLettered"
        FROM (
          SELECT endpoint_id, count(*) AS attempts, count(*) FILTER (WHERE succeeded) AS succeeded,
            0 AS pending, 0 AS dead_lettered
          FROM attempts
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) AND succeeded = ANY(${T.bools([true, false])})
            AND started_at >= ${T.int(since)}
          GROUP BY endpoint_id
          UNION ALL
          SELECT endpoint_id, 0, 0, count(*), 0 FROM deliveries_due
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) GROUP BY endpoint_id
          UNION ALL
          SELECT endpoint_id, 0, 0, 0, count(*) FROM deliveries
          WHERE partition = ${partition.key} AND endpoint_id = ANY(${ids}) AND status = 'dead_lettered'
          GROUP BY endpoint_id
        ) counted GROUP BY endpoint_id`
      const counted = yield* decodeStats(rows)
      return new Map(counted.map(({ endpointId, ...stats }): [string, DeliveryStats] => [endpointId, stats]))
    }, failAs("DeliveryStore.stats"))
  })
}
