/** RunRecords on Postgres: one table of all kinds. Writers take turns, so the next place is one after the greatest. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const Point = Schema.Struct({
  stage: Schema.Int,
  name: Schema.String,
  unit: Schema.String,
  step: Schema.Finite,
  // A diverged training reports NaN, and that is worth keeping.
  // @effect-diagnostics-next-line schemaNumber:off
  value: Schema.Number,
  at: Millis
})

const Line = Schema.Struct({
  seq: Schema.Int,
  stage: Schema.Int,
  at: Millis,
  level: Schema.Literals(["debug", "info", "warn", "error"]),
  message: Schema.String
})

const decodePoint = Schema.decodeUnknownEffect(Point)
const decodePoints = Schema.decodeUnknownEffect(Schema.Array(Point))
const decodeLine = Schema.decodeUnknownEffect(Line)
const decodeLines = Schema.decodeUnknownEffect(Schema.Array(Line))

const decodeRecords = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      place: Schema.Int,
      name: Schema.NullOr(Schema.String),
      seq: Schema.NullOr(Schema.Int),
      state: Schema.NullOr(Schema.String)
    })
  )
)

export const make = (sql: PgClient.PgClient): RunRecords["Service"] => {
  const ofRun = (partition: Partition, run: string) => sql`partition = ${partition.key} AND run = ${T.text(run)}`
  const lastPlace = (partition: Partition, run: string) =>
    sql`SELECT coalesce(max(place), 0) AS place FROM run_records WHERE ${ofRun(partition, run)}`

  return RunRecords.of({
    appendMetrics: Effect.fnUntraced(function* (partition, run, points) {
      if (points.length === 0) return
      yield* sql`
        INSERT INTO run_records (partition, run, place, stage, metric, unit, step, value, at)
        SELECT ${partition.key}, ${T.text(run)}, last.place + nth, stage, name, unit, step, value, at FROM unnest(
          ${T.ints(points.map(({ stage }) => stage))},
          ${T.texts(points.map(({ name }) => name))},
          ${T.texts(points.map(({ unit }) => unit))},
          ${T.floats(points.map(({ step }) => step))},
          ${T.floats(points.map(({ value }) => value))},
          ${T.ints(points.map(({ at }) => at))}
        ) WITH ORDINALITY AS point (stage, name, unit, step, value, at, nth),
        (${lastPlace(partition, run)}) last`
    }, failAs("RunRecords.appendMetrics")),

    metrics: Effect.fnUntraced(function* (partition, run) {
      const rows = yield* sql`
        SELECT stage, metric AS name, unit, step, value, at FROM run_records
        WHERE ${ofRun(partition, run)} AND metric IS NOT NULL ORDER BY place`
      return yield* decodePoints(rows)
    }, failAs("RunRecords.metrics")),

    appendLogs: Effect.fnUntraced(function* (partition, run, lines) {
      if (lines.length === 0) return
      yield* sql`
        INSERT INTO run_records (partition, run, place, log, stage, at, level, message)
        SELECT ${partition.key}, ${T.text(run)}, last.place + nth, last_line.log + nth, stage, at, level, message FROM unnest(
          ${T.ints(lines.map(({ stage }) => stage))},
          ${T.ints(lines.map(({ at }) => at))},
          ${T.texts(lines.map(({ level }) => level))},
          ${T.jsons(lines.map(({ message }) => message))}
        ) WITH ORDINALITY AS line (stage, at, level, message, nth),
        (${lastPlace(partition, run)}) last,
        (SELECT coalesce(max(log), 0) AS log FROM run_records
          WHERE ${ofRun(partition, run)} AND log IS NOT NULL) last_line`
    }, failAs("RunRecords.appendLogs")),

    logs: Effect.fnUntraced(function* (partition, run, { after, limit, stage }) {
      const rows = yield* sql`
        SELECT log AS seq, stage, at, level, message FROM run_records
        WHERE ${ofRun(partition, run)} AND log > ${T.int(after)}
          AND stage BETWEEN ${T.int(stage ?? T.firstInt)} AND ${T.int(stage ?? T.lastInt)}
        ORDER BY log LIMIT ${T.int(limit)}`
      return yield* decodeLines(rows)
    }, failAs("RunRecords.logs")),

    appendState: Effect.fnUntraced(function* (partition, run, at, state) {
      yield* sql`
        INSERT INTO run_records (partition, run, place, at, state)
        SELECT ${partition.key}, ${T.text(run)}, last.place + 1, ${T.int(at)}, ${T.text(state)}
        FROM (${lastPlace(partition, run)}) last`
    }, failAs("RunRecords.appendState")),

    all: Effect.fnUntraced(function* (partition, run, { after, limit }) {
      const rows = yield* sql`
        SELECT place, stage, at, metric AS name, unit, step, value, log AS seq, level, message, state FROM run_records
        WHERE ${ofRun(partition, run)} AND place > ${T.int(after)} ORDER BY place LIMIT ${T.int(limit)}`
      const records = yield* decodeRecords(rows)
      return yield* Effect.forEach(
        records,
        Effect.fnUntraced(function* ({ name, place, seq, state }, index) {
          if (name !== null) return { kind: "metric", place, point: yield* decodePoint(rows[index]) } as const
          if (seq !== null) return { kind: "log", place, line: yield* decodeLine(rows[index]) } as const
          return { kind: "state", place, state: state ?? "null" } as const
        })
      )
    }, failAs("RunRecords.all"))
  })
}
