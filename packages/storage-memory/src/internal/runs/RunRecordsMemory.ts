/** RunRecords in memory: one growing list per run, and its log lines once more by themselves. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { type AppendResult, type RunRecord, RunRecords, type StoredLogLine } from "@limbeck/distill/run/RunRecords"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { append, Family, keyOf, takeWhere } from "../database/Table.ts"

export const make = (db: MemoryDatabase): RunRecords["Service"] => {
  const records = new Family((): Array<RunRecord> => [])
  const lines = new Family((): Array<StoredLogLine> => [])

  const appendTo = (undoLog: UndoLog, partition: Partition, { records: more, run }: AppendResult) => {
    const key = keyOf(partition.key, run)
    const [all, log] = [records.of(key), lines.of(key)]
    let [place, seq] = [all.length, log.length]
    const placed = more.map((record): RunRecord => {
      place++
      if (record.kind === "metric") return { place, ...record }
      if (record.kind === "log") return { place, kind: "log", line: { ...record.line, seq: ++seq } }
      return { place, kind: "state", state: record.state }
    })
    append(undoLog, all, placed)
    append(
      undoLog,
      log,
      placed.flatMap((record) => (record.kind === "log" ? [record.line] : []))
    )
  }

  return RunRecords.of({
    append: (partition, run, more) => db.sync((undoLog) => appendTo(undoLog, partition, { run, records: more })),
    appendMany: (partition, appended) =>
      db.sync((undoLog) => {
        for (const one of appended) appendTo(undoLog, partition, one)
      }),
    metrics: (partition, run) =>
      db.sync(() =>
        records.of(keyOf(partition.key, run)).flatMap((record) => (record.kind === "metric" ? [record.point] : []))
      ),
    logs: (partition, run, { after, limit, stage }) =>
      db.sync(() => {
        const later = lines.of(keyOf(partition.key, run)).slice(Math.max(0, after))
        return takeWhere(later, limit, (line) => stage === null || line.stage === stage)
      }),
    all: (partition, run, { after, limit }) =>
      db.sync(() => records.of(keyOf(partition.key, run)).slice(after, after + limit))
  })
}
