/** An upload: a file of rows, or a student, on its way in, and what its content turned out to be (contract 6). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as LoopLabel from "../loop/LoopLabel.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"
import { ArtifactFormat } from "../student/Artifact.ts"

export const UploadId = Id.schema("upl")
export type UploadId = typeof UploadId.Type

export const UploadStatus = Schema.Literals(["awaiting_content", "processing", "succeeded", "failed", "expired"])
export type UploadStatus = typeof UploadStatus.Type

/** An invalid line; lines count from 1. Line 0 stands for the whole file. */
export const LineError = Schema.Struct({ line: Schema.Int, message: Schema.String })
export type LineError = typeof LineError.Type

/** `chat_jsonl`: rows; `decisions_jsonl`: requests for decisions with their answers; `student_model`: another tool's trained model, in an `ArtifactFormat`. */
export const UploadFormat = Schema.Literals(["chat_jsonl", "decisions_jsonl", "student_model"])
export type UploadFormat = typeof UploadFormat.Type

export const Upload = Schema.Struct({
  id: UploadId,
  filename: Schema.String,
  format: UploadFormat,
  /** The announced size and digest, checked against the sent bytes. */
  expectedBytes: Schema.NullOr(Schema.Int),
  expectedSha256: Schema.NullOr(Schema.String),
  status: UploadStatus,
  /** SHA-256 of the capability in the upload URL. */
  capabilityDigest: Schema.String,
  /** The capability itself, sealed, so that reads can show the URL. */
  sealedCapability: Schema.String,
  /** Digest and length of the uploaded bytes, after all have arrived. */
  blob: Schema.NullOr(Schema.Struct({ sha256: Schema.String, bytes: Schema.Int })),
  /** Parts of the content, in order. The last part counts as far as stored: its bytes are null. */
  parts: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.String, bytes: Schema.NullOr(Schema.Int) }))),
  /** The length of the whole content, if announced; the content is sealed when this many bytes are stored. */
  totalBytes: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  gzip: Schema.Boolean,
  /** The number of rows, after reading. */
  rows: Schema.NullOr(Schema.Int),
  /** The packing of a student's artifact, after reading. */
  artifact: Schema.optionalKey(ArtifactFormat),
  errors: Schema.Array(LineError),
  errorCount: Schema.Int,
  loop: Schema.NullOr(Schema.String),
  /** From then on no version is made of it, and a day later its content may be gone. */
  contentGoneAt: Schema.optionalKey(Millis),
  createdAt: Millis,
  updatedAt: Millis
})
export type Upload = typeof Upload.Type

export const kind = Kind.make({
  name: "upload",
  schema: Upload,
  labels: (upload) => [
    `status:${upload.status}`,
    ...LoopLabel.labels(upload.loop),
    ...BlobLabel.labels(upload.blob === null ? [] : [upload.blob.sha256])
  ]
})

/** The queue topic on which uploads wait to be read. */
export const topic = "upload"
