/**
 * A student model: what a live run leaves behind when it publishes (contract 5, 14.24), or one that was trained elsewhere and
 * is registered here (15.16). It never changes, but for what evaluations find of the latter.
 */
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"
import { ReportId, RunId, StudentModelId } from "../run/Run.ts"
import { Artifact } from "./Artifact.ts"
import { Endpoint, Prices } from "./Endpoint.ts"

/** What the last stage of a run that publishes answers. */
export const Published = Schema.Struct({ artifact: Artifact })

/** What the holdout of its run says of a student: the evidence that a guard asks for (contract 15.15). */
export const HoldoutEvidence = Schema.Struct({
  rows: Schema.Int,
  /** Rows on which it says the same as the teacher. */
  agreed: Schema.Int,
  /** The 95 % interval of that share. */
  low: Schema.Finite,
  high: Schema.Finite,
  /** How the interval was made. */
  method: Schema.String,
  /** Rows that have the most frequent completion. */
  mostFrequent: Schema.Int
})
export type HoldoutEvidence = typeof HoldoutEvidence.Type

/** `run`: a live run here has made it; `external`: it was trained elsewhere. */
export const StudentOrigin = Schema.Literals(["run", "external"])

/** Where a student that was trained elsewhere is served, and what it costs. */
export const StudentEndpoint = Schema.Struct({ ...Endpoint.fields, ...Prices.fields })
export type StudentEndpoint = typeof StudentEndpoint.Type

export const StudentModel = Schema.Struct({
  id: StudentModelId,
  origin: StudentOrigin.pipe(Schema.withDecodingDefaultKey(Effect.succeed("run" as const))),
  /** As the run's creator called it. */
  name: Schema.NullOr(Schema.String),
  /** The student base it was made of. */
  base: Schema.String,
  /** Of an external one: the run that it is said to belong to. */
  run: Schema.NullOr(RunId),
  /** Of an external one: of its latest evaluation, as all that follows from a holdout; null before. */
  report: Schema.NullOr(ReportId),
  datasetVersion: Schema.NullOr(DatasetVersionId),
  executor: Schema.String,
  /** Of an external one alone. */
  endpoint: Schema.NullOr(StudentEndpoint).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Null when stubs made it: there is nothing to serve. */
  artifact: Schema.NullOr(Artifact),
  /** Share of holdout answers that say the same as the row; null where nothing was evaluated. */
  accuracy: Schema.NullOr(Schema.Finite),
  /** Null where nothing was evaluated, and for students from before this was kept. */
  holdout: Schema.NullOr(HoldoutEvidence).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  createdAt: Millis
})
export type StudentModel = typeof StudentModel.Type

export const kind = Kind.make({
  name: "student_model",
  schema: StudentModel,
  labels: (model) => [
    ...(model.run === null ? [] : [`run:${model.run}`]),
    ...BlobLabel.labels(model.artifact === null ? [] : [model.artifact.sha256])
  ]
})

export const isId = Id.isOf("stu")

/** The `executor` of a student that was trained elsewhere. */
export const externalName = "external"

/** What the key of its endpoint is sealed under. */
export const sealContext = ({ key }: Partition, id: string): string => `${key}/student_model/${id}`
