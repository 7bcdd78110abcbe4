/** The deployment routes (contract 4, 7). */
import { type DeploymentCreate, DeploymentsApi, type DeploymentUpdate } from "@limbeck/api/DeploymentsApi"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Deployment } from "@limbeck/serving/deployment/Deployment"
import * as DeploymentResource from "@limbeck/serving/deployment/DeploymentResource"
import { Deployments } from "@limbeck/serving/deployment/Deployments"
import type { DeploymentPatch } from "@limbeck/serving/deployment/Settings"
import { Retrainings } from "@limbeck/serving/retraining/Retrainings"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const fallbackOf = (asked: (typeof DeploymentUpdate.Type)["fallback"]) =>
  asked === undefined || asked === null
    ? asked
    : { source: asked.source, model: asked.model, belowConfidence: asked.below_confidence ?? null }

const endpointOf = (asked: (typeof DeploymentUpdate.Type)["endpoint"]) =>
  asked === undefined || asked === null ? asked : { baseUrl: asked.base_url, model: asked.model, apiKey: asked.api_key }

const guardOf = (asked: (typeof DeploymentUpdate.Type)["guard"]) =>
  asked === undefined || asked === null
    ? asked
    : { minAgreement: asked.min_agreement, verifyPercent: asked.verify_percent, onBreach: asked.on_breach }

const askedOf = (payload: Omit<typeof DeploymentUpdate.Type, "student_model" | "mode">): DeploymentPatch => ({
  fallback: fallbackOf(payload.fallback),
  onFallbackFailure: payload.on_fallback_failure,
  fields: payload.fields,
  trafficPercent: payload.traffic_percent,
  timeoutMillis: payload.timeout_ms,
  endpoint: endpointOf(payload.endpoint),
  guard: guardOf(payload.guard)
})

const requestOf = ({ alias, mode, student_model: studentModel, ...rest }: typeof DeploymentCreate.Type) => ({
  ...askedOf(rest),
  alias,
  mode,
  studentModel
})

export const make: Effect.Effect<Handlers<typeof DeploymentsApi>, never, Deployments | Retrainings> = Effect.gen(
  function* () {
    const deployments = yield* Deployments
    const retrainings = yield* Retrainings
    const whole = (partition: Partition, deployment: Deployment) =>
      Effect.map(deployments.account(partition, deployment), (account) =>
        DeploymentResource.renderWhole(partition, deployment, account)
      )
    return handlersOf(DeploymentsApi)({
      create: ({ caller: { partition }, payload }) =>
        Effect.flatMap(deployments.create(partition, requestOf(payload)), (made) => whole(partition, made)),
      list: ({ caller: { partition }, query }) => {
        const { alias, mode, status } = query
        return Lists.page(
          { partition, list: "deployments", query, filters: { alias, mode, status } },
          (request) =>
            deployments.page(partition, { alias: alias ?? null, mode: mode ?? null, status: status ?? null }, request),
          (items) => items.map((item) => DeploymentResource.render(partition, item))
        )
      },
      get: ({ caller: { partition }, params }) =>
        Effect.flatMap(deployments.get(partition, params.deployment_id), (found) => whole(partition, found)),
      agreement: ({ caller: { partition }, params }) =>
        Effect.gen(function* () {
          const deployment = yield* deployments.get(partition, params.deployment_id)
          return DeploymentResource.renderHistory(
            deployment,
            yield* deployments.comparisonsByPeriod(partition, deployment)
          )
        }),
      update: ({ caller: { partition }, params, payload: { mode, student_model: studentModel, ...rest } }) =>
        Effect.flatMap(
          deployments.update(partition, params.deployment_id, { ...askedOf(rest), mode, studentModel }),
          (changed) => whole(partition, changed)
        ),
      rollback: ({ caller: { partition }, params }) =>
        Effect.flatMap(deployments.rollback(partition, params.deployment_id), (changed) => whole(partition, changed)),
      acceptDrift: ({ caller: { partition }, params }) =>
        Effect.flatMap(deployments.acceptDrift(partition, params.deployment_id), (changed) =>
          whole(partition, changed)
        ),
      retrain: ({ caller: { partition }, params, payload: { budget, dry_run: dryRun = false } }) =>
        Effect.map(
          retrainings.start(partition, params.deployment_id, { maxCostUsd: budget.max_cost_usd, dryRun }),
          ({ resource }) => resource
        ),
      retire: ({ caller: { partition }, params }) =>
        Effect.flatMap(deployments.retire(partition, params.deployment_id), (changed) => whole(partition, changed))
    })
  }
)
