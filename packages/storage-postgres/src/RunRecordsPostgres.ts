/** RunRecords on Postgres. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Millis } from "@limbeck/core/time/Timestamp"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const decodePoints = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      stage: Schema.Int,
      name: Schema.String,
      unit: Schema.String,
      step: Schema.Finite,
      // A diverged training reports NaN, and that is worth keeping.
      // @effect-diagnostics-next-line schemaNumber:off
      value: Schema.Number,
      at: Millis
    })
  )
)

const decodeLines = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      seq: Schema.Int,
      stage: Schema.Int,
      at: Millis,
      level: Schema.Literals(["debug", "info", "warn", "error"]),
      message: Schema.String
    })
  )
)

export const make = (sql: PgClient.PgClient): RunRecords["Service"] =>
  RunRecords.of({
    appendMetrics: Effect.fnUntraced(function* (partition, run, points) {
      if (points.length === 0) return
      yield* sql`
        INSERT INTO run_metrics (partition, run, stage, name, unit, step, value, at)
        SELECT ${partition.key}, ${T.text(run)}, stage, name, unit, step, value, at FROM unnest(
          ${T.ints(points.map(({ stage }) => stage))},
          ${T.texts(points.map(({ name }) => name))},
          ${T.texts(points.map(({ unit }) => unit))},
          ${T.floats(points.map(({ step }) => step))},
          ${T.floats(points.map(({ value }) => value))},
          ${T.ints(points.map(({ at }) => at))}
        ) WITH ORDINALITY AS point (stage, name, unit, step, value, at, place)
        ORDER BY place`
    }, failAs("RunRecords.appendMetrics")),

    metrics: Effect.fnUntraced(function* (partition, run) {
      const rows = yield* sql`
        SELECT stage, name, unit, step, value, at FROM run_metrics
        WHERE partition = ${partition.key} AND run = ${T.text(run)} ORDER BY seq`
      return yield* decodePoints(rows)
    }, failAs("RunRecords.metrics")),

    appendLogs: Effect.fnUntraced(function* (partition, run, lines) {
      if (lines.length === 0) return
      yield* sql`
        INSERT INTO run_logs (partition, run, seq, stage, at, level, message)
        SELECT ${partition.key}, ${T.text(run)}, last.seq + place, stage, at, level, message FROM unnest(
          ${T.ints(lines.map(({ stage }) => stage))},
          ${T.ints(lines.map(({ at }) => at))},
          ${T.texts(lines.map(({ level }) => level))},
          ${T.jsons(lines.map(({ message }) => message))}
        ) WITH ORDINALITY AS line (stage, at, level, message, place),
        (SELECT coalesce(max(seq), 0) AS seq FROM run_logs
          WHERE partition = ${partition.key} AND run = ${T.text(run)}) last`
    }, failAs("RunRecords.appendLogs")),

    logs: Effect.fnUntraced(function* (partition, run, { after, limit, stage }) {
      const rows = yield* sql`
        SELECT seq, stage, at, level, message FROM run_logs
        WHERE partition = ${partition.key} AND run = ${T.text(run)} AND seq > ${T.int(after)}
          AND stage BETWEEN ${T.int(stage ?? T.firstInt)} AND ${T.int(stage ?? T.lastInt)}
        ORDER BY seq LIMIT ${T.int(limit)}`
      return yield* decodeLines(rows)
    }, failAs("RunRecords.logs"))
  })
