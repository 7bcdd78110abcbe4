/** A student model: what a live run leaves behind when it publishes (contract 5, 14.24). It never changes. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"
import { ReportId, RunId, StudentModelId } from "../run/Run.ts"

/** Bytes kept under their digest, and how to read them. */
export const Artifact = Schema.Struct({ sha256: Schema.String, bytes: Schema.Int, format: Schema.String })
export type Artifact = typeof Artifact.Type

/** What the last stage of a run that publishes answers. */
export const Published = Schema.Struct({ artifact: Artifact })

export const StudentModel = Schema.Struct({
  id: StudentModelId,
  /** As the run's creator called it. */
  name: Schema.NullOr(Schema.String),
  /** The student base it was made of. */
  base: Schema.String,
  run: RunId,
  report: ReportId,
  datasetVersion: DatasetVersionId,
  executor: Schema.String,
  /** Null when stubs made it: there is nothing to serve. */
  artifact: Schema.NullOr(Artifact),
  /** Share of holdout answers that say the same as the row; null where nothing was evaluated. */
  accuracy: Schema.NullOr(Schema.Finite),
  createdAt: Millis
})
export type StudentModel = typeof StudentModel.Type

export const kind = Kind.make({
  name: "student_model",
  schema: StudentModel,
  labels: (model) => [`run:${model.run}`, ...BlobLabel.labels(model.artifact === null ? [] : [model.artifact.sha256])]
})
