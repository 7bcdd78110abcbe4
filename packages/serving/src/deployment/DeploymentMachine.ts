/** The life of a deployment, as data (contract 7). `edges` lists the only allowed moves. */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type { Breach, Deployment, DeploymentStatus, Standing } from "./Deployment.ts"

/** What its owner may change. */
export type DeploymentSettings = Pick<
  Deployment,
  | "mode"
  | "studentModel"
  | "loop"
  | "fallback"
  | "onFallbackFailure"
  | "trafficPercent"
  | "timeoutMillis"
  | "endpoint"
  | "studentConfidence"
  | "guard"
>

export type DeploymentEvent = Data.TaggedEnum<{
  /** The student can be served. */
  Provisioned: {}
  ProvisioningFailed: { readonly code: string; readonly message: string }
  /** Its owner wants it otherwise. A ready one stays ready; a failed one is tried again. */
  Changed: { readonly settings: DeploymentSettings; readonly standing: Standing }
  /** The student's agreement is below its floor. */
  Breached: { readonly breach: Breach }
  Retired: {}
}>
export const DeploymentEvent = Data.taggedEnum<DeploymentEvent>()

export const edges = {
  provisioning: {
    Provisioned: ["ready"],
    ProvisioningFailed: ["failed"],
    Changed: ["provisioning"],
    Retired: ["retired"]
  },
  ready: { Changed: ["ready"], Breached: ["ready"], Retired: ["retired"] },
  failed: { Changed: ["provisioning"], Retired: ["retired"] },
  retired: {}
} as const satisfies Machine.Edges<DeploymentStatus, DeploymentEvent["_tag"]>

/** Remembers the previous student with its endpoint. */
const changed = (
  before: Deployment,
  { settings, standing }: Extract<DeploymentEvent, { readonly _tag: "Changed" }>,
  now: Millis
): Deployment => ({
  ...before,
  ...settings,
  ...standing,
  status: before.status === "failed" ? "provisioning" : before.status,
  error: null,
  ...(settings.studentModel === before.studentModel
    ? {}
    : { previousStudentModel: before.studentModel, previousEndpoint: before.endpoint, studentSince: now })
})

const apply = (deployment: Deployment, event: DeploymentEvent, now: Millis): Deployment => {
  switch (event._tag) {
    case "Provisioned":
      return { ...deployment, status: "ready" }
    case "ProvisioningFailed":
      return { ...deployment, status: "failed", error: { code: event.code, message: event.message } }
    case "Changed":
      return changed(deployment, event, now)
    case "Breached":
      return { ...deployment, guardedAt: now, breach: event.breach }
    case "Retired":
      return { ...deployment, status: "retired", retiredAt: now }
  }
}

const machine = Machine.make<DeploymentStatus, Deployment, DeploymentEvent>({ name: "deployment", edges, apply })

/** Pure: no clock, no id, no storage. */
export const transition = (
  deployment: Deployment,
  event: DeploymentEvent,
  now: Millis
): Result.Result<Deployment, Machine.InvalidTransition> => machine.transition(deployment, event, now)
