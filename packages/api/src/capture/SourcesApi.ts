/** Sources of models (contract 4, 7, 14.25). */

import { Dialect } from "@limbeck/capture/dialect/Dialect"
import { CaptureLimits } from "@limbeck/capture/Limits"
import {
  CatalogModelResource as CatalogModel,
  SourceVerificationResource as SourceVerification
} from "@limbeck/capture/source/CatalogModelResource"
import { Capture, GivenFallback, Retries, SourceKind, SourceModel } from "@limbeck/capture/source/Source"
import { SourceResource as Source } from "@limbeck/capture/source/SourceResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  asCreated,
  BaseUrl,
  credentialUpTo,
  documentRule,
  idOf,
  listOf,
  listQuery,
  NoFields,
  nullMeans,
  pageQuery,
  slugUpTo
} from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { CatalogModel, Source, SourceVerification }

const changeable = {
  dialect: Schema.optionalKey(Dialect.annotate({ description: "The API that the provider speaks; by default openai" })),
  default: Schema.optionalKey(Schema.Boolean),
  timeout_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CaptureLimits.timeoutMillisMax }))
  ),
  capture: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.optionalKey(Capture.fields.enabled),
      sample_rate: Schema.optionalKey(Capture.fields.sample_rate),
      durability: Schema.optionalKey(Capture.fields.durability)
    })
  ),
  models: Schema.optionalKey(
    Schema.Array(SourceModel).check(Schema.isMaxLength(CaptureLimits.modelsMax), documentRule({ uniqueItems: true }))
  ),
  fallbacks: Schema.optionalKey(
    Schema.Array(GivenFallback)
      .check(Schema.isMaxLength(CaptureLimits.fallbacksMax))
      .annotate({ description: "Sources, by name or id, that are asked in this order where this one fails" })
  ),
  retries: Schema.optionalKey(
    Retries.annotate({ description: "How often this source is asked again where it fails; by default 0" })
  )
}

const ApiKey = nullMeans("null: none", credentialUpTo(CaptureLimits.apiKeyMax))

export const SourceCreate = Schema.Struct({
  name: slugUpTo(CaptureLimits.sourceNameMax),
  kind: SourceKind,
  base_url: BaseUrl,
  api_key: ApiKey,
  ...changeable
}).annotate({ identifier: "SourceCreate" })

export const SourceUpdate = Schema.Struct({
  name: Schema.optionalKey(slugUpTo(CaptureLimits.sourceNameMax)),
  base_url: Schema.optionalKey(BaseUrl),
  api_key: ApiKey,
  ...changeable
}).annotate({ identifier: "SourceUpdate" })

export const SourceDeleted = Schema.Struct({
  id: idOf("src"),
  object: Schema.Literal("source"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "SourceDeleted" })

const params = { source_id: idOf("src") }
const read = { access: "sources:read" } as const
const write = { access: "sources:write" } as const

export class SourcesApi extends HttpApiGroup.make("sources")
  .add(
    HttpApiEndpoint.post("create", "/v1/sources", {
      payload: SourceCreate,
      success: asCreated(Source),
      error: writeErrors
    }).annotateMerge(
      operation("createSource", "A provider of models; its key is written and never shown", {
        ...write,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/sources", {
      query: listQuery,
      success: listOf(Source),
      error: readErrors
    }).annotateMerge(operation("listSources", "Sources of the caller's mode, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/sources/:source_id", { params, success: Source, error: readErrors }).annotateMerge(
      operation("getSource", "One source", read)
    )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/sources/:source_id", {
      params,
      payload: SourceUpdate,
      success: Source,
      error: writeErrors
    }).annotateMerge(operation("updateSource", "Change a source; what is absent stays", write))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/sources/:source_id", {
      params,
      success: SourceDeleted,
      error: writeErrors
    }).annotateMerge(operation("deleteSource", "Delete a source; calls under way go on", write))
  )
  .add(
    HttpApiEndpoint.post("verify", "/v1/sources/:source_id/verify", {
      params,
      payload: NoFields,
      success: SourceVerification,
      error: writeErrors
    }).annotateMerge(
      operation("verifySource", "Ask the upstream for its models, with the source's key", {
        ...write,
        idempotency: "supported",
        outsideTransaction: true,
        bodyOptional: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("models", "/v1/models", {
      query: pageQuery,
      success: listOf(CatalogModel),
      error: readErrors
    }).annotateMerge(
      operation(
        "listModels",
        "The models of the managed sources, and those that other sources name, with their prices",
        read
      )
    )
  )
  .annotateMerge(about("Providers of models that the proxy sends calls to.")) {}
