/** Datasets and their immutable versions (contract 6, 14.21). */

import { SearchText } from "@limbeck/capture/call/CallResource"
import { Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import { DatasetResource as Dataset } from "@limbeck/distill/dataset/DatasetResource"
import { VersionStatus } from "@limbeck/distill/dataset/DatasetVersion"
import { Split } from "@limbeck/distill/dataset/Row"
import { RedactionKind } from "@limbeck/distill/dataset/redaction/Redaction"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import {
  Count,
  created,
  Description,
  Digest,
  Instant,
  idOf,
  listOf,
  listQuery,
  Name,
  pageQuery,
  Reference,
  referenceTo,
  Timestamp
} from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Dataset }

export const DatasetCreate = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
  loop: Schema.optionalKey(referenceTo("loop"))
}).annotate({ identifier: "DatasetCreate" })

const Tag = Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.tagMax))

/** Filters of captured calls: those of the list of calls by the same names, and more. */
const callsFilter = {
  /** All of them. */
  tags: Schema.optionalKey(Schema.Array(Tag).check(Schema.isMaxLength(CaptureLimits.tagsMax))),
  tag: Schema.optionalKey(Tag),
  model: Schema.optionalKey(Reference),
  external_id: Schema.optionalKey(Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.externalIdMax))),
  served_by: Schema.optionalKey(
    ServedBy.annotate({ description: "Absent: every responder but students, whose answers are left out" })
  ),
  outcome: Schema.optionalKey(
    Outcome.annotate({ description: "Absent: succeeded. A call without an answer gives no row" })
  ),
  text: Schema.optionalKey(
    SearchText.annotate({ description: "A part of the request or the answer; case is ignored" })
  ),
  /** At least one feedback has this value or more. */
  min_feedback: Schema.optionalKey(Schema.Finite),
  /** The newest so many. */
  limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
}

const CallsAsked = Schema.Struct({
  ...callsFilter,
  source: Schema.optionalKey(Reference.annotate({ description: "Name or id" })),
  created_after: Schema.optionalKey(Instant),
  created_before: Schema.optionalKey(Instant)
})

const CallsShown = Schema.Struct({
  ...callsFilter,
  source: Schema.optionalKey(Schema.String),
  created_after: Schema.optionalKey(Timestamp),
  created_before: Schema.optionalKey(Timestamp)
})

export const DatasetVersion = Schema.Struct({
  id: idOf("dsv"),
  object: Schema.Literal("dataset_version"),
  livemode: Schema.Boolean,
  dataset: idOf("ds"),
  status: VersionStatus,
  from: Schema.Union([
    Schema.Struct({ upload: idOf("upl") }),
    Schema.Struct({ pull: idOf("pull") }),
    Schema.Struct({ calls: CallsShown })
  ]),
  holdout_fraction: Schema.Finite,
  dedupe: Schema.Literals(["exact", "none"]),
  redact: Schema.Array(RedactionKind),
  seed: Schema.Int,
  rows: Count,
  train_rows: Count,
  holdout_rows: Count,
  tokens: Count,
  content_sha256: Schema.NullOr(Digest),
  dropped: Schema.Struct({ duplicates: Count, invalid: Count, redactions: Count }),
  near_duplicates: Count,
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "DatasetVersion" })

const rowsFrom = {
  upload: Schema.optionalKey(referenceTo("upl")),
  pull: Schema.optionalKey(referenceTo("pull")),
  calls: Schema.optionalKey(CallsAsked)
}

/** Any number of these names but one, as the document says it: a member that is null counts as absent. */
const notOne = (names: ReadonlyArray<string>) => {
  const present = (name: string) => ({ required: [name], properties: { [name]: { not: { type: "null" } } } })
  const both = names.flatMap((name, index) =>
    names.slice(index + 1).map((other) => ({ allOf: [present(name), present(other)] }))
  )
  return { anyOf: [...both, { not: { anyOf: names.map(present) } }] }
}

const RowsFrom = Schema.Struct(rowsFrom)
  .check(
    Schema.makeFilter((from) => Object.keys(from).length === 1 || "Name one of upload, pull and calls", {
      toJsonSchema: () => ({ not: notOne(Object.keys(rowsFrom)) })
    })
  )
  .annotate({ examples: [{ upload: "upl_01kaf3tn0e5v2b8w6xq4rj7mcd" }] })

export const DatasetVersionCreate = Schema.Struct({
  /** Exactly one of them. */
  from: RowsFrom,
  holdout_fraction: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))),
  dedupe: Schema.optionalKey(Schema.Literals(["exact", "none"])),
  redact: Schema.optionalKey(Schema.Array(RedactionKind).check(Schema.isMaxLength(Limits.redactionsMax))),
  seed: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "DatasetVersionCreate" })

/** The upload's row, plus `split`: the side it is on. */
export const DatasetRow = Schema.JsonObject

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", idempotency: "supported", workflowStage } as const
const datasetParams = { dataset_id: idOf("ds") }
const versionParams = { dataset_version_id: idOf("dsv") }
const split = { split: Schema.optionalKey(Split) }
const workflow = {
  terminalStates: ["ready", "failed"],
  recovery:
    "Keep the version id and poll GET /v1/distill/dataset_versions/{dataset_version_id}; a time-out is not an end."
}

export class DatasetsApi extends HttpApiGroup.make("datasets")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/datasets", {
      payload: DatasetCreate,
      success: created(Dataset),
      error: writeErrors
    }).annotateMerge(operation("createDataset", "A name under which versions are made", write))
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/datasets", {
      query: listQuery,
      success: listOf(Dataset),
      error: readErrors
    }).annotateMerge(operation("listDatasets", "Datasets, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/datasets/:dataset_id", {
      params: datasetParams,
      success: Dataset,
      error: readErrors
    }).annotateMerge(operation("getDataset", "One dataset", read))
  )
  .add(
    HttpApiEndpoint.post("createVersion", "/v1/distill/datasets/:dataset_id/versions", {
      params: datasetParams,
      payload: DatasetVersionCreate,
      success: created(DatasetVersion),
      error: writeErrors
    }).annotateMerge(
      operation("createDatasetVersion", "Build an immutable version of rows, split into train and holdout", {
        ...write,
        prerequisites: ["a succeeded upload or pull, or captured calls"],
        ...workflow
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listVersions", "/v1/distill/datasets/:dataset_id/versions", {
      params: datasetParams,
      query: listQuery,
      success: listOf(DatasetVersion),
      error: readErrors
    }).annotateMerge(operation("listDatasetVersions", "Versions, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("getVersion", "/v1/distill/dataset_versions/:dataset_version_id", {
      params: versionParams,
      success: DatasetVersion,
      error: readErrors
    }).annotateMerge(operation("getDatasetVersion", "One version", { ...read, ...workflow }))
  )
  .add(
    HttpApiEndpoint.get("rows", "/v1/distill/dataset_versions/:dataset_version_id/rows", {
      params: versionParams,
      query: { ...pageQuery, ...split },
      success: listOf(DatasetRow),
      error: readErrors
    }).annotateMerge(operation("listDatasetRows", "Rows with their split, in a stable order", read))
  )
  .add(
    HttpApiEndpoint.get("export", "/v1/distill/dataset_versions/:dataset_version_id/export", {
      params: versionParams,
      query: split,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
      error: readErrors
    }).annotateMerge(operation("exportDatasetVersion", "All rows as JSON Lines, streamed", read))
  )
  .annotateMerge(about("Datasets and their immutable versions.")) {}
