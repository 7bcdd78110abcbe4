/** The routes of sources and the catalog (contract 4, 7, 14.25). */
import { SourcesApi, type SourceUpdate } from "@limbeck/api/SourcesApi"
import * as CatalogModelResource from "@limbeck/capture/source/CatalogModelResource"
import { ModelCatalog } from "@limbeck/capture/source/ModelCatalog"
import type { SourcePatch } from "@limbeck/capture/source/Source"
import * as SourceResource from "@limbeck/capture/source/SourceResource"
import { Sources } from "@limbeck/capture/source/Sources"
import { Verifications } from "@limbeck/capture/source/Verifications"
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import * as Page from "@limbeck/core/pages/Page"
import type { Caller } from "@limbeck/core/tokens/Caller"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import { SourceRemoval } from "@limbeck/serving/deployment/SourceRemoval"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const patchOf = (payload: typeof SourceUpdate.Type): SourcePatch => ({
  name: payload.name,
  dialect: payload.dialect,
  baseUrl: payload.base_url,
  apiKey: payload.api_key,
  isDefault: payload.default,
  timeoutMillis: payload.timeout_ms,
  capture: payload.capture,
  models: payload.models,
  fallbacks: payload.fallbacks,
  retries: payload.retries
})

/**
 * Whether a caller may set the prices of managed sources: with a token of the first workspace, or as its owner (contract
 * 16.10).
 */
const makeSetsPrices = Effect.map(
  Workspaces,
  (workspaces) =>
    (caller: Caller): Effect.Effect<boolean, NotFound | StorageError> => {
      if (caller.token !== undefined) return workspaces.isFirst(caller.partition.workspace)
      const owned = caller.person.roles.filter(({ role }) => role === "owner")
      return Effect.map(
        Effect.findFirst(owned, ({ workspace }) => workspaces.isFirst(workspace)),
        Option.isSome
      )
    }
)

/** Storage is asked for nothing where the request names no models. */
const given = (payload: { readonly models?: unknown }, setsPrices: Effect.Effect<boolean, NotFound | StorageError>) =>
  payload.models === undefined ? Effect.succeed(false) : setsPrices

type Needs = Workspaces | Sources | SourceRemoval | Verifications | ModelCatalog

export const make: Effect.Effect<Handlers<typeof SourcesApi>, never, Needs> = Effect.gen(function* () {
  const sources = yield* Sources
  const removal = yield* SourceRemoval
  const verifications = yield* Verifications
  const catalog = yield* ModelCatalog
  const setsPrices = yield* makeSetsPrices

  return handlersOf(SourcesApi)({
    create: ({ caller, payload: { base_url, kind, name, ...rest } }) =>
      Effect.map(
        Effect.flatMap(given(rest, setsPrices(caller)), (may) =>
          sources.create(caller.partition, { ...patchOf(rest), name, kind, baseUrl: base_url }, may)
        ),
        (view) => SourceResource.render(caller.partition, view)
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
    update: ({ caller, params, payload }) =>
      Effect.map(
        Effect.flatMap(given(payload, setsPrices(caller)), (may) =>
          sources.update(caller.partition, params.source_id, patchOf(payload), may)
        ),
        (view) => SourceResource.render(caller.partition, view)
      ),
    delete: ({ caller: { partition }, params: { source_id: id } }) =>
      Effect.as(removal.remove(partition, id), { id, object: "source" as const, deleted: true as const }),
    verify: ({ caller: { partition }, params }) =>
      Effect.map(verifications.verify(partition, params.source_id), (verification) =>
        CatalogModelResource.renderVerification(partition, verification)
      ),
    models: ({ caller: { partition }, query }) =>
      Effect.flatMap(catalog.models(partition), (models) =>
        Lists.part(
          { partition, list: "models", query },
          models.map((model) => CatalogModelResource.renderModel(partition, model)),
          ({ id, source }) => `${source}/${id}`
        )
      )
  })
})
