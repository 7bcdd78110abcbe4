/** A deployment: a student that answers, or listens, under `svc:<alias>` (contract 7, 14.26). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

const DeploymentId = Id.schema("dep")

/** `active`: the student answers; `shadow`: the upstream does, and the student gets a copy. */
export const DeploymentMode = Schema.Literals(["active", "shadow"])
export type DeploymentMode = typeof DeploymentMode.Type

export const DeploymentStatus = Schema.Literals(["provisioning", "ready", "failed", "retired"])
export type DeploymentStatus = typeof DeploymentStatus.Type

/** Where the upstream's answer comes from: for the share of traffic that is not the student's, in shadow, and when it fails. */
export const Fallback = Schema.Struct({
  /** By id, so that a source may be renamed. */
  source: Schema.String,
  model: Schema.String,
  /** A student's answer that is less sure than this goes to the fallback. */
  belowConfidence: Schema.NullOr(Schema.Finite)
})
export type Fallback = typeof Fallback.Type

/** Where a language model is served: any server that speaks chat completions. */
export const Endpoint = Schema.Struct({
  /** With `/v1`, without a slash at its end. */
  baseUrl: Schema.String,
  model: Schema.String,
  /** Sealed; see core's Secrets. */
  sealedKey: Schema.NullOr(Schema.String),
  keyLast4: Schema.NullOr(Schema.String)
})
export type Endpoint = typeof Endpoint.Type

export const Deployment = Schema.Struct({
  id: DeploymentId,
  alias: Schema.String,
  mode: DeploymentMode,
  status: DeploymentStatus,
  /** Id of the student model. */
  studentModel: Schema.String,
  /** The one before, that a rollback returns to. */
  previousStudentModel: Schema.NullOr(Schema.String),
  /** Where that one was served; null for one of this process. */
  previousEndpoint: Schema.NullOr(Endpoint),
  /** Of its run, if that belongs to one. */
  loop: Schema.NullOr(Schema.String),
  fallback: Schema.NullOr(Fallback),
  /** The student's share of the traffic, 0 to 100; the rest is the upstream's. */
  trafficPercent: Schema.Finite,
  /** How long the student may take to its first byte. */
  timeoutMillis: Schema.Int,
  endpoint: Schema.NullOr(Endpoint),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  createdAt: Millis,
  updatedAt: Millis,
  retiredAt: Schema.NullOr(Millis)
})
export type Deployment = typeof Deployment.Type

/** What is ready under an alias. With both, the active one answers and the student of the other gets a copy. */
export interface Deployed {
  readonly active: Deployment | null
  readonly shadow: Deployment | null
}

/** What makes a deployment the one of its alias: there is at most one per mode that is not retired. */
export const placeOf = ({ alias, mode }: Pick<Deployment, "alias" | "mode">): string => `${mode}:${alias}`

export const kind = Kind.make({
  name: "deployment",
  schema: Deployment,
  labels: (deployment) => [
    `alias:${deployment.alias}`,
    `status:${deployment.status}`,
    `mode:${deployment.mode}`,
    ...(deployment.loop === null ? [] : [`loop:${deployment.loop}`])
  ],
  unique: (deployment) => (deployment.status === "retired" ? deployment.id : placeOf(deployment))
})

/** The queue topic on which deployments wait to be provisioned. */
export const topic = "deployment"

/** Rung (`Queue.nudge`) when what is deployed has changed. */
export const bell = "deployments"

/** What a model that is deployed begins with. */
export const modelPrefix = "svc:"

/** What a call names to reach it. */
export const modelOf = ({ alias }: Pick<Deployment, "alias">): string => modelPrefix + alias
