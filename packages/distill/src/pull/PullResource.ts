/** A pull as its GET shows it, and as events tell it (contract 6). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import type { Pull } from "./Pull.ts"

export const render = (partition: Partition, pull: Pull) => ({
  id: pull.id,
  object: "connector_pull" as const,
  livemode: partition.livemode,
  connector: pull.connector,
  status: pull.status,
  bytes: pull.blob?.bytes ?? null,
  sha256: pull.blob?.sha256 ?? null,
  rows: pull.rows,
  errors: pull.errors,
  error_count: pull.errorCount,
  error: pull.error,
  created_at: toIso(pull.createdAt),
  started_at: toIsoOrNull(pull.startedAt),
  finished_at: toIsoOrNull(pull.finishedAt),
  updated_at: toIso(pull.updatedAt)
})

/** What a finished pull tells; nothing before. */
export const eventsOf = (partition: Partition, pull: Pull): ReadonlyArray<EventDraft> =>
  pull.status === "succeeded" || pull.status === "failed"
    ? [{ type: `distill.pull.${pull.status}`, object: render(partition, pull) }]
    : []
