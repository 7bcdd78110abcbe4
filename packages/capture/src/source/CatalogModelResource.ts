/** A model of the catalog, and the check of a source, as the API shows them (contract 7, 14.25). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count } from "@limbeck/core/resources/WireSchemas"
import * as Schema from "effect/Schema"
import { Tiers } from "../price/Price.ts"
import type { CatalogModel } from "./ModelCatalog.ts"
import type { Verification } from "./Verifications.ts"

export const SourceVerificationResource = Schema.Struct({
  object: Schema.Literal("source_verification"),
  source: Schema.String,
  livemode: Schema.Boolean,
  ok: Schema.Boolean,
  reason: Schema.NullOr(Schema.String),
  status_code: Schema.NullOr(Schema.Int),
  models: Schema.Array(Schema.String),
  duration_ms: Count
}).annotate({ identifier: "SourceVerification", description: "`reason` is null exactly where `ok` is true" })

const Price = Schema.NullOr(Schema.Finite)

export const CatalogModelResource = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("model"),
  livemode: Schema.Boolean,
  source: Schema.String,
  source_name: Schema.String,
  input_per_million: Price,
  output_per_million: Price,
  cached_input_per_million: Price,
  cache_write_per_million: Price,
  cache_write_1h_per_million: Price,
  tiers: Tiers,
  price_from: Schema.Literals(["source", "price_file", "none"])
}).annotate({
  identifier: "CatalogModel",
  description: "US dollars for a million tokens; null where no price is known"
})

export const renderVerification = Rendered.by(
  SourceVerificationResource,
  (partition: Partition, verification: Verification) => ({
    object: "source_verification",
    source: verification.source.id,
    livemode: partition.livemode,
    ok: verification.reason === null,
    reason: verification.reason,
    status_code: verification.statusCode,
    models: verification.models,
    duration_ms: verification.durationMillis
  })
)

export const renderModel = Rendered.by(
  CatalogModelResource,
  ({ livemode }: Partition, { from, id, prices, source }: CatalogModel) => ({
    id,
    object: "model",
    livemode,
    source: source.id,
    source_name: source.name,
    input_per_million: prices.inputPerMillion,
    output_per_million: prices.outputPerMillion,
    cached_input_per_million: prices.cachedInputPerMillion,
    cache_write_per_million: prices.cacheWritePerMillion,
    cache_write_1h_per_million: prices.cacheWrite1hPerMillion,
    tiers: prices.tiers,
    price_from: from
  })
)
