/** Connectors, and the pulls that fetch their rows (contract 4, 6). */

import { configs, patches } from "@limbeck/distill/connector/Connector"
import { ConnectorResource as Connector } from "@limbeck/distill/connector/ConnectorResource"
import { PullStatus } from "@limbeck/distill/pull/Pull"
import { PullResource as Pull } from "@limbeck/distill/pull/PullResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { asCreated, documentRule, idOf, listOf, listQuery, Name, NoFields } from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Connector, Pull }

const asked = <const K extends keyof typeof configs, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({ name: Name, kind: Schema.Literal(kind), config })

export const ConnectorCreate = Schema.Union([
  asked("http_jsonl", configs.http_jsonl),
  asked("openai_stored_completions", configs.openai_stored_completions),
  asked("s3", configs.s3)
]).annotate({ identifier: "ConnectorCreate" })

/** Of every kind. */
const memberNames = [...new Set(Object.values(patches).flatMap(({ fields }) => Object.keys(fields)))]

/** The members depend on the connector's kind, known only after reading it. */
export const ConnectorUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  config: Schema.optionalKey(
    Schema.JsonObject.check(
      Schema.isMaxProperties(Limits.configMembersMax),
      documentRule({ propertyNames: { enum: memberNames } })
    )
  )
}).annotate({
  identifier: "ConnectorUpdate",
  description: "Of `config` as many members of the connector's kind as should change; null takes one away"
})

/** The form of `config` in an update, by the connector's kind. */
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
      success: asCreated(Connector),
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
      success: asCreated(Pull),
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
