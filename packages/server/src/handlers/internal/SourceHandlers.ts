/** The routes of sources and of the catalog (contract 4, 7, 14.25). */
import { SourcesApi, type SourceUpdate } from "@limbeck/api/SourcesApi"
import { type CatalogModel, ModelCatalog } from "@limbeck/capture/source/ModelCatalog"
import type { SourcePatch } from "@limbeck/capture/source/Source"
import * as SourceResource from "@limbeck/capture/source/SourceResource"
import { Sources } from "@limbeck/capture/source/Sources"
import { type Verification, Verifications } from "@limbeck/capture/source/Verifications"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { SourceRemoval } from "@limbeck/serving/deployment/SourceRemoval"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const patchOf = (payload: typeof SourceUpdate.Type): SourcePatch => ({
  name: payload.name,
  baseUrl: payload.base_url,
  apiKey: payload.api_key,
  isDefault: payload.default,
  timeoutMillis: payload.timeout_ms,
  capture: payload.capture,
  models: payload.models
})

const renderVerification = (partition: Partition, verification: Verification) => ({
  object: "source_verification" as const,
  source: verification.source.id,
  livemode: partition.livemode,
  ok: verification.reason === null,
  reason: verification.reason,
  status_code: verification.statusCode,
  models: verification.models,
  duration_ms: verification.durationMillis
})

const renderModel =
  ({ livemode }: Partition) =>
  ({ id, inputPerMillion, outputPerMillion, source }: CatalogModel) => ({
    id,
    object: "model" as const,
    livemode,
    source: source.id,
    source_name: source.name,
    input_per_million: inputPerMillion,
    output_per_million: outputPerMillion
  })

type Needs = Sources | SourceRemoval | Verifications | ModelCatalog

export const make: Effect.Effect<Handlers<typeof SourcesApi>, never, Needs> = Effect.gen(function* () {
  const sources = yield* Sources
  const removal = yield* SourceRemoval
  const verifications = yield* Verifications
  const catalog = yield* ModelCatalog

  return handlersOf(SourcesApi)({
    create: ({ caller: { partition }, payload: { base_url, kind, name, ...rest } }) =>
      Effect.map(sources.create(partition, { ...patchOf(rest), name, kind, baseUrl: base_url }), (view) =>
        SourceResource.render(partition, view)
      ),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "sources", query },
        (request) =>
          Effect.map(sources.page(partition, request), (page) =>
            Page.map(page, (view) => ({ id: view.source.id, view }))
          ),
        (items) => items.map(({ view }) => SourceResource.render(partition, view))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(sources.get(partition, params.source_id), (view) => SourceResource.render(partition, view)),
    update: ({ caller: { partition }, params, payload }) =>
      Effect.map(sources.update(partition, params.source_id, patchOf(payload)), (view) =>
        SourceResource.render(partition, view)
      ),
    delete: ({ caller: { partition }, params: { source_id: id } }) =>
      Effect.as(removal.remove(partition, id), { id, object: "source" as const, deleted: true as const }),
    verify: ({ caller: { partition }, params }) =>
      Effect.map(verifications.verify(partition, params.source_id), (verification) =>
        renderVerification(partition, verification)
      ),
    models: ({ caller: { partition }, query }) =>
      Effect.flatMap(catalog.models(partition), (models) =>
        Lists.part(
          { partition, list: "models", query },
          models.map(renderModel(partition)),
          ({ id, source }) => `${source}/${id}`
        )
      )
  })
})
