/** The life of a deployment, as data (contract 7). `edges` says what may lead where; nothing else moves a deployment. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { Deployment, DeploymentStatus } from "./Deployment.ts"

/** What its owner may change. */
export type DeploymentSettings = Pick<
  Deployment,
  "mode" | "studentModel" | "loop" | "fallback" | "trafficPercent" | "timeoutMillis" | "endpoint"
>

export type DeploymentEvent = Data.TaggedEnum<{
  /** The student can be served. */
  Provisioned: {}
  ProvisioningFailed: { readonly code: string; readonly message: string }
  /** Its owner wants it otherwise. A ready one stays ready; a failed one is tried again. */
  Changed: { readonly settings: DeploymentSettings }
  Retired: {}
}>
export const DeploymentEvent = Data.taggedEnum<DeploymentEvent>()

export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly from: DeploymentStatus
  readonly event: DeploymentEvent["_tag"]
}> {}

type Edges = Readonly<Record<DeploymentStatus, Partial<Readonly<Record<DeploymentEvent["_tag"], DeploymentStatus>>>>>

export const edges = {
  provisioning: { Provisioned: "ready", ProvisioningFailed: "failed", Changed: "provisioning", Retired: "retired" },
  ready: { Changed: "ready", Retired: "retired" },
  failed: { Changed: "provisioning", Retired: "retired" },
  retired: {}
} as const satisfies Edges

/** Remembers the student that it moves away from, and where that one was served. */
const changed = (before: Deployment, settings: DeploymentSettings): Deployment => ({
  ...before,
  ...settings,
  error: null,
  ...(settings.studentModel === before.studentModel
    ? {}
    : { previousStudentModel: before.studentModel, previousEndpoint: before.endpoint })
})

const apply = (deployment: Deployment, event: DeploymentEvent, now: Millis): Deployment => {
  switch (event._tag) {
    case "Provisioned":
      return deployment
    case "ProvisioningFailed":
      return { ...deployment, error: { code: event.code, message: event.message } }
    case "Changed":
      return changed(deployment, event.settings)
    case "Retired":
      return { ...deployment, retiredAt: now }
  }
}

/** Pure: no clock, no id, no storage. */
export const transition = (
  deployment: Deployment,
  event: DeploymentEvent,
  now: Millis
): Result.Result<Deployment, InvalidTransition> => {
  const to = (edges as Edges)[deployment.status][event._tag]
  return to === undefined
    ? Result.fail(new InvalidTransition({ from: deployment.status, event: event._tag }))
    : Result.succeed({ ...apply(deployment, event, now), status: to, updatedAt: now })
}
