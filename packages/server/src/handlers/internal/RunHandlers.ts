/** The run routes (contract 5). */

import { type RunCreate, RunsApi } from "@limbeck/api/RunsApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { renderLogs, renderMetrics } from "@limbeck/distill/run/RunRecordsResource"
import type { RunRequest } from "@limbeck/distill/run/RunRequest"
import * as RunResource from "@limbeck/distill/run/RunResource"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const requestOf = (payload: typeof RunCreate.Type, sent: Schema.JsonObject): RunRequest => ({
  name: payload.name,
  studentModelName: payload.student_model_name,
  datasetVersion: payload.dataset_version,
  recipe: payload.recipe,
  // Decoded from this member, so it is an object.
  recipeAsSent: sent["recipe"] as Schema.JsonObject,
  maxCostUsd: payload.budget.max_cost_usd,
  profile: payload.compute?.profile,
  dryRun: payload.dry_run,
  validatedDryRun: payload.validated_dry_run,
  planHash: payload.plan_hash,
  loop: payload.loop
})

export const make: Effect.Effect<Handlers<typeof RunsApi>, never, Runs | RunRecords> = Effect.gen(function* () {
  const runs = yield* Runs
  const records = yield* RunRecords

  return handlersOf(RunsApi)({
    create: ({ caller: { partition }, payload, sent }) =>
      Effect.map(runs.create(partition, requestOf(payload, sent)), ({ resource }) => resource),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        {
          partition,
          list: "runs",
          query,
          filters: { status: query.status, dry_run: query.dry_run, dataset_version: query.dataset_version }
        },
        (request) =>
          runs.page(
            partition,
            {
              status: query.status ?? null,
              dryRun: query.dry_run === undefined ? null : query.dry_run === "true",
              datasetVersion: query.dataset_version ?? null
            },
            request
          ),
        (items) => items.map((run) => RunResource.render(partition, run))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(runs.get(partition, params.run_id), (run) => RunResource.render(partition, run)),
    metrics: ({ caller: { partition }, params }) =>
      Effect.gen(function* () {
        const run = yield* runs.get(partition, params.run_id)
        return renderMetrics(run.id, yield* records.metrics(partition, run.id))
      }),
    logs: ({ caller: { partition }, params, query }) =>
      Effect.gen(function* () {
        const run = yield* runs.get(partition, params.run_id)
        const stage = query.stage === undefined ? null : Number(query.stage)
        const after = Number(query.after ?? 0)
        const limit = query.limit ?? DistillLimits.logLinesDefault
        const lines = yield* records.logs(partition, run.id, { stage, after, limit: limit + 1 })
        return renderLogs(run.id, { stage, after, limit, lines })
      }),
    cancel: ({ caller: { partition }, params }) =>
      Effect.map(runs.cancel(partition, params.run_id), (run) => RunResource.render(partition, run)),
    retry: ({ caller: { partition }, params, payload }) =>
      Effect.map(
        runs.retry(partition, params.run_id, {
          fromStage: payload.from_stage ?? null,
          maxCostUsd: payload.budget?.max_cost_usd ?? null
        }),
        (run) => RunResource.render(partition, run)
      )
  })
})
