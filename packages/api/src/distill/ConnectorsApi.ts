/** Connectors, and the pulls that fetch their rows (contract 4, 6). */
import { configs, patches } from "@limbeck/distill/connector/Connector"
import { PullStatus } from "@limbeck/distill/pull/Pull"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  Count,
  created,
  Digest,
  documented,
  idOf,
  listOf,
  listQuery,
  Name,
  NoFields,
  Timestamp,
  UrlShown
} from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

const shown = <const K extends string, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({
    id: idOf("con"),
    object: Schema.Literal("connector"),
    livemode: Schema.Boolean,
    name: Schema.String,
    kind: Schema.Literal(kind),
    config,
    created_at: Timestamp,
    updated_at: Timestamp
  })

const Masked = Schema.NullOr(Schema.String).annotate({ description: "A mask; the credential itself is never shown" })

export const Connector = Schema.Union([
  shown("http_jsonl", Schema.Struct({ url: UrlShown, auth_header: Masked })),
  shown(
    "openai_stored_completions",
    Schema.Struct({
      base_url: UrlShown,
      api_key: Masked,
      model: Schema.NullOr(Schema.String),
      metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
    })
  ),
  shown(
    "s3",
    Schema.Struct({
      bucket: Schema.String,
      prefix: Schema.NullOr(Schema.String),
      key: Schema.NullOr(Schema.String),
      region: Schema.String,
      endpoint: Schema.NullOr(Schema.String),
      force_path_style: Schema.Boolean,
      access_key_id: Masked,
      secret_access_key: Masked,
      session_token: Masked
    })
  )
]).annotate({ identifier: "Connector" })

const asked = <const K extends keyof typeof configs, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({ name: Name, kind: Schema.Literal(kind), config })

export const ConnectorCreate = Schema.Union([
  asked("http_jsonl", configs.http_jsonl),
  asked("openai_stored_completions", configs.openai_stored_completions),
  asked("s3", configs.s3)
]).annotate({ identifier: "ConnectorCreate" })

/** Of every kind. */
const memberNames = [...new Set(Object.values(patches).flatMap(({ fields }) => Object.keys(fields)))]

/** Its members are those of the connector's own kind: which they are is known once it was read. */
export const ConnectorUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  config: Schema.optionalKey(
    Schema.JsonObject.check(
      Schema.isMaxProperties(Limits.configMembersMax),
      documented({ propertyNames: { enum: memberNames } })
    )
  )
}).annotate({
  identifier: "ConnectorUpdate",
  description: "Of `config` as many members of the connector's kind as should change; null takes one away"
})

/** What `config` of an update is, by the connector's kind. */
export const configPatches = {
  http_jsonl: Schema.Struct({ config: patches.http_jsonl }),
  openai_stored_completions: Schema.Struct({ config: patches.openai_stored_completions }),
  s3: Schema.Struct({ config: patches.s3 })
} as const

export const ConnectorDeleted = Schema.Struct({
  id: idOf("con"),
  object: Schema.Literal("connector"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "ConnectorDeleted" })

export const Pull = Schema.Struct({
  id: idOf("pull"),
  object: Schema.Literal("connector_pull"),
  livemode: Schema.Boolean,
  connector: idOf("con"),
  status: PullStatus,
  bytes: Schema.NullOr(Count),
  sha256: Schema.NullOr(Digest),
  rows: Schema.NullOr(Count),
  errors: Schema.Array(Schema.Struct({ line: Schema.Int, message: Schema.String })),
  error_count: Count,
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  updated_at: Timestamp
}).annotate({ identifier: "Pull" })

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", workflowStage } as const
const params = { connector_id: idOf("con") }
const workflow = {
  terminalStates: ["succeeded", "failed"],
  recovery: "Keep the pull id and poll GET /v1/distill/pulls/{pull_id}; a time-out is not an end."
}

export class ConnectorsApi extends HttpApiGroup.make("connectors")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/connectors", {
      payload: ConnectorCreate,
      success: created(Connector),
      error: writeErrors
    }).annotateMerge(
      operation("createConnector", "A place from which rows can be pulled", { ...write, idempotency: "supported" })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/connectors", {
      query: listQuery,
      success: listOf(Connector),
      error: readErrors
    }).annotateMerge(operation("listConnectors", "Connectors, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/connectors/:connector_id", {
      params,
      success: Connector,
      error: readErrors
    }).annotateMerge(operation("getConnector", "One connector, its credential masked", read))
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/distill/connectors/:connector_id", {
      params,
      payload: ConnectorUpdate,
      success: Connector,
      error: writeErrors
    }).annotateMerge(operation("updateConnector", "Change its name or its configuration, not its kind", write))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/distill/connectors/:connector_id", {
      params,
      success: ConnectorDeleted,
      error: readErrors
    }).annotateMerge(operation("deleteConnector", "Forget a connector and its credential; its pulls stay", write))
  )
  .add(
    HttpApiEndpoint.post("pull", "/v1/distill/connectors/:connector_id/pulls", {
      params,
      payload: NoFields,
      success: created(Pull),
      error: writeErrors
    }).annotateMerge(
      operation("createPull", "Fetch the connector's rows once", {
        ...write,
        idempotency: "supported",
        bodyOptional: true,
        prerequisites: ["a connector"],
        ...workflow
      })
    )
  )
  .annotateMerge(about("Places from which rows are pulled.")) {}

export class PullsApi extends HttpApiGroup.make("pulls")
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/pulls", {
      query: {
        ...listQuery,
        connector: Schema.optionalKey(Schema.String),
        status: Schema.optionalKey(PullStatus)
      },
      success: listOf(Pull),
      error: readErrors
    }).annotateMerge(operation("listPulls", "Pulls, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/pulls/:pull_id", {
      params: { pull_id: idOf("pull") },
      success: Pull,
      error: readErrors
    }).annotateMerge(operation("getPull", "One pull", { ...read, ...workflow }))
  )
  .annotateMerge(about("What a connector has fetched.")) {}
