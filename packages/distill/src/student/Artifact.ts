/** The bytes of a trained student. */
import * as Schema from "effect/Schema"

/**
 * The packing of a language model: one file, or a tar of a folder, which an external artifact may compress with gzip.
 */
export const ArtifactFormat = Schema.Literals(["file", "tar", "tar.gz"])
export type ArtifactFormat = typeof ArtifactFormat.Type

/** Bytes stored under their digest, with their format: an `ArtifactFormat`, or the executor's own name. */
export const Artifact = Schema.Struct({ sha256: Schema.String, bytes: Schema.Int, format: Schema.String })
export type Artifact = typeof Artifact.Type
