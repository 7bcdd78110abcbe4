/** Removes captured calls, with all dependent rows: one call by id, or all old ones. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallStore } from "@limbeck/capture/call/CallStore"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { oldRows, slackMillis } from "../statements/Pruning.ts"

const Count = Schema.Struct({ count: Schema.Int })
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Count]))

type Methods = Pick<CallStore["Service"], "remove" | "prune" | "pruneFeedback">

export const make = (sql: PgClient.PgClient): Methods => {
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
        ), feedback AS (
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

  return { remove, prune, pruneFeedback }
}
