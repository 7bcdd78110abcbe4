/** A dataset version: rows that never change again, split into train and holdout (contract 6). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as LoopLabel from "../loop/LoopLabel.ts"
import { PullId } from "../pull/Pull.ts"
import { UploadId } from "../upload/Upload.ts"
import { CallsFilter } from "./CallsFilter.ts"
import { Census } from "./Census.ts"
import { DatasetId } from "./internal/Dataset.ts"
import { RedactionKind } from "./redaction/Redaction.ts"

export const DatasetVersionId = Id.schema("dsv")
export type DatasetVersionId = typeof DatasetVersionId.Type

export const VersionStatus = Schema.Literals(["building", "ready", "failed"])

/** What the rows are like; enough to judge a case and to estimate. Counted while building. */
export const RowProfile = Schema.Struct({
  rows: Schema.Int,
  /** Rows whose conversation has more than one user turn. */
  multiTurn: Schema.Int,
  /** Rows whose completion or conversation uses tools. */
  toolUse: Schema.Int,
  /** Rows whose completion is a JSON object or array. */
  structured: Schema.Int,
  /** The labels that the completions are, sorted; null when they are no closed set, or one for each field. */
  labels: Schema.NullOr(Schema.Array(Schema.String)),
  /** Where completions are JSON objects of the same fields, each of a closed set: those that differ, with the size of their sets. */
  fields: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, labels: Schema.Int }))),
  /** Where they are one. Absent in versions from before it was counted. */
  answers: Schema.optionalKey(
    Schema.Struct({
      /** Rows that answer no label. */
      odd: Schema.Int,
      /** Other writings of labels, in case, white space, end punctuation or form of JSON. */
      variants: Schema.Int
    })
  ),
  promptTokens: Schema.Int,
  /** Of the messages that ask: the last of each row's user turns. Absent in versions from before they were counted. */
  requestTokens: Schema.optionalKey(Schema.Int),
  completionTokens: Schema.Int,
  longestTokens: Schema.Int,
  /** Absent where nobody counts, and in versions from before it was counted. */
  census: Schema.optionalKey(Census)
})
export type RowProfile = typeof RowProfile.Type

/** Where the rows come from. */
export const RowsFrom = Schema.Union([
  Schema.Struct({ upload: UploadId }),
  Schema.Struct({ pull: PullId }),
  Schema.Struct({ calls: CallsFilter })
])
export type RowsFrom = typeof RowsFrom.Type

export const DatasetVersion = Schema.Struct({
  id: DatasetVersionId,
  dataset: DatasetId,
  status: VersionStatus,
  /** Of its dataset, if that belongs to one. */
  loop: Schema.optionalKey(Schema.NullOr(Schema.String)),
  source: RowsFrom,
  holdoutFraction: Schema.Finite,
  dedupe: Schema.Literals(["exact", "none"]),
  /** What was taken out of the rows; absent in versions from before there was redaction. */
  redact: Schema.optionalKey(Schema.Array(RedactionKind)),
  seed: Schema.Int,
  rows: Schema.Int,
  trainRows: Schema.Int,
  holdoutRows: Schema.Int,
  tokens: Schema.Int,
  /** Digest of the rows and their split, whatever order they came in; null until ready. */
  contentSha256: Schema.NullOr(Schema.String),
  dropped: Schema.Struct({ duplicates: Schema.Int, invalid: Schema.Int, redactions: Schema.Int }),
  /** Rows beyond the first of each prompt, near-duplicates of it; absent in versions from before they were counted. */
  nearDuplicates: Schema.optionalKey(Schema.Int),
  profile: Schema.NullOr(RowProfile),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** Of the request that made it; absent where that was not traced. */
  traceparent: Schema.optionalKey(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type DatasetVersion = typeof DatasetVersion.Type

export const kind = Kind.make({
  name: "dataset_version",
  schema: DatasetVersion,
  labels: (version) => [`dataset:${version.dataset}`, `status:${version.status}`, ...LoopLabel.labels(version.loop)]
})

/** The queue topic on which versions wait to be built. */
export const topic = "dataset_version"
