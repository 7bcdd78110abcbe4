/** Millions of copies of one run, delivery, event and call in Postgres: each with an id of its own time. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"

/** An id of a time in milliseconds, its time first (`Id.ts`). */
const idOf = `
CREATE FUNCTION pg_temp.id_of(prefix text, millis bigint, number bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((millis >> (5 * place)) & 31)::int, 1), ''
    ORDER BY place DESC) || lpad(number::text, 16, '0')
  FROM generate_series(0, 9) AS place $$`

const copyRuns = (count: number) => `
INSERT INTO limbeck.resources (kind, partition, id, revision, created_at, unique_key, labels, doc)
SELECT kind, partition, copy, revision, made, unique_key, labels, replace(doc::text, id, copy)::json
FROM (SELECT * FROM limbeck.resources WHERE kind = 'distill_run' LIMIT 1) AS run,
  generate_series(1, ${count}) AS number,
  LATERAL (SELECT created_at - number * 60000 AS made) AS times,
  LATERAL (SELECT pg_temp.id_of('run', made, number) AS copy) AS ids`

/** One in fifty is dead-lettered; about a sixth belong to the last day. */
const copyDeliveries = (count: number) => `
INSERT INTO limbeck.deliveries (id, partition, endpoint_id, event_id, event_type, status, attempt_count, cycle_started_at, cycle_attempts,
  trigger, last_result, due_at, created_at, updated_at)
SELECT pg_temp.id_of('del', created_at - number * 500, number), partition, endpoint_id, event_id, event_type,
  CASE WHEN number % 50 = 0 THEN 'dead_lettered' ELSE 'succeeded' END,
  1, cycle_started_at, 1, trigger, last_result, NULL, created_at - number * 500, created_at - number * 500
FROM (SELECT * FROM limbeck.deliveries LIMIT 1) AS delivery, generate_series(1, ${count}) AS number`

/** Each copied delivery had one attempt. */
const copyAttempts = `
INSERT INTO limbeck.attempts (id, partition, delivery_id, endpoint_id, number, trigger, succeeded, result, started_at)
SELECT 'att' || substr(delivery.id, 4), attempt.partition, delivery.id, attempt.endpoint_id, 1, attempt.trigger,
  delivery.status = 'succeeded', attempt.result, delivery.created_at
FROM (SELECT * FROM limbeck.attempts LIMIT 1) AS attempt, limbeck.deliveries AS delivery
WHERE delivery.id <> attempt.delivery_id`

/** What the server would have counted meanwhile. */
const countCopies = `
INSERT INTO limbeck.delivery_tallies AS tally (partition, endpoint_id, starts_at, attempts, succeeded, dead_lettered)
SELECT partition, endpoint_id, started_at - started_at % 300000, count(*), count(*) FILTER (WHERE succeeded), 0
FROM limbeck.attempts GROUP BY 1, 2, 3
UNION ALL
SELECT partition, endpoint_id, 9007199254740991, 0, 0, count(*) FROM limbeck.deliveries WHERE status = 'dead_lettered' GROUP BY 1, 2
ON CONFLICT (partition, endpoint_id, starts_at) DO UPDATE SET attempts = excluded.attempts, succeeded = excluded.succeeded,
  dead_lettered = excluded.dead_lettered`

const copyEvents = (count: number) => `
INSERT INTO limbeck.events (partition, id, type, created_at, body)
SELECT partition, copy, type, created_at - number * 500, replace(body, id, copy)
FROM (SELECT * FROM limbeck.events LIMIT 1) AS event, generate_series(1, ${count}) AS number,
  LATERAL (SELECT pg_temp.id_of('evt', created_at - number * 500, number) AS copy) AS ids`

/** Of the same source; one in ten by another model, one in fifty failed. */
const copyCalls = (count: number) => `
INSERT INTO limbeck.calls (partition, id, created_at, endpoint, source, source_name, model, served_by, tags, outcome, status_code,
  streamed, request, request_is_json, response, response_is_json, billed, latency_millis, first_token_millis)
SELECT partition, pg_temp.id_of('call', created_at - number * 500, number), created_at - number * 500, endpoint, source, source_name,
  CASE WHEN number % 10 = 0 THEN 'other-model' ELSE model END, served_by, tags,
  CASE WHEN number % 50 = 0 THEN 'failed' ELSE outcome END, status_code,
  streamed, request, request_is_json, response, response_is_json, billed, latency_millis, first_token_millis
FROM (SELECT * FROM limbeck.calls LIMIT 1) AS call, generate_series(1, ${count}) AS number`

/** How many of each; of events and calls none by default. */
export interface Counts {
  readonly runs: number
  readonly deliveries: number
  readonly events?: number
  readonly calls?: number
}

export const make = (url: string, { calls = 0, deliveries, events = 0, runs }: Counts): Promise<void> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    const copies = [
      copyRuns(runs),
      copyDeliveries(deliveries),
      copyAttempts,
      countCopies,
      copyEvents(events),
      copyCalls(calls)
    ]
    // On one connection, because the function is temporary.
    yield* sql.withTransaction(
      Effect.forEach([idOf, ...copies], (text) => sql`${sql.literal(text)}`, { discard: true })
    )
    // Postgres's maintenance after such a load must not affect the measurement.
    yield* sql`VACUUM ANALYZE`.unprepared
    yield* sql`CHECKPOINT`.unprepared
  }).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make), Effect.scoped, Effect.runPromise)
