/** A deployment's call figures, counted on request, and how its first and last calls were answered. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { type CallStore, countedQuestionsMax, type DeploymentFigures } from "@limbeck/capture/call/CallStore"
import { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"

const FiguresRow = Schema.Struct({
  upstream: Schema.Int,
  student: Schema.Int,
  shadow: Schema.Int,
  fallback: Schema.Int,
  mixed: Schema.Int,
  failed: Schema.Int,
  answers: Schema.Int,
  answersMillis: Schema.Finite,
  upstreamMean: Schema.NullOr(Schema.Finite),
  cost: Schema.Int,
  costed: Schema.Int,
  studentCost: Schema.Int,
  partialCost: Schema.Int,
  partialCosted: Schema.Int,
  verificationCost: Schema.Int,
  verificationCosted: Schema.Int,
  shadowed: Schema.Int,
  shadowFailed: Schema.Int,
  shadowMillis: Schema.Finite,
  compared: Schema.Int,
  agreed: Schema.Int
})
const decodeFigures = Schema.decodeUnknownEffect(Schema.Tuple([FiguresRow]))

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const QuestionRows = Schema.Array(
  Schema.Struct({
    question: Schema.String,
    name: Schema.NullOr(Schema.String),
    asked: Schema.Int,
    answeredHere: Schema.Int
  })
)
const QuestionShadowRows = Schema.Array(
  Schema.Struct({
    question: Schema.String,
    name: Schema.NullOr(Schema.String),
    compared: Schema.Int,
    agreed: Schema.Int
  })
)
/** Escapes in a JSON text that no text of Postgres holds: NUL, and halves of pairs, as whole pairs are not escaped. */
const unwritable = "\\\\u(0000|d[89a-f][0-9a-f]{2})"

const decodeQuestions = Schema.decodeUnknownEffect(QuestionRows)
const decodeQuestionShadows = Schema.decodeUnknownEffect(QuestionShadowRows)
/** How the message of a comparison of decisions begins; others are not parsed. */
const comparedDecisions = '{"decisions":%'

const { confidence, fallbackReason, id, servedBy } = CapturedCall.fields
const decodeServed = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id, servedBy, fallbackReason, confidence }))
)

const figuresOf = (
  row: typeof FiguresRow.Type,
  { questions, shadowQuestions }: Pick<DeploymentFigures, "questions" | "shadowQuestions">
): DeploymentFigures => {
  const answers = row.answers + row.shadowed - row.shadowFailed
  return {
    calls: {
      upstream: row.upstream,
      student: row.student,
      shadow: row.shadow,
      upstream_fallback: row.fallback,
      mixed: row.mixed
    },
    failed: row.failed,
    shadowed: row.shadowed,
    shadowFailed: row.shadowFailed,
    compared: row.compared,
    agreed: row.agreed,
    studentMillisMean: answers === 0 ? null : (row.answersMillis + row.shadowMillis) / answers,
    upstreamMillisMean: row.upstreamMean,
    upstreamCostMicros: row.cost,
    studentMicros: row.studentCost,
    upstreamCostedCalls: row.costed,
    partialCostMicros: row.partialCost,
    partialCostedCalls: row.partialCosted,
    verificationCostMicros: row.verificationCost,
    verificationCostedCalls: row.verificationCosted,
    questions,
    shadowQuestions
  }
}

type Methods = Pick<CallStore["Service"], "figures" | "servedCalls" | "servedCount">

