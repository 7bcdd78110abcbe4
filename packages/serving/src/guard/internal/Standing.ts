/** What going active leaves on a deployment (contract 15.15): how good its student must stay, and since when that is watched. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Deployment, Standing } from "../../deployment/Deployment.ts"
import type { DeploymentSettings } from "../../deployment/DeploymentMachine.ts"
import { Students } from "../../student/Students.ts"
import * as EvidenceRules from "../EvidenceRules.ts"

export const unwatched: Standing = { floor: null, watchedSince: null, guardedAt: null, breach: null }

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const students = yield* Students

  const evidence = Effect.fnUntraced(function* (partition: Partition, before: Deployment, studentModel: string) {
    const { holdout } = Option.getOrThrow(yield* students.find(partition, studentModel))
    // Its results in shadow are of the student that it has had since then.
    const isSame = studentModel === before.studentModel
    const since = isSame ? before.studentSince : Number.MAX_SAFE_INTEGER
    return EvidenceRules.evidenceOf(holdout, yield* calls.comparisons(partition, before.id, since))
  })

  /** Of the deployment as `wanted`. `isAsked`: its owner asks for it to be active. Fails where the evidence does not do. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    wanted: Pick<DeploymentSettings, "mode" | "guard" | "studentModel">,
    options: { readonly isAsked: boolean; readonly now: Millis }
  ) {
    const { guard, mode, studentModel } = wanted
    if (mode === "shadow" || guard === null) return unwatched
    const { breach, floor, guardedAt, watchedSince } = before
    const isAnew =
      watchedSince === null || studentModel !== before.studentModel || (options.isAsked && guardedAt !== null)
    const kept: Standing = { floor, watchedSince, guardedAt, breach }
    if (!isAnew && guard.minAgreement === before.guard?.minAgreement) return kept
    const found = yield* evidence(partition, before, studentModel)
    const asked = yield* Effect.fromResult(EvidenceRules.floorOf(found, guard.minAgreement))
    return isAnew ? { ...unwatched, floor: asked, watchedSince: options.now } : { ...kept, floor: asked }
  })
})
