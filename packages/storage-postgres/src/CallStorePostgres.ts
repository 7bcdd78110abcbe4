/**
 * CallStore on Postgres. Calls are written by the hundred in one statement, column by column; statements are bounded in bytes
 * as well, because bodies may be large.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import { CallStore, type Owned } from "@limbeck/gateway/capture/CallStore"
import { type CapturedCall, ShadowResult } from "@limbeck/gateway/capture/CapturedCall"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { batchesOf } from "./Batches.ts"
import * as CallFeedback from "./CallFeedback.ts"
import * as CallFigures from "./CallFigures.ts"
import * as CallPages from "./CallPages.ts"
import * as CallTexts from "./CallTexts.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"
import { oldRows, slackMillis } from "./Pruning.ts"

/** A round trip costs as much as so many calls. */
const callsPerStatement = 500

const sizeOf = ({ value }: Owned<CapturedCall>): number => value.request.length + (value.response?.length ?? 0)

const decodeShadows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      ...ShadowResult.fields,
      error: Schema.NullOr(CallTexts.Text),
      message: Schema.NullOr(CallTexts.Text)
    })
  )
)

const Count = Schema.Struct({ count: Schema.Int })
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Count]))

/** As `insert` writes them. */
const columnNames = `partition, id, created_at, endpoint, source, source_name, model, served_by, deployment,
  fallback_reason, confidence, tags, external_id, outcome, status_code, streamed, request, request_is_json,
  response, response_is_json, assembler_version, input_tokens, output_tokens, cost_micros, billed,
  latency_millis, first_token_millis`

/** An array of texts as the text that Postgres reads one from. */
const arrayText = (items: ReadonlyArray<string>): string =>
  items.length === 0
    ? "{}"
    : `{${items.map((item) => `"${item.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`

