/** RunRecords on Postgres: one table of all kinds. Writers take turns, so the next place is the greatest plus one. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { type AppendResult, type NewRecord, RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { hold } from "../connection/Writes.ts"
import { batchesOf } from "../statements/Batches.ts"

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

const bytesOf = (record: NewRecord): number => {
  if (record.kind === "metric") return record.point.name.length + record.point.unit.length
  return record.kind === "log" ? record.line.message.length : record.state.length
}

const sizeOf = ({ records }: AppendResult): number => records.reduce((sum, record) => sum + bytesOf(record), 0)

/** From 1, for each of what is appended. */
const numberRecords = (appended: ReadonlyArray<AppendResult>, counts: (record: NewRecord) => boolean) =>
  appended.flatMap(({ records }) => {
    let last = 0
    return records.map((record) => (counts(record) ? ++last : null))
  })

/**
 * Records column by column: each leaves empty what the other kinds have. `nth` and `log` count within the run, which is the
 * `owner`-th, from 1.
 */
const columnsOf = (appended: ReadonlyArray<AppendResult>) => {
  const records = appended.flatMap((one) => one.records)
  const points = records.map((record) => (record.kind === "metric" ? record.point : null))
  const lines = records.map((record) => (record.kind === "log" ? record.line : null))
  return {
    owner: appended.flatMap((one, index) => one.records.map(() => index + 1)),
    nth: numberRecords(appended, () => true),
    log: numberRecords(appended, ({ kind }) => kind === "log"),
    at: records.map(
      (record, index) => points[index]?.at ?? lines[index]?.at ?? (record.kind === "state" ? record.at : 0)
    ),
    stage: records.map((_, index) => points[index]?.stage ?? lines[index]?.stage ?? null),
    metric: points.map((point) => point?.name ?? null),
    unit: points.map((point) => point?.unit ?? null),
    step: points.map((point) => point?.step ?? null),
    value: points.map((point) => point?.value ?? null),
    level: lines.map((line) => line?.level ?? null),
    message: lines.map((line) => line?.message ?? null),
    state: records.map((record) => (record.kind === "state" ? record.state : null))
  }
}

export const make = (sql: PgClient.PgClient): RunRecords["Service"] => {
  const ofRun = (partition: Partition, run: string) => sql`partition = ${partition.key} AND run = ${T.text(run)}`

  const into = sql.literal(`
    INSERT INTO run_records (partition, at, stage, metric, unit, step, value, level, message, state, run, place, log)`)
  const told = sql.literal("at, stage, metric, unit, step, value, level, message, state")

  const added = (appended: ReadonlyArray<AppendResult>) => {
    const { at, level, log, message, metric, nth, owner, stage, state, step, unit, value } = columnsOf(appended)
    return sql`unnest(${T.ints(owner)}, ${T.ints(nth)}, ${T.ints(log)}, ${T.ints(at)}, ${T.ints(stage)},
      ${T.textsOrNull(metric)}, ${T.textsOrNull(unit)}, ${T.floats(step)}, ${T.floats(value)}, ${T.textsOrNull(level)},
      ${T.jsons(message)}, ${T.textsOrNull(state)}) AS added (owner, nth, log, ${told})`
  }

  const toOne = (partition: Partition, one: AppendResult) => sql`
    ${into} SELECT ${partition.key}, ${told}, ${T.text(one.run)}, last.place + nth, last.log + added.log
    FROM ${added([one])}, (SELECT
      (SELECT coalesce(max(place), 0) FROM run_records WHERE ${ofRun(partition, one.run)}) AS place,
      (SELECT coalesce(max(log), 0) FROM run_records WHERE ${ofRun(partition, one.run)} AND log IS NOT NULL) AS log
    ) last`

  /**
   * Like `toOne`, whose plan is simpler, with the last places as arrays. Hides the number of runs from the planner, which
   * would plan anew for each number.
   */
  const toMany = (partition: Partition, appended: ReadonlyArray<AppendResult>) => {
    const runs = T.texts(appended.map(({ run }) => run))
    const each = sql`unnest((SELECT ${runs})) AS each (id)`
    const ofEach = sql`partition = ${partition.key} AND run = each.id COLLATE "C"`
    return sql`
      ${into} SELECT ${partition.key}, ${told}, (${runs})[owner], last.places[owner] + nth, last.logs[owner] + added.log
      FROM ${added(appended)}, (SELECT
        ARRAY(SELECT (SELECT coalesce(max(place), 0) FROM run_records WHERE ${ofEach}) FROM ${each}) AS places,
        ARRAY(SELECT (SELECT coalesce(max(log), 0) FROM run_records WHERE ${ofEach} AND log IS NOT NULL) FROM ${each}) AS logs
      ) last`
  }

  const appendMany = Effect.fnUntraced(function* (partition: Partition, appended: ReadonlyArray<AppendResult>) {
    for (const batch of batchesOf(appended, sizeOf)) {
      const [only, ...others] = batch
      if (only === undefined) continue
      yield* hold(sql, "RunRecords.append")(others.length === 0 ? toOne(partition, only) : toMany(partition, batch))
    }
  }, failAs("RunRecords.append"))

  return RunRecords.of({
    append: (partition, run, records) =>
      records.length === 0 ? Effect.void : appendMany(partition, [{ run, records }]),
    appendMany,

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
