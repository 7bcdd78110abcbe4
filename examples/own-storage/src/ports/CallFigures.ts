/** Part of CallStore: figures of a deployment's calls and shadow results. */
import {
  type ComparedPeriod,
  type Comparisons,
  countedQuestionsMax,
  type DeploymentFigures
} from "@limbeck/capture/call/CallStore"
import { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { type Sql, sql } from "../sqlite/Sql.ts"

const CallRow = Schema.Struct({
  upstream: Schema.Int,
  student: Schema.Int,
  shadow: Schema.Int,
  upstream_fallback: Schema.Int,
  mixed: Schema.Int,
  failed: Schema.Int,
  studentAnswers: Schema.Int,
  studentMillis: Schema.Finite,
  upstreamMillisMean: Schema.NullOr(Schema.Finite),
  upstreamCostMicros: Schema.Int,
  studentMicros: Schema.Int,
  upstreamCostedCalls: Schema.Int,
  partialCostMicros: Schema.Int,
  partialCostedCalls: Schema.Int
})
const VerificationRow = Schema.Struct({ verificationCostMicros: Schema.Int, verificationCostedCalls: Schema.Int })
const ShadowRow = Schema.Struct({
  shadowed: Schema.Int,
  shadowFailed: Schema.Int,
  compared: Schema.Int,
  agreed: Schema.Int,
  answers: Schema.Int,
  millis: Schema.Finite
})
const QuestionRow = Schema.Struct({
  question: Schema.String,
  /** As JSON: a name may hold the character NUL. */
  name: Schema.NullOr(Schema.fromJsonString(Schema.String)),
  asked: Schema.Int,
  answeredHere: Schema.Int
})
const QuestionShadowRow = Schema.Struct({
  question: Schema.String,
  name: QuestionRow.fields.name,
  compared: Schema.Int,
  agreed: Schema.Int
})
const ComparisonRow = Schema.Struct({ compared: Schema.Int, agreed: Schema.Int, mostFrequent: Schema.Int })
const PeriodRow = Schema.Struct({ compared: Schema.Int, agreed: Schema.Int, lastAt: Millis })

const { confidence, fallbackReason, id, servedBy } = CapturedCall.fields
const ServedRow = Schema.Struct({ id, servedBy, fallbackReason, confidence })

const CountRow = Schema.Struct({ count: Schema.Int })

const of = (partition: Partition, deployment: string): Sql =>
  sql`partition = ${partition.key} AND deployment = ${deployment}`

const callsOf = (connection: Connection, partition: Partition, deployment: string) =>
  connection.first(
    CallRow,
    sql`
    WITH answers AS (
      SELECT facts ->> '$.servedBy' AS server, facts ->> '$.outcome' AS outcome,
        facts ->> '$.latencyMillis' AS millis, facts ->> '$.costMicros' AS cost, facts ->> '$.studentMicros' AS studentCost
      FROM calls WHERE ${of(partition, deployment)}
    )
    SELECT
      count(*) FILTER (WHERE server = 'upstream') AS upstream,
      count(*) FILTER (WHERE server = 'student') AS student,
      count(*) FILTER (WHERE server = 'shadow') AS shadow,
      count(*) FILTER (WHERE server = 'upstream_fallback') AS upstream_fallback,
      count(*) FILTER (WHERE server = 'mixed') AS mixed,
      count(*) FILTER (WHERE outcome = 'failed') AS failed,
      count(*) FILTER (WHERE outcome = 'succeeded' AND server = 'student') AS studentAnswers,
      total(millis) FILTER (WHERE outcome = 'succeeded' AND server = 'student') AS studentMillis,
      coalesce(
        avg(millis) FILTER (WHERE outcome = 'succeeded' AND server IN ('upstream', 'shadow')),
        avg(millis) FILTER (WHERE outcome = 'succeeded' AND server = 'upstream_fallback')
      ) AS upstreamMillisMean,
      coalesce(sum(cost) FILTER (WHERE server <> 'student'), 0) AS upstreamCostMicros,
      count(cost) FILTER (WHERE server <> 'student') AS upstreamCostedCalls,
      coalesce(sum(studentCost), 0) AS studentMicros,
      coalesce(sum(cost) FILTER (WHERE server = 'mixed'), 0) AS partialCostMicros,
      count(cost) FILTER (WHERE server = 'mixed') AS partialCostedCalls
    FROM answers`
  )

const verificationsOf = (connection: Connection, partition: Partition, deployment: string) =>
  connection.first(
    VerificationRow,
    sql`
    SELECT coalesce(sum(facts ->> '$.costMicros'), 0) AS verificationCostMicros,
      count(facts ->> '$.costMicros') AS verificationCostedCalls
    FROM calls WHERE partition = ${partition.key} AND facts ->> '$.verifies.deployment' = ${deployment}`
  )

const shadowsOf = (connection: Connection, partition: Partition, deployment: string) =>
  connection.first(
    ShadowRow,
    sql`
    WITH results AS (
      SELECT body ->> '$.error' AS error, body ->> '$.agrees' AS agrees, body ->> '$.latencyMillis' AS millis
      FROM shadows WHERE ${of(partition, deployment)} AND NOT body ->> '$.verifies'
    )
    SELECT count(*) AS shadowed, count(error) AS shadowFailed, count(agrees) AS compared,
      count(*) FILTER (WHERE agrees) AS agreed, count(*) FILTER (WHERE error IS NULL) AS answers,
      total(millis) FILTER (WHERE error IS NULL) AS millis
    FROM results`
  )

const questionsOf = (connection: Connection, partition: Partition, deployment: string) =>
  connection.all(
    QuestionRow,
    sql`
    SELECT decision.value ->> '$.question' AS question,
      max(decision.value -> '$.name') FILTER (WHERE decision.value ->> '$.name' IS NOT NULL) AS name, count(*) AS asked,
      count(*) FILTER (WHERE decision.value ->> '$.served_by' = 'student') AS answeredHere
    FROM calls, json_each(calls.facts, '$.decisions') AS decision
    WHERE ${of(partition, deployment)}
    GROUP BY 1 ORDER BY asked DESC, question LIMIT ${countedQuestionsMax}`
  )

const shadowQuestionsOf = (connection: Connection, partition: Partition, deployment: string) =>
  connection.all(
    QuestionShadowRow,
    sql`
    WITH results AS (
      SELECT CASE WHEN body ->> '$.message' LIKE '{"decisions":%' THEN body ->> '$.message' ELSE '{}' END AS message
      FROM shadows WHERE ${of(partition, deployment)} AND NOT body ->> '$.verifies'
    )
    SELECT decision.value ->> '$.question' AS question,
      max(decision.value -> '$.name') FILTER (WHERE decision.value ->> '$.name' IS NOT NULL) AS name, count(*) AS compared,
      count(*) FILTER (WHERE decision.value ->> '$.agrees') AS agreed
    FROM results, json_each(results.message, '$.decisions') AS decision
    GROUP BY 1 ORDER BY compared DESC, question LIMIT ${countedQuestionsMax}`
  )

const figures = (connection: Connection, partition: Partition, deployment: string): DeploymentFigures => {
  const calls = callsOf(connection, partition, deployment)
  const shadows = shadowsOf(connection, partition, deployment)
  const verifications = verificationsOf(connection, partition, deployment)
  // A count always returns a row.
  if (calls === undefined || shadows === undefined || verifications === undefined)
    throw new Error("A count returned no row")
  const { mixed, shadow, student, upstream, upstream_fallback } = calls
  const answers = calls.studentAnswers + shadows.answers
  return {
    calls: { upstream, student, shadow, upstream_fallback, mixed },
    failed: calls.failed,
    shadowed: shadows.shadowed,
    shadowFailed: shadows.shadowFailed,
    compared: shadows.compared,
    agreed: shadows.agreed,
    studentMillisMean: answers === 0 ? null : (calls.studentMillis + shadows.millis) / answers,
    upstreamMillisMean: calls.upstreamMillisMean,
    upstreamCostMicros: calls.upstreamCostMicros,
    studentMicros: calls.studentMicros,
    upstreamCostedCalls: calls.upstreamCostedCalls,
    partialCostMicros: calls.partialCostMicros,
    partialCostedCalls: calls.partialCostedCalls,
    ...verifications,
    questions: questionsOf(connection, partition, deployment),
    shadowQuestions: shadowQuestionsOf(connection, partition, deployment)
  }
}

const comparisons = (
  connection: Connection,
  shadows: Sql,
  { minConfidence, since }: { readonly since: Millis; readonly minConfidence: number }
): Comparisons => {
  const found = connection.first(
    ComparisonRow,
    sql`
    WITH answers AS (
      SELECT count(*) AS times, count(*) FILTER (WHERE body ->> '$.agrees') AS agreed FROM shadows
      WHERE ${shadows} AND created_at >= ${since} AND NOT body ->> '$.verifies'
        AND body ->> '$.agrees' IS NOT NULL AND body ->> '$.answer' IS NOT NULL
        AND coalesce(body ->> '$.confidence', 0) >= ${minConfidence}
      GROUP BY body ->> '$.answer'
    )
    SELECT coalesce(sum(times), 0) AS compared, coalesce(sum(agreed), 0) AS agreed,
      coalesce(max(times), 0) AS mostFrequent
    FROM answers`
  )
  return found ?? { compared: 0, agreed: 0, mostFrequent: 0 }
}

const comparisonsByPeriod = (
  connection: Connection,
  shadows: Sql,
  { periods, since }: { readonly since: Millis; readonly periods: number }
): ReadonlyArray<ComparedPeriod> =>
  connection.all(
    PeriodRow,
    sql`
    WITH results AS (
      SELECT created_at AS at, body ->> '$.agrees' AS agrees FROM shadows
      WHERE ${shadows} AND created_at >= ${since} AND body ->> '$.agrees' IS NOT NULL
        AND (body ->> '$.verifies' OR body ->> '$.answer' IS NOT NULL)
    ),
    bounds AS (SELECT min(at) AS first, max(at) AS last FROM results)
    SELECT count(*) AS compared, count(*) FILTER (WHERE agrees) AS agreed, max(at) AS lastAt FROM results, bounds
    GROUP BY CAST((at - first) * ${periods} / (last - first + 1) AS INTEGER) ORDER BY lastAt`
  )

export const make = (db: Database) => ({
  figures: (partition: Partition, deployment: string) =>
    db.read("CallStore.figures", (connection) => figures(connection, partition, deployment)),
  servedCalls: (
    partition: Partition,
    deployment: string,
    since: Millis,
    { limit, order }: { readonly order: "oldest" | "newest"; readonly limit: number }
  ) =>
    db.read("CallStore.servedCalls", (connection) =>
      connection.all(
        ServedRow,
        sql`
        SELECT id, facts ->> '$.servedBy' AS servedBy, facts ->> '$.fallbackReason' AS fallbackReason,
          facts ->> '$.confidence' AS confidence
        FROM calls WHERE ${of(partition, deployment)} AND id >= ${Id.floorAt("call", since)}
        ORDER BY id ${order === "oldest" ? sql`ASC` : sql`DESC`} LIMIT ${limit}`
      )
    ),
  servedCount: (partition: Partition, deployment: string, since: Millis) =>
    db.read("CallStore.servedCount", (connection) => {
      const row = connection.first(
        CountRow,
        sql`SELECT count(*) AS count FROM calls WHERE ${of(partition, deployment)} AND id >= ${Id.floorAt("call", since)}`
      )
      return row?.count ?? 0
    }),
  comparisons: (partition: Partition, deployment: string, since: Millis, minConfidence: number) =>
    db.read("CallStore.comparisons", (connection) =>
      comparisons(connection, of(partition, deployment), { since, minConfidence })
    ),
  comparisonsByPeriod: (partition: Partition, deployment: string, since: Millis, periods: number) =>
    db.read("CallStore.comparisonsByPeriod", (connection) =>
      comparisonsByPeriod(connection, of(partition, deployment), { since, periods })
    )
})
