/** A dataset version as its GET shows it, its rows, and the events that tell its end (contract 6, 14.20). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { toIso } from "@limbeck/core/time/Timestamp"
import type * as Schema from "effect/Schema"
import type { CallsFilter } from "./CallsFilter.ts"
import type { DatasetVersion, RowsFrom } from "./DatasetVersion.ts"
import type { StoredRow } from "./RowStore.ts"

const renderCalls = ({ createdAfter, createdBefore, externalId, minFeedback, servedBy, ...filter }: CallsFilter) => ({
  ...filter,
  ...(createdAfter === undefined ? {} : { created_after: toIso(createdAfter) }),
  ...(createdBefore === undefined ? {} : { created_before: toIso(createdBefore) }),
  ...(externalId === undefined ? {} : { external_id: externalId }),
  ...(servedBy === undefined ? {} : { served_by: servedBy }),
  ...(minFeedback === undefined ? {} : { min_feedback: minFeedback })
})

const renderFrom = (from: RowsFrom) => ("calls" in from ? { calls: renderCalls(from.calls) } : from)

export const render = Rendered.once((partition: Partition, version: DatasetVersion) => ({
  id: version.id,
  object: "dataset_version" as const,
  livemode: partition.livemode,
  dataset: version.dataset,
  status: version.status,
  from: renderFrom(version.source),
  holdout_fraction: version.holdoutFraction,
  dedupe: version.dedupe,
  redact: version.redact ?? [],
  seed: version.seed,
  rows: version.rows,
  train_rows: version.trainRows,
  holdout_rows: version.holdoutRows,
  tokens: version.tokens,
  content_sha256: version.contentSha256,
  dropped: version.dropped,
  near_duplicates: version.nearDuplicates ?? 0,
  error: version.error,
  created_at: toIso(version.createdAt),
  updated_at: toIso(version.updatedAt)
}))

/** The upload's row plus `split`. */
export const renderRow = (row: StoredRow): Schema.JsonObject => ({ ...JSON.parse(row.body), split: row.split })

export const eventsOf = (partition: Partition, version: DatasetVersion): ReadonlyArray<EventDraft> =>
  version.status === "building"
    ? []
    : [{ type: `distill.dataset_version.${version.status}`, object: render(partition, version) }]
