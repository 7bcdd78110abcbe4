/** Renders an upload for the API (contract 6, 14.20) and for events, which hold no capability (14.14). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Digest, idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { type Upload, UploadFormat, UploadStatus } from "./Upload.ts"

export const UploadResource = Schema.Struct({
  id: idOf("upl"),
  object: Schema.Literal("upload"),
  livemode: Schema.Boolean,
  status: UploadStatus,
  filename: Schema.String,
  format: UploadFormat,
  bytes: Schema.NullOr(Count),
  sha256: Schema.NullOr(Digest),
  received_bytes: Count,
  upload_url: Schema.NullOr(UrlShown),
  rows: Schema.NullOr(Count),
  errors: Schema.Array(Schema.Struct({ line: Schema.Int, message: Schema.String })),
  error_count: Count,
  loop: Schema.NullOr(idOf("loop")),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Upload" })

/** An upload without its capability. */
const UploadInEvents = UploadResource.mapFields(Struct.omit(["upload_url"]))

/** `received`: stored bytes of the content. */
const renderPublic = Rendered.by(UploadInEvents, (partition: Partition, upload: Upload, received: number) => ({
  id: upload.id,
  object: "upload",
  livemode: partition.livemode,
  status: upload.status,
  filename: upload.filename,
  format: upload.format,
  /** The length of the uploaded bytes, or the declared length before all have arrived. */
  bytes: upload.blob?.bytes ?? upload.expectedBytes,
  sha256: upload.blob?.sha256 ?? upload.expectedSha256,
  rows: upload.rows,
  errors: upload.errors,
  error_count: upload.errorCount,
  loop: upload.loop,
  created_at: toIso(upload.createdAt),
  updated_at: toIso(upload.updatedAt),
  received_bytes: received
}))

/** `uploadUrl` is null when the upload accepts no more bytes. */
export const render = Rendered.by(
  UploadResource,
  (partition: Partition, upload: Upload, uploadUrl: string | null, received: number) => ({
    ...renderPublic(partition, upload, received),
    upload_url: uploadUrl
  })
)

/** What a finished upload tells; nothing before. */
export const eventsOf = (partition: Partition, upload: Upload): ReadonlyArray<EventDraft> =>
  upload.status === "succeeded" || upload.status === "failed"
    ? [
        {
          type: `distill.upload.${upload.status}`,
          object: renderPublic(partition, upload, upload.blob?.bytes ?? 0)
        }
      ]
    : []
