/** What shadow deployments would have returned for captured calls. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallStore, InPartition } from "@limbeck/capture/call/CallStore"
import { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import * as Partitions from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { separateRefusals } from "./CallRefusals.ts"
import * as CallTexts from "./CallTexts.ts"

const row = {
  ...ShadowResult.fields,
  error: Schema.NullOr(CallTexts.Text),
  message: Schema.NullOr(CallTexts.Text)
}
const decodeShadows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(row)))
const decodeOwned = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ...row, partition: Schema.String })))

const decodeComparisons = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ compared: Schema.Int, agreed: Schema.Int, mostFrequent: Schema.Int })])
)

const decodePeriods = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ compared: Schema.Int, agreed: Schema.Int, lastAt: Millis }))
)

type Methods = Pick<
  CallStore["Service"],
  "appendShadows" | "shadowsOf" | "comparisons" | "comparisonsByPeriod" | "takeVerifications"
>

export const make = (sql: PgClient.PgClient): Methods => {
  const appendShadows = Effect.fnUntraced(
    function* (results: ReadonlyArray<InPartition<ShadowResult>>) {
      if (results.length === 0) return
      const texts = (of: (result: ShadowResult) => string | null) => results.map(({ value }) => of(value))
      yield* sql`
      INSERT INTO call_shadows
        (partition, call, deployment, error, message, confidence, latency_millis, agrees, created_at, answer, verifies)
      SELECT s.* FROM unnest(
        ${T.texts(results.map(({ partition }) => partition.key))}, ${T.textsOrNull(texts(({ call }) => call))},
        ${T.textsOrNull(texts(({ deployment }) => deployment))}, ${CallTexts.texts(texts(({ error }) => error))},
        ${CallTexts.texts(texts(({ message }) => message))}, ${T.floats(results.map(({ value }) => value.confidence))},
        ${T.ints(results.map(({ value }) => value.latencyMillis))},
        ${T.boolsOrNull(results.map(({ value }) => value.agrees))}, ${T.ints(results.map(({ value }) => value.createdAt))},
        ${T.ints(results.map(({ value }) => value.answer))}, ${T.bools(results.map(({ value }) => value.verifies))}
      ) AS s (partition, call, deployment, error, message, confidence, latency_millis, agrees, created_at, answer, verifies)
      WHERE NOT EXISTS (
        SELECT FROM calls WHERE calls.partition = s.partition AND calls.id = s.call AND calls.removed)
      ON CONFLICT DO NOTHING`
    },
    separateRefusals,
    failAs("CallStore.appendShadows")
  )

  const shadowsOf = Effect.fnUntraced(function* (partition: Partitions.Partition, id: string) {
    return yield* decodeShadows(
      yield* sql`
        SELECT call, deployment, error, message, confidence, latency_millis AS "latencyMillis", agrees,
          answer, verifies, created_at AS "createdAt"
        FROM call_shadows WHERE partition = ${partition.key} AND call = ${T.text(id)} ORDER BY created_at, deployment`
    )
  }, failAs("CallStore.shadowsOf"))

  const comparisons: Methods["comparisons"] = Effect.fnUntraced(function* (
    partition,
    deployment,
    since,
    minConfidence
  ) {
    const [row] = yield* decodeComparisons(
      yield* sql`
        SELECT coalesce(sum(compared), 0)::bigint AS compared, coalesce(sum(agreed), 0)::bigint AS agreed,
          coalesce(max(compared), 0)::bigint AS "mostFrequent"
        FROM (
          SELECT count(*) AS compared, count(*) FILTER (WHERE agrees) AS agreed FROM call_shadows
          WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)} AND created_at >= ${T.int(since)}
            AND agrees IS NOT NULL AND answer IS NOT NULL AND NOT verifies
            AND coalesce(confidence, 0) >= ${T.float(minConfidence)}
          GROUP BY answer
        ) of_answers`
    )
    return row
  }, failAs("CallStore.comparisons"))

  const comparisonsByPeriod: Methods["comparisonsByPeriod"] = Effect.fnUntraced(function* (
    partition,
    deployment,
    since,
    periods
  ) {
    const compared = sql`partition = ${partition.key} AND deployment = ${T.text(deployment)}
      AND created_at >= ${T.int(since)} AND agrees IS NOT NULL AND (verifies OR answer IS NOT NULL)`
    return yield* decodePeriods(
      yield* sql`
        SELECT count(*) AS compared, count(*) FILTER (WHERE agrees) AS agreed, max(created_at) AS "lastAt"
        FROM call_shadows,
          (SELECT min(created_at) AS first, max(created_at) AS last FROM call_shadows WHERE ${compared}) AS bounds
        WHERE ${compared}
        GROUP BY (created_at - first) * ${T.int(periods)} / (last - first + 1) ORDER BY "lastAt"`
    )
  }, failAs("CallStore.comparisonsByPeriod"))

  const takeVerifications = Effect.fnUntraced(function* (limit: number) {
    const rows = yield* decodeOwned(
      yield* sql`
        WITH taken AS (
          UPDATE call_shadows SET counted = true WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM call_shadows WHERE verifies AND NOT counted
            ORDER BY created_at LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED))
          RETURNING *)
        SELECT partition, call, deployment, error, message, confidence, latency_millis AS "latencyMillis", agrees,
          answer, verifies, created_at AS "createdAt"
        FROM taken ORDER BY created_at, call`
    )
    return rows.map(({ partition, ...value }) => ({ partition: Partitions.fromKey(partition), value }))
  }, failAs("CallStore.takeVerifications"))

  return { appendShadows, shadowsOf, comparisons, comparisonsByPeriod, takeVerifications }
}
