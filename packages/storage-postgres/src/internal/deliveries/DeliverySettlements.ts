/** Writes the outcomes of claimed deliveries: one statement for a batch, whose text never changes with its size. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type Attempt, type Delivery, isSuccess } from "@limbeck/webhooks/delivery/Delivery"
import type { DeliveryStore, Settlement } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { arraysOf } from "./DeliveryRows.ts"
import * as Tallies from "./DeliveryTallies.ts"
import * as DueVacuum from "./DueVacuum.ts"

const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ place: Schema.Int })))

/**
 * Each lease number is unique, so a row finds its settlement by a binary search for its lease in the sorted arrays; a
 * linear search would be quadratic. A freed lease is stored as its negative.
 */
const place = "width_bucket(lease, $2)"
const isHeld = `id = ANY($1) AND lease = ($2)[${place}] AND id = ($1)[${place}] AND partition = ($3)[${place}]`

/**
 * Frees current leases, writes their settlements and counts them; stale leases match nothing. $1 ids, $2 leases, $3
 * partitions, $4 due times, $5 to $11 the new states. $12 to $18 are the attempts; $12 is the index of their settlement,
 * and $17 the receiver's response, or null if the new state holds the same. $19 and $20 are the first and the last id, $21
 * whether each is a retry.
 */
const settlementThat = ({ counts, freed }: { readonly counts: ReadonlyArray<string>; readonly freed: string }) => `
  WITH ended AS (
    DELETE FROM deliveries_due WHERE ${isHeld} AND ($4)[${place}] IS NULL
    RETURNING id, partition, endpoint_id, lease
  ), ${freed}
  ), written AS (
    UPDATE deliveries d SET
      due_at = ($4)[place], status = ($5)[place], attempt_count = ($6)[place], cycle_started_at = ($7)[place],
      cycle_attempts = ($8)[place], trigger = ($9)[place], last_result = ($10)[place], updated_at = ($11)[place]
    FROM held WHERE d.id = held.id AND (d.partition = held.partition) IS TRUE AND d.id BETWEEN $19 AND $20
  ), attempted AS (
    INSERT INTO attempts (partition, delivery_id, endpoint_id, id, number, trigger, succeeded, result, started_at)
    SELECT partition, held.id, endpoint_id, attempt.id, number, trigger, succeeded, coalesce(result, ($10)[place]), started_at
    FROM unnest($12, $13, $14, $15, $16, $17, $18) AS attempt (place, id, number, trigger, succeeded, result, started_at)
    JOIN held USING (place)
    RETURNING partition, endpoint_id, started_at, succeeded
  ), told AS (${Tallies.add(...counts)})
  SELECT place FROM held`

const attempts = Tallies.attemptsOf("attempted")
const dead = Tallies.deadOf("held WHERE ($5)[place] = 'dead_lettered'", "new")

const heldOf = (source: string) => `held AS MATERIALIZED (
    SELECT id, partition, endpoint_id, ${place} AS place FROM ${source}`

const onlyEnded = heldOf("ended")

/** With those that are due again. */
const all = `again AS (
    UPDATE deliveries_due SET ready_at = ($4)[${place}], lease = -lease, retry = ($21)[${place}]
    WHERE ${isHeld} AND ($4)[${place}] IS NOT NULL
    RETURNING id, partition, endpoint_id, -lease AS lease
  ), ${heldOf("(SELECT * FROM ended UNION ALL SELECT * FROM again) freed")}`

/**
 * Most batches hold successes only; statements for other outcomes cost as much again as freeing a lease, or half the cost
 * of counting.
 */
const succeeding = settlementThat({ counts: [attempts], freed: onlyEnded })
const retrying = settlementThat({ counts: [attempts], freed: all })
const givingUp = settlementThat({ counts: [attempts, dead], freed: all })

const statementOf = (settlements: ReadonlyArray<Settlement>): string => {
  if (settlements.some(({ delivery }) => delivery.status === "dead_lettered")) return givingUp
  return settlements.some(({ delivery }) => delivery.dueAt !== null) ? retrying : succeeding
}

/**
 * Splits settlements into rounds without duplicate leases, each sorted by lease; a second settlement of a lease waits for
 * the next round.
 */
const rounds = (settlements: ReadonlyArray<Settlement>): ReadonlyArray<ReadonlyArray<Settlement>> => {
  const made: Array<Map<number, Settlement>> = []
  for (const settlement of settlements) {
    const round = made.find((round) => !round.has(settlement.lease)) ?? new Map<number, Settlement>()
    if (round.size === 0) made.push(round)
    round.set(settlement.lease, settlement)
  }
  return made.map((round) => [...round.values()].toSorted((a, b) => a.lease - b.lease))
}

/** Null if the delivery's last result is stored as the same JSON. */
const resultOf = ({ result }: Attempt, { lastResult, traceparent }: Delivery) =>
  result === lastResult && traceparent === null ? null : result

/** As `settlementThat` counts its parameters. */
const parametersOf = (settlements: ReadonlyArray<Settlement>) => {
  const deliveries = settlements.map(({ delivery }) => delivery)
  const made = settlements.flatMap(({ attempt, delivery }, index) =>
    attempt === null ? [] : [{ attempt, place: index + 1, result: resultOf(attempt, delivery) }]
  )
  const attempts = made.map(({ attempt }) => attempt)
  const written = arraysOf(deliveries)
  return [
    written.ids,
    T.ints(settlements.map(({ lease }) => lease)),
    T.texts(settlements.map(({ partition }) => partition.key)),
    written.dueTimes,
    written.statuses,
    written.attemptCounts,
    written.cycleStarts,
    written.cycleAttempts,
    written.triggers,
    written.lastResults,
    written.updateTimes,
    T.ints(made.map(({ place }) => place)),
    T.texts(attempts.map(({ id }) => id)),
    T.ints(attempts.map(({ number }) => number)),
    T.texts(attempts.map(({ trigger }) => trigger)),
    T.bools(attempts.map(({ result }) => isSuccess(result))),
    T.jsons(made.map(({ result }) => result)),
    T.ints(attempts.map(({ startedAt }) => startedAt)),
    ...T.bounds(deliveries.map(({ id }) => id)),
    written.retries
  ]
}

export const make = (sql: PgClient.PgClient): Pick<DeliveryStore["Service"], "settle"> => {
  const haveLeft = DueVacuum.make(sql)

  /** Returns those whose lease was still held. */
  const settle = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>) {
    const rows = yield* sql.unsafe(statementOf(settlements), parametersOf(settlements))
    return (yield* decodePlaces(rows)).map(({ place }) => settlements[place - 1])
  })

  return {
    settle: Effect.fnUntraced(function* (settlements) {
      const written = yield* Effect.forEach(rounds(settlements), settle)
      yield* haveLeft(settlements.length)
      const applied = new Set(written.flat())
      return settlements.flatMap((one) => (applied.has(one) ? [] : [one.delivery.id]))
    }, failAs("DeliveryStore.settle"))
  }
}