export const make = (sql: PgClient.PgClient): CallStore["Service"] => {
  const columns = sql.literal(columnNames)
  /** Lists of lists cannot be unnested, so tags are texts there. */
  const unnested = sql.literal(columnNames.replace("tags", "tags::text[]"))

  const insert = (calls: ReadonlyArray<Owned<CapturedCall>>) => {
    const texts = (of: (call: CapturedCall) => string | null) => T.textsOrNull(calls.map(({ value }) => of(value)))
    const ints = (of: (call: CapturedCall) => number | null) => T.ints(calls.map(({ value }) => of(value)))
    const bools = (of: (call: CapturedCall) => boolean) => T.bools(calls.map(({ value }) => of(value)))
    return sql`
      WITH added AS (
        INSERT INTO calls (${columns})
        SELECT ${unnested}
        FROM unnest(
          ${T.texts(calls.map(({ partition }) => partition.key))}, ${texts((call) => call.id)},
          ${ints((call) => call.createdAt)}, ${texts((call) => call.endpoint)}, ${texts((call) => call.source)},
          ${texts((call) => call.sourceName)}, ${texts((call) => call.model)}, ${texts((call) => call.servedBy)},
          ${texts((call) => call.deployment)}, ${texts((call) => call.fallbackReason)},
          ${T.floats(calls.map(({ value }) => value.confidence))}, ${texts((call) => arrayText(call.tags))},
          ${texts((call) => call.externalId)}, ${texts((call) => call.outcome)}, ${ints((call) => call.statusCode)},
          ${bools((call) => call.streamed)}, ${CallTexts.texts(calls.map(({ value }) => value.request))},
          ${bools((call) => call.requestIsJson)}, ${CallTexts.texts(calls.map(({ value }) => value.response))},
          ${bools((call) => call.responseIsJson)}, ${ints((call) => call.assemblerVersion)},
          ${ints((call) => call.usage?.inputTokens ?? null)}, ${ints((call) => call.usage?.outputTokens ?? null)},
          ${ints((call) => call.costMicros)}, ${bools((call) => call.billed)}, ${ints((call) => call.latencyMillis)},
          ${ints((call) => call.firstTokenMillis)}
        ) AS c (${columns})
        ON CONFLICT DO NOTHING
        RETURNING partition, id, tags
      )
      INSERT INTO call_tags (partition, tag, id)
      SELECT partition, tag, id FROM added, unnest(tags) AS tag
      ON CONFLICT DO NOTHING`
  }

  const append = Effect.fnUntraced(function* (calls: ReadonlyArray<Owned<CapturedCall>>) {
    const [first, ...others] = batchesOf(calls, sizeOf, callsPerStatement)
    if (first === undefined) return
    if (others.length === 0) yield* insert(first)
    else yield* sql.withTransaction(Effect.forEach([first, ...others], insert, { discard: true }))
  }, failAs("CallStore.append"))

  const appendShadows = Effect.fnUntraced(function* (results: ReadonlyArray<Owned<ShadowResult>>) {
    if (results.length === 0) return
    const texts = (of: (result: ShadowResult) => string | null) => results.map(({ value }) => of(value))
    yield* sql`
      INSERT INTO call_shadows (partition, call, deployment, error, message, confidence, latency_millis, agrees, created_at)
      SELECT s.* FROM unnest(
        ${T.texts(results.map(({ partition }) => partition.key))}, ${T.textsOrNull(texts(({ call }) => call))},
        ${T.textsOrNull(texts(({ deployment }) => deployment))}, ${CallTexts.texts(texts(({ error }) => error))},
        ${CallTexts.texts(texts(({ message }) => message))}, ${T.floats(results.map(({ value }) => value.confidence))},
        ${T.ints(results.map(({ value }) => value.latencyMillis))},
        ${T.boolsOrNull(results.map(({ value }) => value.agrees))}, ${T.ints(results.map(({ value }) => value.createdAt))}
      ) AS s (partition, call, deployment, error, message, confidence, latency_millis, agrees, created_at)
      WHERE NOT EXISTS (
        SELECT FROM calls WHERE calls.partition = s.partition AND calls.id = s.call AND calls.removed)
      ON CONFLICT DO NOTHING`
  }, failAs("CallStore.appendShadows"))

  const shadowsOf = Effect.fnUntraced(function* (partition: Partition, id: string) {
    return yield* decodeShadows(
      yield* sql`
        SELECT call, deployment, error, message, confidence, latency_millis AS "latencyMillis", agrees,
          created_at AS "createdAt"
        FROM call_shadows WHERE partition = ${partition.key} AND call = ${T.text(id)} ORDER BY created_at, deployment`
    )
  }, failAs("CallStore.shadowsOf"))

  /** An update, not a deletion: an append that runs meanwhile finds the id taken. */
  const remove = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const [{ count }] = yield* decodeCount(
      yield* sql`
        WITH gone AS (
          SELECT tags FROM calls WHERE partition = ${partition.key} AND id = ${T.text(id)} AND NOT removed FOR UPDATE
        ), emptied AS (
          UPDATE calls SET removed = true, source = NULL, source_name = NULL, model = NULL, deployment = NULL,
            fallback_reason = NULL, confidence = NULL, tags = '{}', external_id = NULL, request = '', response = NULL
          WHERE partition = ${partition.key} AND id = ${T.text(id)} AND EXISTS (SELECT FROM gone)
        ), tags AS (
          DELETE FROM call_tags USING (SELECT unnest(tags) AS tag FROM gone) of
          WHERE partition = ${partition.key} AND call_tags.tag = of.tag AND id = ${T.text(id)}
        ), shadows AS (
          DELETE FROM call_shadows
          WHERE partition = ${partition.key} AND call = ${T.text(id)} AND EXISTS (SELECT FROM gone)
        )
        SELECT count(*) FROM gone`
    )
    return count > 0
  }, failAs("CallStore.remove"))

  /** Rows are deleted by their place: no join is planned. */
  const prune = Effect.fnUntraced(function* (createdBefore: number, limit: number) {
    const firstId = Id.floorAt("call", createdBefore + slackMillis)
    const [{ count }] = yield* decodeCount(
      yield* sql`
        WITH old AS MATERIALIZED (${oldRows(sql, "calls", { createdBefore, firstId, limit })}), gone AS (
          DELETE FROM calls WHERE ctid = ANY(ARRAY(SELECT place FROM old)) RETURNING partition, id, tags
        ), tags AS (
          DELETE FROM call_tags WHERE ctid = ANY(ARRAY(
            SELECT place FROM gone CROSS JOIN LATERAL unnest(tags) AS of (tag) CROSS JOIN LATERAL (
              SELECT ctid AS place FROM call_tags t
              WHERE t.partition = gone.partition AND t.tag = of.tag AND t.id = gone.id OFFSET 0) found))
        ), shadows AS (
          DELETE FROM call_shadows WHERE ctid = ANY(ARRAY(
            SELECT place FROM gone CROSS JOIN LATERAL (
              SELECT ctid AS place FROM call_shadows s
              WHERE s.partition = gone.partition AND s.call = gone.id OFFSET 0) found))
        ), said AS (
          DELETE FROM call_feedback WHERE ctid = ANY(ARRAY(
            SELECT place FROM gone CROSS JOIN LATERAL (
              SELECT ctid AS place FROM call_feedback f
              WHERE f.partition = gone.partition AND f.call = gone.id OFFSET 0) found))
        )
        SELECT count(*) FROM gone`
    )
    return count
  }, failAs("CallStore.prune"))

  const pruneFeedback = Effect.fnUntraced(function* (createdBefore: number, limit: number) {
    const firstId = Id.floorAt("fb", createdBefore + slackMillis)
    const [{ count }] = yield* decodeCount(
      yield* sql`
        WITH gone AS (
          DELETE FROM call_feedback
          WHERE ctid = ANY(ARRAY(${oldRows(sql, "call_feedback", { createdBefore, firstId, limit })})) RETURNING 1)
        SELECT count(*) FROM gone`
    )
    return count
  }, failAs("CallStore.pruneFeedback"))

  const pages = CallPages.make(sql)
  return CallStore.of({
    append,
    appendShadows,
    find: pages.find,
    shadowsOf,
    page: pages.page,
    scan: pages.scan,
    remove,
    prune,
    pruneFeedback,
    figures: CallFigures.make(sql),
    ...CallFeedback.make(sql)
  })
}
