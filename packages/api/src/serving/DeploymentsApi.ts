/** Deployments: students that answer, or listen, under an alias (contract 4, 7, 14.26). */

import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import { AnswerFields } from "@limbeck/distill/recipe/Recipe"
import { DeploymentMode, DeploymentStatus, OnBreach, OnFallbackFailure } from "@limbeck/serving/deployment/Deployment"
import {
  DeploymentResource as Deployment,
  DeploymentAgreementResource as DeploymentAgreement,
  DeploymentWithFiguresResource as DeploymentWithFigures
} from "@limbeck/serving/deployment/DeploymentResource"
import { ServingLimits } from "@limbeck/serving/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  asAccepted,
  asCreated,
  BaseUrl,
  credentialUpTo,
  idOf,
  listOf,
  listQuery,
  NoFields,
  nullMeans,
  Reference,
  referenceTo,
  slugUpTo
} from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"
import { Budget, Run } from "../distill/RunsApi.ts"

export { Deployment, DeploymentAgreement, DeploymentWithFigures }

const ModelName = Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.modelIdMax))
const between = (minimum: number, maximum: number) => Schema.isBetween({ minimum, maximum })

const Fallback = Schema.Struct({
  source: Reference,
  model: ModelName,
  below_confidence: nullMeans("null: no threshold", Schema.Finite.check(between(0, 1)))
})

const ApiKey = nullMeans("null: none", credentialUpTo(CaptureLimits.apiKeyMax))

const changeable = {
  fallback: nullMeans("null: none", Fallback),
  on_fallback_failure: Schema.optionalKey(OnFallbackFailure),
  fields: Schema.optionalKey(AnswerFields),
  traffic_percent: Schema.optionalKey(Schema.Finite.check(between(0, 100))),
  timeout_ms: Schema.optionalKey(Schema.Int.check(between(1, CaptureLimits.timeoutMillisMax))),
  guard: nullMeans(
    "null: expressly none",
    Schema.Struct({
      min_agreement: nullMeans("null: the lower bound of the student's evidence", Schema.Finite.check(between(0, 1))),
      verify_percent: Schema.optionalKey(Schema.Finite.check(between(0, 100))),
      on_breach: Schema.optionalKey(OnBreach)
    })
  )
}

export const DeploymentCreate = Schema.Struct({
  alias: slugUpTo(ServingLimits.aliasMax),
  student_model: referenceTo("stu"),
  mode: DeploymentMode,
  ...changeable,
  endpoint: nullMeans("null: none", Schema.Struct({ base_url: BaseUrl, model: ModelName, api_key: ApiKey }))
}).annotate({
  identifier: "DeploymentCreate",
  description:
    "`fallback` is required of an active one whose `traffic_percent` is below 100; `endpoint` of an llm student. `guard` is " +
    "on by default: a student without evidence is not made active; null is expressly off"
})

export const DeploymentUpdate = Schema.Struct({
  student_model: Schema.optionalKey(referenceTo("stu")),
  mode: Schema.optionalKey(DeploymentMode),
  ...changeable,
  endpoint: nullMeans(
    "null: none",
    Schema.Struct({
      base_url: Schema.optionalKey(BaseUrl),
      model: Schema.optionalKey(ModelName),
      api_key: ApiKey
    })
  )
}).annotate({ identifier: "DeploymentUpdate", description: "What is absent stays, of `endpoint` and `guard` too" })

export const DeploymentRetrain = Schema.Struct({
  budget: Budget,
  dry_run: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "DeploymentRetrain",
  description: "`budget` is of the run. A test token's is a dry run, which trains and deploys nothing"
})

const workflowStage = "deploy"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", workflowStage } as const
const params = { deployment_id: idOf("dep") }
const terminalStates = ["ready", "failed", "retired"]
const recovery =
  "Keep the deployment id and poll GET /v1/distill/deployments/{deployment_id}; a time-out is not an end."

