/** Deployments: students that answer, or listen, under an alias (contract 4, 7, 14.26). */
import { ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import { DeploymentMode, DeploymentStatus } from "@limbeck/serving/deployment/Deployment"
import { ServingLimits } from "@limbeck/serving/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  BaseUrl,
  Count,
  created,
  credentialUpTo,
  idOf,
  listOf,
  listQuery,
  NoFields,
  nullMeans,
  Reference,
  referenceTo,
  slugUpTo,
  Timestamp,
  UrlShown
} from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

const Mean = Schema.NullOr(Schema.Finite)
const OnBreach = Schema.Literals(["fallback", "notify"])

const deployment = {
  id: idOf("dep"),
  object: Schema.Literal("deployment"),
  livemode: Schema.Boolean,
  alias: Schema.String,
  model: Schema.String,
  mode: DeploymentMode,
  status: DeploymentStatus,
  student_model: Schema.String,
  previous_student_model: Schema.NullOr(idOf("stu")),
  loop: Schema.NullOr(idOf("loop")),
  fallback: Schema.NullOr(
    Schema.Struct({ source: Schema.String, model: Schema.String, below_confidence: Schema.NullOr(Schema.Finite) })
  ),
  traffic_percent: Schema.Finite,
  timeout_ms: Schema.Int,
  endpoint: Schema.NullOr(
    Schema.Struct({ base_url: UrlShown, model: Schema.String, api_key_last4: Schema.NullOr(Schema.String) })
  ),
  managed: Schema.Boolean,
  guard: Schema.NullOr(
    Schema.Struct({
      min_agreement: Mean,
      verify_percent: Schema.Finite,
      on_breach: OnBreach,
      breach: Schema.NullOr(
        Schema.Struct({
          min_agreement: Schema.Finite,
          value: Schema.Finite,
          low: Schema.Finite,
          high: Schema.Finite,
          comparisons: Count
        })
      )
    })
  ),
  guarded_at: Schema.NullOr(Timestamp),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  updated_at: Timestamp,
  retired_at: Schema.NullOr(Timestamp)
}

export const Deployment = Schema.Struct(deployment).annotate({ identifier: "Deployment" })

export const DeploymentWithFigures = Schema.Struct({
  ...deployment,
  agreement: Schema.NullOr(
    Schema.Struct({
      value: Schema.Finite,
      low: Schema.Finite,
      high: Schema.Finite,
      comparisons: Count,
      method: Schema.String
    })
  ),
  drift: Schema.NullOr(
    Schema.Struct({
      before: Count,
      now: Count,
      confidence: Schema.NullOr(Schema.Struct({ before: Schema.Finite, now: Schema.Finite, by_chance: Schema.Finite })),
      labels: Schema.NullOr(Schema.Struct({ distance: Schema.Finite, by_chance: Schema.Finite }))
    })
  ),
  figures: Schema.Struct({
    calls: Schema.Record(ServedBy, Schema.Int),
    failed: Count,
    shadowed: Count,
    shadow_failed: Count,
    compared: Count,
    agreed: Count,
    agreement: Mean,
    student_latency_ms_mean: Mean,
    upstream_latency_ms_mean: Mean,
    upstream_cost_usd: Mean,
    upstream_cost_usd_mean: Mean,
    cost_saved_usd: Mean
  })
}).annotate({
  identifier: "DeploymentWithFigures",
  description:
    "`figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how " +
    "often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. `drift` sets " +
    "the latest verified calls beside the first ones since the student went active; null until there are 250"
})

export const DeploymentAgreement = Schema.Struct({
  object: Schema.Literal("deployment_agreement"),
  deployment: idOf("dep"),
  since: Timestamp,
  method: Schema.String,
  periods: Schema.Array(
    Schema.Struct({
      until: Timestamp,
      compared: Count,
      agreed: Count,
      agreement: Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })
    })
  )
}).annotate({
  identifier: "DeploymentAgreement",
  description:
    "How often the student said the same as the upstream, in shadow and when it was verified, since the deployment has it: in at most " +
    "60 periods of equal length, oldest first; those without a comparison are left out. `compared` and `agreed` are of the period, " +
    "`agreement` of all comparisons until its end, with a 95 % confidence sequence. Made of the shadow results that are kept"
})

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
      success: created(DeploymentWithFigures),
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
