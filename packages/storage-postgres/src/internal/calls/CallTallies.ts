/**
 * Tallies of stored calls, by the rules of `TallyRules`, so that metrics need no scan of calls:
 *
 *     width  starts_at          source  model  served_by  calls  …
 *     hour   2026-11-28T09:00   src_1   large  upstream      41
 *     day    2026-11-28T00:00   src_1   large  upstream     903
 *
 * The statement that adds calls also adds to these rows, after it has locked the usage of their day. So transactions that write
 * the same tallies wait for each other at that lock alone, whatever the order of their tallies.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallStore } from "@limbeck/capture/call/CallStore"
import { CallTally } from "@limbeck/capture/metrics/CallTally"
import { latencyBounds, widthMillis } from "@limbeck/capture/metrics/TallyRules"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"

/** Tallies per statement of a read. */
const talliesPerRead = 1_000

/** What a tally is counted from; `source` of the CTEs below has these columns. */
export const countedColumns = `partition, created_at, source, model, served_by, deployment, outcome, input_tokens, output_tokens,
  cost_micros, student_micros, latency_millis, verifies`

const starting = (width: keyof typeof widthMillis) => `('${width}', created_at - created_at % ${widthMillis[width]})`

const isPricedUpstream = "deployment IS NOT NULL AND served_by <> 'student' AND cost_micros IS NOT NULL"

/**
 * CTEs of a statement that adds calls. `added` returns the added calls, and `locked` a row for each locked usage.
 * The calls are counted by bucket first, because a histogram needs one count for each of its buckets.
 */
export const additionSql = (added: string, locked: string): string => `
  counted_calls AS (
    SELECT partition, width, starts_at, source, model, served_by, deployment,
      CASE WHEN outcome = 'succeeded' THEN width_bucket(latency_millis, '{${latencyBounds.join(",")}}'::bigint[]) END AS bucket,
      count(*) AS calls, count(*) FILTER (WHERE outcome = 'failed') AS failed,
      coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
      count(cost_micros) AS priced_calls,
      count(*) FILTER (WHERE cost_micros IS NULL AND served_by <> 'student' AND outcome <> 'failed') AS unpriced_calls,
      coalesce(sum(cost_micros), 0) AS cost_micros, coalesce(sum(student_micros), 0) AS student_micros,
      coalesce(sum(cost_micros::float8 ^ 2), 0) AS cost_squares
    FROM ${added} CROSS JOIN LATERAL (
      VALUES ${starting("hour")}, ${starting("day")}, ('all', 0::bigint)
    ) AS intervals (width, starts_at)
    WHERE verifies IS NULL AND (width <> 'all' OR ${isPricedUpstream})
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ), tallied AS (
    INSERT INTO call_tallies AS stored (partition, width, starts_at, key, source, model, served_by, deployment, calls, failed,
      input_tokens, output_tokens, priced_calls, unpriced_calls, cost_micros, student_micros, cost_squares, latencies)
    SELECT partition, width, starts_at,
      encode(sha256(convert_to(jsonb_build_array(source, model, served_by, deployment)::text, 'UTF8')), 'hex'),
      source, model, served_by, deployment, sum(calls), sum(failed), sum(input_tokens), sum(output_tokens),
      sum(priced_calls), sum(unpriced_calls), sum(cost_micros), sum(student_micros), sum(cost_squares),
      coalesce(jsonb_object_agg(bucket, calls) FILTER (WHERE bucket IS NOT NULL), '{}')
    FROM counted_calls WHERE (SELECT count(*) FROM ${locked}) > 0
    GROUP BY partition, width, starts_at, source, model, served_by, deployment
    ON CONFLICT (partition, width, starts_at, key) DO UPDATE SET calls = stored.calls + excluded.calls,
      failed = stored.failed + excluded.failed, input_tokens = stored.input_tokens + excluded.input_tokens,
      output_tokens = stored.output_tokens + excluded.output_tokens,
      priced_calls = stored.priced_calls + excluded.priced_calls,
      unpriced_calls = stored.unpriced_calls + excluded.unpriced_calls,
      cost_micros = stored.cost_micros + excluded.cost_micros,
      student_micros = stored.student_micros + excluded.student_micros, cost_squares = stored.cost_squares + excluded.cost_squares,
      latencies = (
        SELECT coalesce(jsonb_object_agg(bucket, bucket_calls), '{}') FROM (
          SELECT bucket, sum(each_calls::bigint) AS bucket_calls FROM (
            SELECT * FROM jsonb_each_text(stored.latencies) UNION ALL SELECT * FROM jsonb_each_text(excluded.latencies)
          ) AS both_histograms (bucket, each_calls) GROUP BY bucket
        ) AS sums)
  )`

const decodeTallies = Schema.decodeUnknownEffect(
  compileOnUse(Schema.Array(Schema.Struct({ ...CallTally.fields, key: Schema.String })))
)

const tallyOf = ({ key: _, ...tally }: CallTally & { readonly key: string }): CallTally => tally

interface Place {
  readonly startsAt: number
  readonly key: string
}

const decodePruned = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pruned: Schema.Int })]))

export const make = (sql: PgClient.PgClient): Pick<CallStore["Service"], "tallies" | "pruneTallies"> => ({
  // Locked rows are skipped, so that it cannot deadlock with appends, which lock tallies in another order.
  pruneTallies: Effect.fnUntraced(function* (width, startsBefore, limit) {
    const [{ pruned }] = yield* decodePruned(
      yield* sql`
        WITH gone AS (
          DELETE FROM call_tallies WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM call_tallies WHERE width = ${T.text(width)} AND starts_at < ${T.int(startsBefore)}
            ORDER BY starts_at LIMIT ${T.few(sql, limit)} FOR UPDATE SKIP LOCKED)) RETURNING 1)
        SELECT count(*) AS pruned FROM gone`
    )
    return pruned
  }, failAs("CallStore.pruneTallies")),
  tallies: (partition, { from, until, width }) => {
    const read = Effect.fnUntraced(function* (after: Place) {
      const tallies = yield* decodeTallies(
        yield* sql`
          SELECT starts_at AS "startsAt", key, source, model, served_by AS "servedBy", deployment, calls, failed,
            input_tokens AS "inputTokens", output_tokens AS "outputTokens", priced_calls AS "pricedCalls",
            unpriced_calls AS "unpricedCalls", cost_micros AS "costMicros", student_micros AS "studentMicros", cost_squares AS "costSquares", latencies
          FROM call_tallies
          WHERE partition = ${partition.key} AND width = ${T.text(width)} AND starts_at < ${T.int(until)}
            AND (starts_at, key) > (${T.int(after.startsAt)}, ${T.text(after.key)})
          ORDER BY starts_at, key LIMIT ${T.few(sql, talliesPerRead)}`
      )
      const next = tallies.length < talliesPerRead ? undefined : tallies.at(-1)
      return [tallies.map(tallyOf), Option.fromUndefinedOr<Place | undefined>(next)] as const
    }, failAs("CallStore.tallies"))
    // No key is as short.
    return Stream.paginate<Place, CallTally, StorageError>({ startsAt: from, key: "" }, read)
  }
})
