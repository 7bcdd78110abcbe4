/** What going active leaves on a deployment (contract 15.15): how good its student must stay, and since when that is watched. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type { QuestionEvidence } from "@limbeck/distill/student/StudentModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Deployment, QuestionStanding, Standing } from "../../deployment/Deployment.ts"
import type { DeploymentSettings } from "../../deployment/DeploymentMachine.ts"
import type { Student } from "../../student/internal/Student.ts"
import { Students } from "../../student/Students.ts"
import * as EvidenceRules from "../EvidenceRules.ts"
import * as QuestionGuardRules from "../QuestionGuardRules.ts"

export const unwatchedStanding: Standing = {
  floor: null,
  evidence: null,
  watchedSince: null,
  guardedAt: null,
  breach: null,
  questions: []
}

type GuardSettings = Pick<DeploymentSettings, "mode" | "guard" | "studentModel" | "fallback">

/** Without a fallback the student answers all of its calls, however sure it is. */
const thresholdOf = ({ fallback }: Pick<Deployment, "fallback">): number => fallback?.belowConfidence ?? 0

/** Another student leaves a default floor where it is, or raises it: a worse one would lower it by itself. */
const keepsFloor = (before: Deployment, { guard, studentModel }: GuardSettings): boolean =>
  studentModel !== before.studentModel && guard?.minAgreement === null && before.guard?.minAgreement === null

const leastFloor = (before: Deployment, wanted: GuardSettings): number =>
  keepsFloor(before, wanted) ? (before.floor ?? 0) : 0

/** Whether other answers reach callers than before: without a fallback a student of decisions answers all that it knows. */
const hasOtherAnswers = (before: Deployment, wanted: GuardSettings, isOfDecisions: boolean): boolean =>
  wanted.studentModel !== before.studentModel ||
  thresholdOf(wanted) !== thresholdOf(before) ||
  (isOfDecisions && (wanted.fallback === null) !== (before.fallback === null))

const isGuarded = ({ guardedAt, questions }: Deployment): boolean =>
  guardedAt !== null || questions.some((question) => question.guardedAt !== null)

/** Each question has the floor of its own rows; a breach stays unless the comparisons begin anew. */
const questionsOf = (evidence: ReadonlyArray<QuestionEvidence>, before: Deployment, wanted: GuardSettings) => {
  const { fallback, guard } = wanted
  const from = { belowConfidence: fallback === null ? null : (fallback.belowConfidence ?? 0) }
  const known = new Map(before.questions.map((question) => [question.question, question]))
  return Result.map(QuestionGuardRules.floorsOf(evidence, from, guard?.minAgreement ?? null), (floors) =>
    floors.map((shown): QuestionStanding => {
      const { floor = 0, guardedAt = null } = known.get(shown.question) ?? {}
      return { ...shown, floor: Math.max(shown.floor, keepsFloor(before, wanted) ? floor : 0), guardedAt }
    })
  )
}

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const students = yield* Students

  const evidenceFor = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    wanted: GuardSettings,
    { agreementAt, holdout }: Student
  ) {
    // Its results in shadow are of the student that it has had since then.
    const isSame = wanted.studentModel === before.studentModel
    const since = isSame ? before.studentSince : Number.MAX_SAFE_INTEGER
    const threshold = thresholdOf(wanted)
    const all = yield* calls.comparisons(partition, before.id, since, 0)
    const answered = threshold === 0 ? all : yield* calls.comparisons(partition, before.id, since, threshold)
    return EvidenceRules.evidenceOf({ holdout, curve: agreementAt, threshold, shadow: { all, answered } })
  })

  /** What the student's evidence asks of it. Fails where the evidence does not do. */
  const shownFor = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    wanted: GuardSettings,
    student: Student
  ) {
    if (student.questionEvidence !== null) {
      const questions = yield* Effect.fromResult(questionsOf(student.questionEvidence, before, wanted))
      return { floor: null, evidence: null, questions }
    }
    const known = yield* evidenceFor(partition, before, wanted, student)
    const asked = yield* Effect.fromResult(EvidenceRules.floorOf(known, wanted.guard?.minAgreement ?? null))
    const floor = Math.max(asked, leastFloor(before, wanted))
    return { floor, evidence: known?.tally ?? null, questions: [] }
  })

  /** Of the deployment as `wanted`. `isAsked`: its owner asks for it to be active. Fails where the evidence does not do. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    wanted: GuardSettings,
    options: { readonly isAsked: boolean; readonly now: Millis }
  ) {
    const { guard, mode, studentModel } = wanted
    if (mode === "shadow" || guard === null) return unwatchedStanding
    const student = Option.getOrThrow(yield* students.find(partition, studentModel))
    const { breach, evidence, floor, guardedAt, questions, watchedSince } = before
    // Other answers reach callers from now on: earlier comparisons say nothing about these.
    const isAnew =
      watchedSince === null ||
      hasOtherAnswers(before, wanted, student.questionEvidence !== null) ||
      (options.isAsked && isGuarded(before))
    const kept: Standing = { floor, evidence, watchedSince, guardedAt, breach, questions }
    if (!isAnew && guard.minAgreement === before.guard?.minAgreement) return kept
    const shown = yield* shownFor(partition, before, wanted, student)
    if (!isAnew) return { ...kept, ...shown }
    const unguarded = shown.questions.map((question) => ({ ...question, guardedAt: null }))
    return { ...unwatchedStanding, ...shown, questions: unguarded, watchedSince: options.now }
  })
})
