/** The life of an upload, as data (contract 6). Only the `edges` table allows a move. */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import { DistillLimits } from "../Limits.ts"
import type { ArtifactFormat } from "../student/Artifact.ts"
import type { LineError, Upload, UploadStatus } from "./Upload.ts"

/** What a content turned out to be: rows, a student, or neither. */
export interface Findings {
  /** Null of a student. */
  readonly rows: number | null
  readonly artifact?: ArtifactFormat
  readonly errors: ReadonlyArray<LineError>
  readonly errorCount: number
}

export type UploadEvent = Data.TaggedEnum<{
  /** All bytes have arrived; their digest may differ from the declared one. */
  ContentArrived: { readonly blob: { readonly sha256: string; readonly bytes: number }; readonly gzip: boolean }
  /** The content was read completely. */
  ContentRead: Findings
}>
export const UploadEvent = Data.taggedEnum<UploadEvent>()

export const edges = {
  awaiting_content: { ContentArrived: ["processing", "failed"] },
  processing: { ContentRead: ["succeeded", "failed"] },
  succeeded: {},
  failed: {},
  expired: {}
} as const satisfies Machine.Edges<UploadStatus, UploadEvent["_tag"]>

/** The upload as of `now`: an upload without content expires without a write. */
export const at = (upload: Upload, now: Millis): Upload => {
  const expiresAt = upload.createdAt + DistillLimits.uploadExpiryMillis
  return upload.status === "awaiting_content" && expiresAt <= now
    ? { ...upload, status: "expired", updatedAt: expiresAt }
    : upload
}

/** The difference between the bytes and their declaration; undefined if they match. */
const mismatch = (upload: Upload, blob: { readonly sha256: string; readonly bytes: number }): string | undefined => {
  if (upload.expectedBytes !== null && upload.expectedBytes !== blob.bytes) {
    return `${blob.bytes} bytes were sent, ${upload.expectedBytes} were declared`
  }
  return upload.expectedSha256 !== null && upload.expectedSha256 !== blob.sha256
    ? `The SHA-256 of the bytes sent is ${blob.sha256}, declared was ${upload.expectedSha256}`
    : undefined
}

const apply = (upload: Upload, event: UploadEvent): Upload => {
  switch (event._tag) {
    case "ContentArrived": {
      const { blob, gzip } = event
      const fault = mismatch(upload, blob)
      return fault === undefined
        ? { ...upload, status: "processing", blob, gzip, parts: [] }
        : { ...upload, status: "failed", blob, gzip, parts: [], errors: [{ line: 0, message: fault }], errorCount: 1 }
    }
    case "ContentRead": {
      const { artifact, errorCount, errors, rows } = event
      return errorCount === 0
        ? { ...upload, status: "succeeded", rows, ...(artifact === undefined ? {} : { artifact }) }
        : { ...upload, status: "failed", errors: errors.slice(0, DistillLimits.uploadErrorsMax), errorCount }
    }
  }
}

const machine = Machine.make<UploadStatus, Upload, UploadEvent>({ name: "upload", edges, apply })

/** Pure: no clock, no id, no storage. */
export const transition = (
  upload: Upload,
  event: UploadEvent,
  now: Millis
): Result.Result<Upload, Machine.InvalidTransition> => machine.transition(at(upload, now), event, now)
