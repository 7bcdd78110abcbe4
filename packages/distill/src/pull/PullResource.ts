/** A pull in the form of its GET, and of events (contract 6). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Digest, idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { type Pull, PullStatus } from "./Pull.ts"

export const PullResource = Schema.Struct({
  id: idOf("pull"),
  object: Schema.Literal("connector_pull"),
  livemode: Schema.Boolean,
  connector: idOf("con"),
  status: PullStatus,
  bytes: Schema.NullOr(Count),
  sha256: Schema.NullOr(Digest),
  rows: Schema.NullOr(Count),
  errors: Schema.Array(Schema.Struct({ line: Schema.Int, message: Schema.String })),
  error_count: Count,
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  updated_at: Timestamp
}).annotate({ identifier: "Pull" })

export const render = Rendered.by(PullResource, (partition: Partition, pull: Pull) => ({
  id: pull.id,
  object: "connector_pull",
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
}))

/** What a finished pull tells; nothing before. */
export const eventsOf = (partition: Partition, pull: Pull): ReadonlyArray<EventDraft> =>
  pull.status === "succeeded" || pull.status === "failed"
    ? [{ type: `distill.pull.${pull.status}`, object: render(partition, pull) }]
    : []
