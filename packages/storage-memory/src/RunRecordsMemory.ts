/** RunRecords in memory: two growing lists per run. */
import { type MetricPoint, RunRecords, type StoredLogLine } from "@limbeck/distill/run/RunRecords"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { append, Family, keyOf, takeWhere } from "./Table.ts"

export const make = (db: MemoryDatabase): RunRecords["Service"] => {
  const points = new Family((): Array<MetricPoint> => [])
  const lines = new Family((): Array<StoredLogLine> => [])

  return RunRecords.of({
    appendMetrics: (partition, run, more) =>
      db.sync((journal) => append(journal, points.of(keyOf(partition.key, run)), more)),
    metrics: (partition, run) => db.sync(() => [...points.of(keyOf(partition.key, run))]),
    appendLogs: (partition, run, more) =>
      db.sync((journal) => {
        const log = lines.of(keyOf(partition.key, run))
        const last = log.length
        append(
          journal,
          log,
          more.map((line, index) => ({ ...line, seq: last + index + 1 }))
        )
      }),
    logs: (partition, run, { after, limit, stage }) =>
      db.sync(() => {
        const later = lines.of(keyOf(partition.key, run)).slice(Math.max(0, after))
        return takeWhere(later, limit, (line) => stage === null || line.stage === stage)
      })
  })
}
