/** A source as the API shows it (contract 7). Its key is in no answer. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { Dialect } from "../dialect/Dialect.ts"
import { Capture, GivenFallback, Retries, type Source, SourceKind, SourceModel } from "./Source.ts"

export const SourceResource = Schema.Struct({
  id: idOf("src"),
  object: Schema.Literal("source"),
  livemode: Schema.Boolean,
  name: Schema.String,
  kind: SourceKind,
  dialect: Dialect,
  base_url: UrlShown,
  api_key_last4: Schema.NullOr(Schema.String),
  default: Schema.Boolean,
  timeout_ms: Schema.Int,
  capture: Capture,
  models: Schema.Array(SourceModel),
  fallbacks: Schema.Array(GivenFallback),
  retries: Retries,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Source" })

export interface SourceView {
  readonly source: Source
  readonly isDefault: boolean
}

export const render = Rendered.by(SourceResource, (partition: Partition, { isDefault, source }: SourceView) => ({
  id: source.id,
  object: "source",
  livemode: partition.livemode,
  name: source.name,
  kind: source.kind,
  dialect: source.dialect,
  base_url: source.baseUrl,
  api_key_last4: source.keyLast4,
  default: isDefault,
  timeout_ms: source.timeoutMillis,
  capture: source.capture,
  models: source.models,
  fallbacks: source.fallbacks,
  retries: source.retries,
  created_at: toIso(source.createdAt),
  updated_at: toIso(source.updatedAt)
}))
