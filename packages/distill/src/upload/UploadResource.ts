/** Renders an upload for the API (contract 6, 14.20) and for events, which hold no capability (14.14). */
import type { EventDraft } from "@limbeck/core/events/Event"
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Upload } from "./Upload.ts"

const renderPublic = (partition: Partition, upload: Upload) => ({
  id: upload.id,
  object: "upload" as const,
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
  updated_at: toIso(upload.updatedAt)
})

/** `uploadUrl` is null when the upload accepts no more bytes. `received`: stored bytes of the content. */
export const render = (partition: Partition, upload: Upload, uploadUrl: string | null, received: number) => ({
  ...renderPublic(partition, upload),
  received_bytes: received,
  upload_url: uploadUrl
})
/** What a finished upload tells; nothing before. */
export const eventsOf = (partition: Partition, upload: Upload): ReadonlyArray<EventDraft> =>
  upload.status === "succeeded" || upload.status === "failed"
    ? [
        {
          type: `distill.upload.${upload.status}`,
          object: { ...renderPublic(partition, upload), received_bytes: upload.blob?.bytes ?? 0 }
        }
      ]
    : []
