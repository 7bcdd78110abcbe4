/** RunRecords: records of runs, at places from 1. Writers run one at a time, so the next place follows the last. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import { type NewRecord, type RunRecord, RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { ifPresent, type Sql, sql } from "../sqlite/Sql.ts"

const points = new Body(
  Schema.Struct({
    stage: Schema.Int,
    name: Schema.String,
    unit: Schema.String,
    step: Schema.Int,
    value: Schema.Finite,
    at: Millis
  })
)

const lines = new Body(
  Schema.Struct({
    stage: Schema.Int,
    at: Millis,
    level: Schema.Literals(["debug", "info", "warn", "error"]),
    message: Schema.String
  })
)

const Place = { place: Schema.Int }
const MetricRow = Schema.Struct({ ...Place, kind: Schema.Literal("metric"), body: points.json })
const LogRow = Schema.Struct({ ...Place, kind: Schema.Literal("log"), seq: Schema.Int, body: lines.json })
const StateRow = Schema.Struct({ ...Place, kind: Schema.Literal("state"), body: Schema.String })
const AnyRow = Schema.Union([MetricRow, LogRow, StateRow])

const Last = Schema.Struct({ place: Schema.Int, seq: Schema.Int })

const of = (partition: Partition, run: string): Sql => sql`partition = ${partition.key} AND run = ${run}`

const columnsOf = (record: NewRecord) => {
  if (record.kind === "metric") return { stage: record.point.stage, body: points.encode(record.point) }
  if (record.kind === "log") return { stage: record.line.stage, body: lines.encode(record.line) }
  return { stage: null, body: record.state }
}

const append = (connection: Connection, partition: Partition, run: string, records: ReadonlyArray<NewRecord>) => {
  const last = connection.first(
    Last,
    sql`SELECT coalesce(max(place), 0) AS place, coalesce(max(seq), 0) AS seq FROM records WHERE ${of(partition, run)}`
  )
  let { place, seq } = last ?? { place: 0, seq: 0 }
  for (const record of records) {
    const { body, stage } = columnsOf(record)
    connection.run(sql`
      INSERT INTO records
      VALUES (
        ${partition.key}, ${run}, ${++place}, ${record.kind}, ${stage}, ${record.kind === "log" ? ++seq : null}, ${body}
      )`)
  }
}

const recordOf = (row: typeof AnyRow.Type): RunRecord => {
  const { kind, place } = row
  if (kind === "metric") return { place, kind, point: row.body }
  if (kind === "log") return { place, kind, line: { ...row.body, seq: row.seq } }
  return { place, kind, state: row.body }
}

export const make = (db: Database): RunRecords["Service"] =>
  RunRecords.of({
    append: (partition, run, records) =>
      db.write("RunRecords.append", (connection) => append(connection, partition, run, records)),
    appendMany: (partition, appended) =>
      db.write("RunRecords.appendMany", (connection) => {
        for (const { records, run } of appended) append(connection, partition, run, records)
      }),
    metrics: (partition, run) =>
      db.read("RunRecords.metrics", (connection) =>
        points.all(
          connection,
          sql`SELECT body FROM records WHERE ${of(partition, run)} AND kind = 'metric' ORDER BY place`
        )
      ),
    logs: (partition, run, { after, limit, stage }) =>
      db.read("RunRecords.logs", (connection) => {
        const rows = connection.all(
          LogRow,
          sql`
          SELECT place, kind, seq, body FROM records
          WHERE ${of(partition, run)} AND kind = 'log' AND seq > ${after}
            AND ${ifPresent(stage, (wanted) => sql`stage = ${wanted}`)}
          ORDER BY seq LIMIT ${limit}`
        )
        return rows.map(({ body, seq }) => ({ ...body, seq }))
      }),
    all: (partition, run, { after, limit }) =>
      db.read("RunRecords.all", (connection) =>
        connection
          .all(
            AnyRow,
            sql`
            SELECT place, kind, seq, body FROM records WHERE ${of(partition, run)} AND place > ${after}
            ORDER BY place LIMIT ${limit}`
          )
          .map(recordOf)
      )
  })
