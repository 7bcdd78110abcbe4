/** RunRecords in memory: one growing list per run, and its log lines once more by themselves. */
import { type RunRecord, RunRecords, type StoredLogLine } from "@limbeck/distill/run/RunRecords"
import type { Journal, MemoryDatabase } from "./MemoryDatabase.ts"
import { append, Family, keyOf, takeWhere } from "./Table.ts"

/** A record that has no place yet. */
type Unplaced<R> = R extends unknown ? Omit<R, "place"> : never

export const make = (db: MemoryDatabase): RunRecords["Service"] => {
  const records = new Family((): Array<RunRecord> => [])
  const lines = new Family((): Array<StoredLogLine> => [])

  const add = (journal: Journal, key: string, more: ReadonlyArray<Unplaced<RunRecord>>) => {
    const all = records.of(key)
    const last = all.length
    append(
      journal,
      all,
      more.map((record, index) => ({ ...record, place: last + index + 1 }))
    )
  }

  return RunRecords.of({
    appendMetrics: (partition, run, more) =>
      db.sync((journal) =>
        add(
          journal,
          keyOf(partition.key, run),
          more.map((point) => ({ kind: "metric", point }))
        )
      ),
    metrics: (partition, run) =>
      db.sync(() =>
        records.of(keyOf(partition.key, run)).flatMap((record) => (record.kind === "metric" ? [record.point] : []))
      ),
    appendLogs: (partition, run, more) =>
      db.sync((journal) => {
        const key = keyOf(partition.key, run)
        const log = lines.of(key)
        const last = log.length
        const stored = more.map((line, index) => ({ ...line, seq: last + index + 1 }))
        append(journal, log, stored)
        add(
          journal,
          key,
          stored.map((line) => ({ kind: "log", line }))
        )
      }),
    logs: (partition, run, { after, limit, stage }) =>
      db.sync(() => {
        const later = lines.of(keyOf(partition.key, run)).slice(Math.max(0, after))
        return takeWhere(later, limit, (line) => stage === null || line.stage === stage)
      }),
    appendState: (partition, run, _at, state) =>
      db.sync((journal) => add(journal, keyOf(partition.key, run), [{ kind: "state", state }])),
    all: (partition, run, { after, limit }) =>
      db.sync(() => records.of(keyOf(partition.key, run)).slice(after, after + limit))
  })
}
