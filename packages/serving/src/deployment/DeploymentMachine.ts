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
  | "fields"
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
  /** Its calls are answered otherwise than the first ones were. */
  Drifted: {}
  /** The answers to this question are below its floor: the upstream answers it, and the student the others. */
  QuestionBreached: { readonly breach: Breach & { readonly question: string } }
  /** Its calls from now on are compared with none from before. */
  DriftAccepted: {}
  Retired: {}
}>
export const DeploymentEvent = Data.taggedEnum<DeploymentEvent>()

export const edges = {
  provisioning: {
    Provisioned: ["ready"],
    ProvisioningFailed: ["failed"],
    Changed: ["provisioning"],
    DriftAccepted: ["provisioning"],
    Retired: ["retired"]
  },
  ready: {
    Changed: ["ready"],
    Breached: ["ready"],
    Drifted: ["ready"],
    QuestionBreached: ["ready"],
    DriftAccepted: ["ready"],
    Retired: ["retired"]
  },
  failed: { Changed: ["provisioning"], DriftAccepted: ["failed"], Retired: ["retired"] },
  retired: {}
} as const satisfies Machine.Edges<DeploymentStatus, DeploymentEvent["_tag"]>

/** Other calls reach the student from then on, or go to the fallback. */
const isDriftReset = (before: Deployment, { fallback, mode, studentModel }: DeploymentSettings): boolean =>
  studentModel !== before.studentModel ||
  mode !== before.mode ||
  (fallback?.belowConfidence ?? null) !== (before.fallback?.belowConfidence ?? null)

/** From this time on its drift is measured anew. */
const driftFrom = (now: Millis): Pick<Deployment, "driftAcceptedAt" | "driftedAt"> => ({
  driftAcceptedAt: now,
  driftedAt: null
})

/** Remembers the previous student with its endpoint. */
const rememberPrevious = (
  before: Deployment,
  { settings, standing }: Extract<DeploymentEvent, { readonly _tag: "Changed" }>,
  now: Millis
): Deployment => ({
  ...before,
  ...settings,
  ...standing,
  status: before.status === "failed" ? "provisioning" : before.status,
  error: null,
  ...(isDriftReset(before, settings) ? driftFrom(now) : {}),
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
      return rememberPrevious(deployment, event, now)
    case "Breached":
      return { ...deployment, guardedAt: now, breach: event.breach }
    case "Drifted":
      return { ...deployment, driftedAt: now }
    case "QuestionBreached": {
      const { question } = event.breach
      const questions = deployment.questions.map((one) =>
        one.question === question ? { ...one, guardedAt: now } : one
      )
      return { ...deployment, questions, breach: event.breach }
    }
    case "DriftAccepted":
      return { ...deployment, ...driftFrom(now) }
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