export class DeploymentsApi extends HttpApiGroup.make("deployments")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/deployments", {
      payload: DeploymentCreate,
      success: asCreated(DeploymentWithFigures),
      error: writeErrors
    }).annotateMerge(
      operation("createDeployment", "Put a student under an alias, to answer or to listen", {
        ...write,
        idempotency: "required",
        prerequisites: ["a student model that a live run has published"],
        terminalStates,
        recovery
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/deployments", {
      query: {
        ...listQuery,
        alias: Schema.optionalKey(Schema.NonEmptyString),
        status: Schema.optionalKey(DeploymentStatus),
        mode: Schema.optionalKey(DeploymentMode)
      },
      success: listOf(Deployment),
      error: readErrors
    }).annotateMerge(operation("listDeployments", "Deployments, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/deployments/:deployment_id", {
      params,
      success: DeploymentWithFigures,
      error: readErrors
    }).annotateMerge(
      operation("getDeployment", "One deployment, its student set beside the upstream", {
        ...read,
        terminalStates,
        recovery
      })
    )
  )
  .add(
    HttpApiEndpoint.get("agreement", "/v1/distill/deployments/:deployment_id/agreement", {
      params,
      success: DeploymentAgreement,
      error: readErrors
    }).annotateMerge(
      operation("getDeploymentAgreement", "How often the student agreed with the upstream, over time", read)
    )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/distill/deployments/:deployment_id", {
      params,
      payload: DeploymentUpdate,
      success: DeploymentWithFigures,
      error: writeErrors
    }).annotateMerge(
      operation("updateDeployment", "Change a deployment, or move it to another student without a gap", {
        ...write,
        prerequisites: ["a deployment that is not retired"]
      })
    )
  )
  .add(
    HttpApiEndpoint.post("rollback", "/v1/distill/deployments/:deployment_id/rollback", {
      params,
      payload: NoFields,
      success: DeploymentWithFigures,
      error: writeErrors
    }).annotateMerge(
      operation("rollbackDeployment", "Return to the student before", {
        ...write,
        idempotency: "supported",
        bodyOptional: true,
        prerequisites: ["a deployment that was moved to another student"]
      })
    )
  )
  .add(
    HttpApiEndpoint.post("acceptDrift", "/v1/distill/deployments/:deployment_id/accept_drift", {
      params,
      payload: NoFields,
      success: DeploymentWithFigures,
      error: writeErrors
    }).annotateMerge(
      operation("acceptDeploymentDrift", "Compare the calls from now on with none from before", {
        ...write,
        idempotency: "supported",
        bodyOptional: true,
        prerequisites: ["a deployment that is not retired"]
      })
    )
  )
  .add(
    HttpApiEndpoint.post("retrain", "/v1/distill/deployments/:deployment_id/retrain", {
      params,
      payload: DeploymentRetrain,
      success: asAccepted(Run),
      error: writeErrors
    }).annotateMerge(
      operation("retrainDeployment", "Train the student again, on the deployment's calls and its own rows", {
        ...write,
        idempotency: "required",
        prerequisites: ["a deployment that is not retired, whose student a run of this server has made"],
        terminalStates: ["succeeded", "failed", "canceled"],
        recovery:
          "Keep the run id and poll GET /v1/distill/runs/{run_id}; the new student is then in the shadow of the alias."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("retire", "/v1/distill/deployments/:deployment_id/retire", {
      params,
      payload: NoFields,
      success: DeploymentWithFigures,
      error: writeErrors
    }).annotateMerge(
      operation("retireDeployment", "End a deployment for good; its alias is free at once", {
        ...write,
        idempotency: "supported",
        bodyOptional: true,
        prerequisites: ["a deployment that is not retired"],
        terminalStates: ["retired"]
      })
    )
  )
  .annotateMerge(about("Students that answer, or listen, under an alias.")) {}
