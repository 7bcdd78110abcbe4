/** The artifact of an external student: an upload's content in archive form. */
import { invalid } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Effect from "effect/Effect"
import { ContentNotReady, ContentRemoved } from "../../Errors.ts"
import * as Upload from "../../upload/Upload.ts"
import type { Artifact } from "../Artifact.ts"

export interface NewArtifact {
  readonly upload: string
  /** The digest of the uploaded bytes, which identifies the student. */
  readonly sha256: string
}

const field = "artifact.upload"

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore

  return Effect.fnUntraced(function* (partition: Partition, { sha256, upload: id }: NewArtifact) {
    const upload = yield* Resources.requireValue(resources, partition, Upload.kind, id, field)
    const { blob, contentGoneAt, errors, format, status } = upload
    if (format !== "student_model")
      return yield* invalid(field, `Upload ${id} holds rows: its format is not student_model`)
    if (status === "failed") return yield* invalid(field, `Upload ${id} holds no student: ${errors[0]?.message}`)
    if (status !== "succeeded" || blob === null || upload.artifact === undefined) {
      return yield* new ContentNotReady({ resource: "upload", id, status, field })
    }
    if (contentGoneAt !== undefined) return yield* new ContentRemoved({ resource: "upload", id, field })
    if (blob.sha256 !== sha256.toLowerCase()) {
      return yield* invalid("artifact.sha256", `The SHA-256 of upload ${id} is ${blob.sha256}`)
    }
    const artifact: Artifact = { ...blob, format: upload.artifact }
    return artifact
  })
})
