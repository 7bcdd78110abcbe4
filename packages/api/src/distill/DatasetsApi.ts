/** Datasets and their immutable versions (contract 6, 14.21). */

import { DatasetResource as Dataset } from "@limbeck/distill/dataset/DatasetResource"
import {
  Clean,
  callsFilter,
  DatasetVersionResource as DatasetVersion
} from "@limbeck/distill/dataset/DatasetVersionResource"
import { Split } from "@limbeck/distill/dataset/Row"
import { RedactionKind } from "@limbeck/distill/dataset/redaction/Redaction"
import { SuspectResource as Suspect } from "@limbeck/distill/suspects/SuspectResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import {
  asCreated,
  Description,
  documentRule,
  Instant,
  idOf,
  listOf,
  listQuery,
  Name,
  pageQuery,
  Reference,
  referenceTo
} from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, operation, readErrors, stateErrors, writeErrors } from "../contract/Operation.ts"
import { Budget } from "./RunsApi.ts"

export { Dataset, DatasetVersion, Suspect }

export const DatasetCreate = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Description),
  loop: Schema.optionalKey(referenceTo("loop"))
}).annotate({ identifier: "DatasetCreate" })

const selection = {
  ...callsFilter,
  source: Schema.optionalKey(Reference.annotate({ description: "Name or id" })),
  created_after: Schema.optionalKey(Instant),
  created_before: Schema.optionalKey(Instant)
}

/** Members that may stand beside `ids`. */
const besideIds: ReadonlyArray<string> = ["ids", "served_by", "outcome"]

/** JSON Schema of a present member; a null member counts as absent. */
const present = (name: string) => ({ required: [name], properties: { [name]: { not: { type: "null" } } } })

/** Filters of captured calls: the list's filters, under the same names, and further ones. */
export const CallSelection = Schema.Struct(selection).check(
  Schema.makeFilter(
    (calls) =>
      calls.ids === undefined ||
      Object.keys(calls).every((name) => besideIds.includes(name)) ||
      "Beside ids stand served_by and outcome alone",
    {
      toJsonSchema: () => {
        const others = Object.keys(selection).filter((name) => !besideIds.includes(name))
        return { not: { allOf: [present("ids"), { anyOf: others.map(present) }] } }
      }
    }
  )
)

const contents = {
  upload: Schema.optionalKey(referenceTo("upl")),
  pull: Schema.optionalKey(referenceTo("pull")),
  calls: Schema.optionalKey(CallSelection)
}

const rowsFrom = {
  ...contents,
  versions: Schema.optionalKey(
    Schema.Array(referenceTo("dsv"))
      .check(Schema.isMinLength(1), Schema.isMaxLength(Limits.joinedVersionsMax))
      .annotate({ description: "Ready versions whose rows are joined; a row that two sources have is one" })
  )
}

/** More than one of `names`, or none of them and not `alone`, in JSON Schema: a null member counts as absent. */
const notOne = (names: ReadonlyArray<string>, alone: string) => {
  const both = names.flatMap((name, index) =>
    names.slice(index + 1).map((other) => ({ allOf: [present(name), present(other)] }))
  )
  return { anyOf: [...both, { not: { anyOf: [...names, alone].map(present) } }] }
}

const isOneSource = ({ versions, ...content }: object & { readonly versions?: unknown }): boolean => {
  const named = Object.keys(content).length
  return named === 1 || (named === 0 && versions !== undefined)
}

const RowsFrom = Schema.Struct(rowsFrom)
  .check(
    Schema.makeFilter(
      (from) =>
        isOneSource(from) || "Name one of upload, pull and calls, versions to join, or one of them and versions",
      { toJsonSchema: () => ({ not: notOne(Object.keys(contents), "versions") }) }
    )
  )
  .annotate({ examples: [{ upload: "upl_01kaf3tn0e5v2b8w6xq4rj7mcd" }] })

const Relabel = Schema.Struct({
  source: Reference.annotate({ description: "Name or id" }),
  model: Name,
  budget: Budget
})

/** A request that fulfills one schema and not the other. A null member counts as absent. */
const without = (one: Schema.JsonObject, other: Schema.JsonObject): Schema.JsonObject => ({ ...one, not: other })
const relabels = { required: ["clean"], properties: { clean: { const: "relabel" } } }
const teacher = { required: ["relabel"], properties: { relabel: { type: "object" } } }

export const DatasetVersionCreate = Schema.Struct({
  /** Exactly one of upload, pull and calls, or joined versions, or both. */
  from: RowsFrom,
  holdout_fraction: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))),
  dedupe: Schema.optionalKey(Schema.Literals(["exact", "none"])),
  redact: Schema.optionalKey(Schema.Array(RedactionKind).check(Schema.isMaxLength(Limits.redactionsMax))),
  seed: Schema.optionalKey(Schema.Int),
  clean: Schema.optionalKey(
    Clean.annotate({
      default: "report",
      description:
        "`report`: the build looks for train rows whose answers look wrong; `drop` leaves the confident ones out; `relabel` asks a teacher " +
        "about them again and keeps the vote. Absent: the first training of the builtin student looks for them"
    })
  ),
  relabel: Schema.optionalKey(
    Relabel.annotate({
      description:
        'With `clean: "relabel"`, and only then: the teacher that is asked at most twice about each suspect, and what that may cost'
    })
  )
})
  .check(documentRule({ not: { anyOf: [without(relabels, teacher), without(teacher, relabels)] } }))
  .annotate({
    identifier: "DatasetVersionCreate",
    examples: [{ from: { upload: "upl_01kaf3tn0e5v2b8w6xq4rj7mcd" }, holdout_fraction: 0.1, clean: "report" }]
  })

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
      success: asCreated(Dataset),
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
      success: asCreated(DatasetVersion),
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
    HttpApiEndpoint.get("suspects", "/v1/distill/dataset_versions/:dataset_version_id/suspects", {
      params: versionParams,
      query: pageQuery,
      success: listOf(Suspect),
      error: stateErrors
    }).annotateMerge(
      operation("listDatasetSuspects", "Train rows whose answers look wrong, the most suspicious first", read)
    )
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
