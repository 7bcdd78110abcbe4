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

export const unwatched: Standing = { floor: null, evidence: null, watchedSince: null, guardedAt: null, breach: null }

type GuardSettings = Pick<DeploymentSettings, "mode" | "guard" | "studentModel" | "fallback">

/** Without a fallback the student answers all of its calls, however sure it is. */
const thresholdOf = ({ fallback }: Pick<Deployment, "fallback">): number => fallback?.belowConfidence ?? 0

/** Another student leaves a default floor where it is, or raises it: a worse one would lower it by itself. */
const leastFloor = (before: Deployment, { guard, studentModel }: GuardSettings): number =>
  studentModel !== before.studentModel && guard?.minAgreement === null && before.guard?.minAgreement === null
    ? (before.floor ?? 0)
    : 0

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const students = yield* Students

  const evidenceFor = Effect.fnUntraced(function* (partition: Partition, before: Deployment, wanted: GuardSettings) {
    const { agreementAt, holdout } = Option.getOrThrow(yield* students.find(partition, wanted.studentModel))
    // Its results in shadow are of the student that it has had since then.
    const isSame = wanted.studentModel === before.studentModel
    const since = isSame ? before.studentSince : Number.MAX_SAFE_INTEGER
    const threshold = thresholdOf(wanted)
    const all = yield* calls.comparisons(partition, before.id, since, 0)
    const answered = threshold === 0 ? all : yield* calls.comparisons(partition, before.id, since, threshold)
    return EvidenceRules.evidenceOf({ holdout, curve: agreementAt, threshold, shadow: { all, answered } })
  })

  /** Of the deployment as `wanted`. `isAsked`: its owner asks for it to be active. Fails where the evidence does not do. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    wanted: GuardSettings,
    options: { readonly isAsked: boolean; readonly now: Millis }
  ) {
    const { guard, mode, studentModel } = wanted
    if (mode === "shadow" || guard === null) return unwatched
    const { breach, evidence, floor, guardedAt, watchedSince } = before
    // Other answers reach callers from now on: what was compared before tells nothing of them.
    const isAnew =
      watchedSince === null ||
      studentModel !== before.studentModel ||
      thresholdOf(wanted) !== thresholdOf(before) ||
      (options.isAsked && guardedAt !== null)
    const kept: Standing = { floor, evidence, watchedSince, guardedAt, breach }
    if (!isAnew && guard.minAgreement === before.guard?.minAgreement) return kept
    const known = yield* evidenceFor(partition, before, wanted)
    const asked = yield* Effect.fromResult(EvidenceRules.floorOf(known, guard.minAgreement))
    const shown = { floor: Math.max(asked, leastFloor(before, wanted)), evidence: known?.tally ?? null }
    return isAnew ? { ...unwatched, ...shown, watchedSince: options.now } : { ...kept, ...shown }
  })
})
