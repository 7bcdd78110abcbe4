/**
 * Compares a student of decisions in shadow with the upstream's answer to a call: on each question that the upstream has answered and
 * the student would have answered alone.
 */
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import type { Durability } from "@limbeck/capture/source/Source"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Turns from "@limbeck/core/turns/Turns"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { DecisionCall } from "../../answer/internal/DeploymentCall.ts"
import * as QuestionComparisons from "../../guard/internal/QuestionComparisons.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as DecisionStudent from "../../student/internal/DecisionStudent.ts"
import * as RequestBody from "../../student/internal/RequestBody.ts"
import { StudentFailed } from "../../student/internal/StudentResponse.ts"
import { Students } from "../../student/Students.ts"
import type { AnswerCopy } from "./AnswerCopy.ts"
import * as ShadowStudent from "./ShadowStudent.ts"

export interface ShadowDecisionsCopy {
  readonly lane: "builtin"
  readonly call: DecisionCall
  readonly answer: AnswerCopy
  readonly headers: UpstreamResponse["headers"]
  /** The positions that the upstream has answered. */
  readonly upstreams: ReadonlyArray<number>
  /** Of the call. */
  readonly durability: Durability
}

const unreadable = new StudentFailed({ reason: "failed", message: "cannot read the request" })

export const make = Effect.gen(function* () {
  const students = yield* Students
  const recorder = yield* Recorder
  const digests = yield* Digest

  /** What the student says to the request. */
  const ask = Effect.fnUntraced(function* ({ deployment, partition, request }: DecisionCall) {
    const body = yield* Effect.mapError(
      Effect.flatMap(Turns.run(RequestBody.reading(request.body, request.parsed)), Effect.fromResult),
      () => unreadable
    )
    const decisions = DecisionRules.read(body)
    if (decisions === null) return yield* unreadable
    const loaded = yield* BuiltinStudent.load(students, partition, deployment.studentModel)
    const ids = yield* Effect.provideService(QuestionRules.identifyAll(decisions.questions), Digest, digests)
    const decided = yield* DecisionStudent.decide(loaded, decisions, ids)
    return { decisions, decided, ids }
  }, Effect.scoped)

  type StudentAnswers = Effect.Success<ReturnType<typeof ask>>

  const compared = Effect.fnUntraced(function* (
    copy: ShadowDecisionsCopy,
    { decided, decisions, ids }: StudentAnswers
  ) {
    const { answer, call, headers, upstreams } = copy
    if (answer.chunks === null) return []
    const given = yield* ShadowStudent.bodyOf(call.request.endpoint, headers, answer.chunks)
    const answers = AnswerRules.read(decisions, given)
    const belowConfidence = call.deployment.fallback?.belowConfidence ?? 0
    return upstreams.flatMap((at) => {
      const id = ids[at] ?? null
      if (id === null || !DecisionStudent.isSure(decided, at, belowConfidence)) return []
      const own = decided.answers[at]?.distribution ?? null
      const comparison = QuestionComparisons.compare(id, own, answers[at]?.probabilities ?? null)
      return comparison === null ? [] : [{ ...comparison, name: decisions.questions[at]?.name ?? null }]
    })
  })

  /** Asks and records. `agrees`: whether all compared answers agree; null without any. */
  return Effect.fnUntraced(function* (copy: ShadowDecisionsCopy) {
    const { call, durability } = copy
    yield* Effect.yieldNow
    const { createdAt, latencyMillis, result } = yield* ShadowStudent.measure(ask(call))
    const comparisons = result._tag === "Success" ? yield* compared(copy, result.success) : []
    yield* recorder.record(
      {
        kind: "shadow",
        partition: call.partition.key,
        call: call.request.call,
        deployment: call.deployment.id,
        error: result._tag === "Success" ? null : result.failure.message,
        message: result._tag === "Success" ? QuestionComparisons.write(comparisons) : null,
        confidence: result._tag === "Success" ? (result.success.decided.prediction?.confidence ?? null) : null,
        latencyMillis,
        agrees: comparisons.length === 0 ? null : comparisons.every(({ agrees }) => agrees),
        answer: null,
        verifies: false,
        createdAt
      },
      durability
    )
  })
})
