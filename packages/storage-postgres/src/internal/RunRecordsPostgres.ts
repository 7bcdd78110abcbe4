/** RunRecords on Postgres: one table of all kinds. Writers take turns, so the next place is one after the greatest. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { type NewRecord, RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"
import { hold } from "./Writes.ts"

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

/** Records column by column: each leaves empty what the other kinds have. Log lines are counted. */
const columnsOf = (records: ReadonlyArray<NewRecord>) => {
  const points = records.map((record) => (record.kind === "metric" ? record.point : null))
  const lines = records.map((record) => (record.kind === "log" ? record.line : null))
  let logs = 0
  return {
    at: records.map(
      (record, index) => points[index]?.at ?? lines[index]?.at ?? (record.kind === "state" ? record.at : 0)
    ),
    stage: records.map((_, index) => points[index]?.stage ?? lines[index]?.stage ?? null),
    metric: points.map((point) => point?.name ?? null),
    unit: points.map((point) => point?.unit ?? null),
    step: points.map((point) => point?.step ?? null),
    value: points.map((point) => point?.value ?? null),
    log: lines.map((line) => (line === null ? null : ++logs)),
    level: lines.map((line) => line?.level ?? null),
    message: lines.map((line) => line?.message ?? null),
    state: records.map((record) => (record.kind === "state" ? record.state : null))
  }
}

export const make = (sql: PgClient.PgClient): RunRecords["Service"] => {
  const ofRun = (partition: Partition, run: string) => sql`partition = ${partition.key} AND run = ${T.text(run)}`

  return RunRecords.of({
    append: Effect.fnUntraced(function* (partition, run, records) {
      if (records.length === 0) return
      const { at, level, log, message, metric, stage, state, step, unit, value } = columnsOf(records)
      yield* hold(
        sql,
        "RunRecords.append"
      )(sql`
        INSERT INTO run_records
          (partition, run, place, at, stage, metric, unit, step, value, log, level, message, state)
        SELECT ${partition.key}, ${T.text(run)}, last.place + nth, at, stage, metric, unit, step, value,
          last.log + added.log, level, message, state
        FROM unnest(${T.ints(at)}, ${T.ints(stage)}, ${T.textsOrNull(metric)}, ${T.textsOrNull(unit)}, ${T.floats(step)},
          ${T.floats(value)}, ${T.ints(log)}, ${T.textsOrNull(level)}, ${T.jsons(message)}, ${T.textsOrNull(state)})
          WITH ORDINALITY AS added (at, stage, metric, unit, step, value, log, level, message, state, nth),
        (SELECT
          (SELECT coalesce(max(place), 0) FROM run_records WHERE ${ofRun(partition, run)}) AS place,
          (SELECT coalesce(max(log), 0) FROM run_records WHERE ${ofRun(partition, run)} AND log IS NOT NULL) AS log
        ) last`)
    }, failAs("RunRecords.append")),

    metrics: Effect.fnUntraced(function* (partition, run) {
      const rows = yield* sql`
        SELECT stage, metric AS name, unit, step, value, at FROM run_records
        WHERE ${ofRun(partition, run)} AND metric IS NOT NULL ORDER BY place`
      return yield* decodePoints(rows)
    }, failAs("RunRecords.metrics")),

    logs: Effect.fnUntraced(function* (partition, run, { after, limit, stage }) {
      const rows = yield* sql`
        SELECT log AS seq, stage, at, level, message FROM run_records
        WHERE ${ofRun(partition, run)} AND log > ${T.int(after)}
          AND stage BETWEEN ${T.int(stage ?? T.firstInt)} AND ${T.int(stage ?? T.lastInt)}
        ORDER BY log LIMIT ${T.int(limit)}`
      return yield* decodeLines(rows)
    }, failAs("RunRecords.logs")),

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
