/**
 * Compares a student's answers to the questions of a call with the upstream's. The upstream is asked for all questions, so that its
 * answer is what it would have been without a student.
 */
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import type { Split } from "@limbeck/capture/dialect/decisions/SplitRules"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import { defaultCapture } from "@limbeck/capture/source/Source"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Turns from "@limbeck/core/turns/Turns"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DecisionCall } from "../../answer/internal/DeploymentCall.ts"
import type { AnswerCopy } from "../../shadow/internal/AnswerCopy.ts"
import * as ShadowStudent from "../../shadow/internal/ShadowStudent.ts"
import * as RequestBody from "../../student/internal/RequestBody.ts"
import * as QuestionComparisons from "./QuestionComparisons.ts"
import * as UpstreamAnswer from "./UpstreamAnswer.ts"

export interface DecisionCopy {
  readonly lane: "upstream"
  readonly call: DecisionCall
  readonly answer: AnswerCopy
  readonly headers: UpstreamResponse["headers"]
  readonly split: Split
  readonly confidence: number | null
  readonly answeredAt: number
}

export const make = Effect.gen(function* () {
  const upstream = yield* UpstreamAnswer.make
  const recorder = yield* Recorder
  const digests = yield* Digest

  /** Of the questions that the student answered. */
  const compared = Effect.fnUntraced(function* ({ answer, call, headers, split }: DecisionCopy, upstreams: unknown) {
    const { body, endpoint } = call.request
    const read = yield* Turns.run(RequestBody.reading(body))
    const request = Result.isSuccess(read) ? DecisionRules.read(read.success) : null
    if (request === null || answer.chunks === null) return []
    const given = AnswerRules.read(request, yield* ShadowStudent.bodyOf(endpoint, headers, answer.chunks))
    const said = AnswerRules.read(request, upstreams)
    const comparisons = yield* Effect.forEach(split.student, (at) => {
      const question = request.questions[at]?.question ?? null
      if (question === null) return Effect.succeed(null)
      return Effect.map(Effect.provideService(QuestionRules.identify(question), Digest, digests), (id) =>
        QuestionComparisons.compare(id, given[at]?.probabilities ?? null, said[at]?.probabilities ?? null)
      )
    })
    return comparisons.flatMap((comparison) => comparison ?? [])
  })

  /** Asks and records. `agrees`: whether all compared answers agree. */
  return Effect.fnUntraced(function* (copy: DecisionCopy) {
    const { answeredAt, call, confidence } = copy
    const { latencyMillis, result } = yield* ShadowStudent.measure(upstream.decisions(call))
    const comparisons = Result.isSuccess(result) ? yield* compared(copy, result.success) : []
    yield* recorder.record(
      {
        kind: "shadow",
        partition: call.partition.key,
        call: call.request.call,
        deployment: call.deployment.id,
        error: Result.isSuccess(result) ? null : result.failure.message,
        message: Result.isSuccess(result) ? QuestionComparisons.write(comparisons) : null,
        confidence,
        latencyMillis,
        agrees: comparisons.length === 0 ? null : comparisons.every(({ agrees }) => agrees),
        answer: null,
        verifies: true,
        createdAt: answeredAt
      },
      defaultCapture.durability
    )
  })
})
