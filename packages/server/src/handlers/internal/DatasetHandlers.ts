/** The dataset routes (contract 6). */
import { DatasetsApi, type DatasetVersionCreate } from "@limbeck/api/DatasetsApi"
import * as Page from "@limbeck/core/pages/Page"
import type { CallsFilter } from "@limbeck/distill/dataset/CallsFilter"
import * as DatasetResource from "@limbeck/distill/dataset/DatasetResource"
import { Datasets, type VersionRequest } from "@limbeck/distill/dataset/Datasets"
import * as DatasetVersionResource from "@limbeck/distill/dataset/DatasetVersionResource"
import * as SuspectResource from "@limbeck/distill/suspects/SuspectResource"
import { Suspects } from "@limbeck/distill/suspects/Suspects"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as JsonAnswer from "../../http/internal/JsonAnswer.ts"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

type From = (typeof DatasetVersionCreate.Type)["from"]

const callsOf = ({
  created_after,
  created_before,
  external_id,
  min_feedback,
  served_by,
  ...filter
}: NonNullable<From["calls"]>): CallsFilter => ({
  ...filter,
  ...(created_after === undefined ? {} : { createdAfter: created_after }),
  ...(created_before === undefined ? {} : { createdBefore: created_before }),
  ...(external_id === undefined ? {} : { externalId: external_id }),
  ...(served_by === undefined ? {} : { servedBy: served_by }),
  ...(min_feedback === undefined ? {} : { minFeedback: min_feedback })
})

/** The contract admits one of them at most, and versions alone. */
const fromOf = ({ calls, pull, upload, versions }: From): VersionRequest["from"] => {
  const joined = versions === undefined ? {} : { versions }
  if (calls !== undefined) return { calls: callsOf(calls), ...joined }
  if (pull !== undefined) return { pull, ...joined }
  return upload === undefined ? { versions: versions ?? [] } : { upload, ...joined }
}

const relabelOf = ({ budget, model, source }: NonNullable<(typeof DatasetVersionCreate.Type)["relabel"]>) => ({
  source,
  model,
  maxCostUsd: budget.max_cost_usd
})

export const make = Effect.map(Effect.all([Datasets, Suspects]), ([datasets, suspects]) =>
  handlersOf(DatasetsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(datasets.create(partition, payload), (dataset) => DatasetResource.render(partition, dataset)),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "datasets", query },
        (request) => datasets.page(partition, request),
        (items) => items.map((item) => DatasetResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(datasets.get(partition, params.dataset_id), (dataset) => DatasetResource.render(partition, dataset)),
    createVersion: ({
      caller: { partition },
      params,
      payload: { clean, dedupe, from, holdout_fraction, redact, relabel, seed }
    }) =>
      Effect.map(
        datasets.createVersion(partition, params.dataset_id, {
          from: fromOf(from),
          ...(clean === undefined ? {} : { clean }),
          ...(holdout_fraction === undefined ? {} : { holdoutFraction: holdout_fraction }),
          ...(dedupe === undefined ? {} : { dedupe }),
          ...(redact === undefined ? {} : { redact }),
          ...(relabel === undefined ? {} : { relabel: relabelOf(relabel) }),
          ...(seed === undefined ? {} : { seed })
        }),
        (version) => DatasetVersionResource.render(partition, version)
      ),
    listVersions: ({ caller: { partition }, params, query }) =>
      Lists.page(
        { partition, list: `dataset_versions.${params.dataset_id}`, query },
        (request) => datasets.versions(partition, params.dataset_id, request),
        (items) => items.map((item) => DatasetVersionResource.render(partition, item))
      ),
    getVersion: ({ caller: { partition }, params }) =>
      Effect.map(datasets.getVersion(partition, params.dataset_version_id), (version) =>
        DatasetVersionResource.render(partition, version)
      ),
    rows: ({ caller: { partition }, params: { dataset_version_id: version }, query }) => {
      const page = Lists.page(
        { partition, list: `rows.${version}`, query, filters: { split: query.split } },
        ({ after, limit }) =>
          Effect.map(datasets.rows(partition, version, { split: query.split ?? null, after, limit }), (page) =>
            Page.map(page, (row) => ({ id: row.key, row }))
          ),
        (items) => items.map(({ row }) => DatasetVersionResource.renderRow(row))
      )
      return Effect.flatMap(page, JsonAnswer.of)
    },
    suspects: ({ caller: { partition }, params: { dataset_version_id: version }, query }) =>
      Lists.page(
        { partition, list: `suspects.${version}`, query },
        ({ after, limit }) =>
          Effect.map(suspects.page(partition, version, { after, limit }), (page) =>
            Page.map(page, (suspect) => ({ id: suspect.key, suspect }))
          ),
        (items) => items.map(({ suspect }) => SuspectResource.render(suspect))
      ),
    export: ({ caller: { partition }, params: { dataset_version_id: version }, query }) =>
      // Checked before the first byte, so that an unknown version gives an envelope instead of a broken stream.
      Effect.map(datasets.rows(partition, version, { split: null, after: null, limit: 1 }), () =>
        HttpServerResponse.stream(
          datasets.exportRows(partition, version, query.split ?? null).pipe(
            Stream.map((line) => `${line}\n`),
            Stream.encodeText
          ),
          { contentType: "application/x-ndjson" }
        )
      )
  })
)