export const make = (sql: PgClient.PgClient): Methods => {
  const figures: Methods["figures"] = Effect.fnUntraced(function* (partition, deployment) {
    const served = (by: CapturedCall["servedBy"]) => sql`count(*) FILTER (WHERE served_by = ${T.text(by)})`
    const [row] = yield* decodeFigures(
      yield* sql`
        SELECT * FROM (
          SELECT ${served("upstream")} AS upstream, ${served("student")} AS student, ${served("shadow")} AS shadow,
            ${served("upstream_fallback")} AS fallback, ${served("mixed")} AS mixed, count(*) FILTER (WHERE outcome = 'failed') AS failed,
            count(*) FILTER (WHERE served_by = 'student' AND outcome = 'succeeded') AS answers,
            coalesce(sum(latency_millis) FILTER (WHERE served_by = 'student' AND outcome = 'succeeded'), 0)::float8
              AS "answersMillis",
            coalesce(
              avg(latency_millis) FILTER (WHERE served_by IN ('upstream', 'shadow') AND outcome = 'succeeded'),
              avg(latency_millis) FILTER (WHERE served_by = 'upstream_fallback' AND outcome = 'succeeded')
            )::float8 AS "upstreamMean",
            coalesce(sum(cost_micros) FILTER (WHERE served_by <> 'student'), 0)::bigint AS cost,
            count(cost_micros) FILTER (WHERE served_by <> 'student') AS costed,
            coalesce(sum(student_micros), 0)::bigint AS "studentCost",
            coalesce(sum(cost_micros) FILTER (WHERE served_by = 'mixed'), 0)::bigint AS "partialCost",
            count(cost_micros) FILTER (WHERE served_by = 'mixed') AS "partialCosted"
          FROM calls WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)}
        ) of_calls, (
          SELECT coalesce(sum(cost_micros), 0)::bigint AS "verificationCost", count(cost_micros) AS "verificationCosted"
          FROM calls
          WHERE partition = ${partition.key} AND verifies IS NOT NULL AND verifies ->> 'deployment' = ${T.text(deployment)}
        ) of_verifications, (
          SELECT count(*) AS shadowed, count(error) AS "shadowFailed",
            coalesce(sum(latency_millis) FILTER (WHERE error IS NULL), 0)::float8 AS "shadowMillis",
            count(agrees) AS compared, count(*) FILTER (WHERE agrees) AS agreed
          FROM call_shadows
          WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)} AND NOT verifies
        ) of_shadows`
    )
    const questions = yield* decodeQuestions(
      yield* sql`
        SELECT one ->> 'question' AS question, max(one ->> 'name') AS name, count(*) AS asked,
          count(*) FILTER (WHERE one ->> 'served_by' = 'student') AS "answeredHere"
        FROM calls, json_array_elements(regexp_replace(decisions::text, ${T.text(unwritable)}, ${T.text("\\ufffd")}, 'gi')::json) AS one
        WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)} AND decisions IS NOT NULL
        GROUP BY one ->> 'question' ORDER BY asked DESC, question LIMIT ${T.int(countedQuestionsMax)}`
    )
    const shadowQuestions = yield* decodeQuestionShadows(
      yield* sql`
        SELECT one ->> 'question' AS question, max(one ->> 'name') AS name, count(*) AS compared,
          count(*) FILTER (WHERE (one ->> 'agrees')::boolean) AS agreed
        FROM call_shadows, json_array_elements(
          CASE WHEN message LIKE ${T.text(comparedDecisions)}
            THEN regexp_replace(message, ${T.text(unwritable)}, ${T.text("\\ufffd")}, 'gi')::json -> 'decisions' END
        ) AS one
        WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)} AND NOT verifies
        GROUP BY one ->> 'question' ORDER BY compared DESC, question LIMIT ${T.int(countedQuestionsMax)}`
    )
    return figuresOf(row, { questions, shadowQuestions })
  }, failAs("CallStore.figures"))

  const servedCalls: Methods["servedCalls"] = Effect.fnUntraced(function* (partition, deployment, since, options) {
    const direction = sql.literal(options.order === "oldest" ? "ASC" : "DESC")
    return yield* decodeServed(
      yield* sql`
        SELECT id, served_by AS "servedBy", fallback_reason AS "fallbackReason", confidence FROM calls
        WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)}
          AND id >= ${T.text(Id.floorAt("call", since))}
        ORDER BY id ${direction} LIMIT ${T.int(options.limit)}`
    )
  }, failAs("CallStore.servedCalls"))

  const servedCount: Methods["servedCount"] = Effect.fnUntraced(function* (partition, deployment, since) {
    const [row] = yield* decodeCount(
      yield* sql`
        SELECT count(*) AS count FROM calls
        WHERE partition = ${partition.key} AND deployment = ${T.text(deployment)}
          AND id >= ${T.text(Id.floorAt("call", since))}`
    )
    return row.count
  }, failAs("CallStore.servedCount"))

  return { figures, servedCalls, servedCount }
}
