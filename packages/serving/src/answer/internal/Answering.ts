/**
 * Who answers a call of a deployment: its student; or its fallback, for the rest of the traffic and where the student's answer
 * will not do.
 *
 *     student's share ──▶ ask the student ── good ─────────────────────▶ the student's answer
 *                              │ fails, or leaves a doubt
 *                              ├── no fallback ────────────────────────▶ the student's answer, or its failure
 *                              └── ask the fallback ───────────────────▶ the fallback's answer or failure
 *                                       └── fails; the student is unsure ──────▶ the student's answer
 *     the rest, or guarded ▶ ask the fallback ─────────────────────────▶ the fallback's answer or failure
 */
import { type CallError, Forward, failureOf as upstreamFailureOf } from "@limbeck/capture/source/Forward"
import * as Answer from "@limbeck/capture/tape/Answer"
import { isSuccess } from "@limbeck/capture/upstream/Upstream"
import { invalid } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { modelOf } from "../../deployment/Deployment.ts"
import * as VerificationRules from "../../guard/VerificationRules.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as ChatRequest from "../../student/internal/ChatRequest.ts"
import * as EndpointStudent from "../../student/internal/EndpointStudent.ts"
import { type FallbackReason, StudentFailed, type StudentResponse } from "../../student/internal/StudentResponse.ts"
import { Students } from "../../student/Students.ts"
import { type DeploymentCall, isStudents } from "./DeploymentCall.ts"
import * as DialectRequest from "./DialectRequest.ts"
import * as FieldAnswering from "./FieldAnswering.ts"
import * as OwnScope from "./OwnScope.ts"
import * as SourceRequest from "./SourceRequest.ts"
import * as StudentFailure from "./StudentFailure.ts"

const student = (
  { deployment }: DeploymentCall,
  { confidence, studentMicros }: Pick<StudentResponse, "confidence" | "studentMicros">
): Answer.Responder => ({
  deployment: deployment.id,
  servedBy: "student",
  source: null,
  sourceModel: null,
  fallbackReason: null,
  confidence,
  studentMicros
})

const byStudent = (call: DeploymentCall, answer: StudentResponse): Answer.Answer => ({
  ...answer.response,
  by: student(call, answer)
})

/** Why the fallback follows the student, with the student's response, if any. */
interface Doubt {
  readonly reason: FallbackReason
  readonly response: OwnScope.ScopedValue<StudentResponse> | null
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the ways to an answer, each short, which call each other
export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent.EndpointStudent) {
  const forward = yield* Forward
  const students = yield* Students

  const fallbackOf = Effect.fnUntraced(function* (
    { deployment, partition, request }: DeploymentCall,
    why: Pick<Answer.Responder, "confidence" | "fallbackReason" | "servedBy" | "studentMicros">,
    part?: FieldAnswering.PartialAnswer
  ) {
    const { fallback } = deployment
    // A shadow deployment without an active one.
    if (fallback === null)
      return yield* invalid("model", `Nobody answers ${modelOf(deployment)}: name a fallback for it`)
    const { model, source: id } = fallback
    const source = yield* forward.sourceOf(partition, id, "model")
    const asked = yield* SourceRequest.make(source, part?.request ?? request, model)
    const by: Answer.Responder = { ...why, deployment: deployment.id, source, sourceModel: model }
    const answer = Effect.flatMap(forward.send(partition, source, asked.request), (response) =>
      Effect.mapError(asked.answer(response), (failure) => upstreamFailureOf(source, failure))
    )
    if (part === undefined) return Answer.attempt(by, answer)
    const attempt: Answer.LastAttempt = {
      by,
      ask: Effect.flatMap(
        answer,
        (response): Effect.Effect<Answer.Answer, CallError> =>
          isSuccess(response.status)
            ? Effect.mapBoth(part.mix(response), {
                onFailure: (failure) => upstreamFailureOf(source, failure),
                onSuccess: (mixed) => ({ ...mixed, by: { ...by, servedBy: "mixed", fields: part.split } })
              })
            : Effect.succeed({ ...response, by })
      )
    }
    return attempt
  })

  /** The upstream answers, and the student is not asked. */
  const byUpstream = (call: DeploymentCall) =>
    fallbackOf(call, { servedBy: "upstream", fallbackReason: null, confidence: null })

  const inPlace = (call: DeploymentCall, { reason, response }: Doubt) =>
    fallbackOf(call, {
      servedBy: "upstream_fallback",
      fallbackReason: reason,
      confidence: response?.value.confidence ?? null,
      studentMicros: response?.value.studentMicros
    })

  /** An unsure answer is better than none. */
  const orUnsure = Effect.fnUntraced(function* (call: DeploymentCall, unsure: StudentResponse, doubt: Doubt) {
    const found = yield* Effect.option(inPlace(call, doubt))
    if (Option.isNone(found)) return byStudent(call, unsure)
    const { ask, by } = found.value
    const askOrUnsure = Effect.gen(function* () {
      const owned = yield* Effect.option(OwnScope.own(ask))
      if (Option.isNone(owned)) return byStudent(call, unsure)
      const { release, value } = owned.value
      if (isSuccess(value.status)) return value
      yield* release
      return byStudent(call, unsure)
    })
    return { by, ask: askOrUnsure }
  })

  const fallBack = Effect.fnUntraced(function* (
    call: DeploymentCall,
    doubt: Doubt
  ): Effect.fn.Return<Answer.Answer | Answer.Attempt, CallError> {
    const { reason, response } = doubt
    const isUnsure = reason === "confidence" || reason === "out_of_distribution" || reason === "unknown_template"
    if (response !== null && isUnsure) return yield* orUnsure(call, response.value, doubt)
    if (response !== null) yield* response.release
    return yield* inPlace(call, doubt)
  })

  /** A request that the fallback's dialect cannot express is refused before the student's endpoint is sent anything. */
  const checkFallback = Effect.fnUntraced(function* ({ deployment, partition, request }: DeploymentCall) {
    const { fallback } = deployment
    if (fallback === null) return
    const source = yield* Effect.option(forward.sourceOf(partition, fallback.source, "model"))
    if (Option.isSome(source)) yield* DialectRequest.forSource(source.value, request, fallback.model)
  })

  const respond = Effect.fnUntraced(function* (call: DeploymentCall) {
    const { deployment, partition, request } = call
    const asked = yield* DialectRequest.forStudent(request)
    if (deployment.endpoint === null) {
      const chat = yield* ChatRequest.read(asked.request.body)
      return yield* BuiltinStudent.ask(students, partition, deployment, chat, request)
    }
    yield* checkFallback(call)
    const isMeasured = (deployment.fallback?.belowConfidence ?? 0) > 0
    const answer = yield* endpointStudent.ask(partition, deployment, asked.request, isMeasured)
    const response = yield* Effect.mapError(asked.answer(answer.response), (failure) =>
      EndpointStudent.failureOf(failure)
    )
    return { ...answer, response }
  })

  const askStudent = Effect.fnUntraced(function* (call: DeploymentCall) {
    const { fallback } = call.deployment
    const owned = yield* Effect.catchTag(OwnScope.own(respond(call)), "StudentFailed", Effect.succeed)
    if (owned instanceof StudentFailed) {
      if (fallback === null) return yield* StudentFailure.of(call.deployment, owned)
      return yield* fallBack(call, { reason: owned.reason, response: null })
    }
    const { doubt } = owned.value
    return doubt === null || fallback === null
      ? byStudent(call, owned.value)
      : yield* fallBack(call, { reason: doubt, response: owned })
  })

  /** Asks the student for the closed fields of a JSON answer, and the fallback for the free fields. */
  const askFields = Effect.fnUntraced(function* (
    call: DeploymentCall
  ): Effect.fn.Return<Answer.Answer | Answer.Attempt, CallError, Scope.Scope> {
    const plan = yield* Effect.catchTag(FieldAnswering.plan(students, call), "StudentFailed", Effect.succeed)
    if (plan instanceof StudentFailed) return yield* inPlace(call, { reason: plan.reason, response: null })
    switch (plan._tag) {
      case "Whole":
        return yield* askStudent(call)
      case "Upstream":
        return yield* fallbackOf(call, {
          servedBy: "upstream_fallback",
          fallbackReason: plan.reason,
          confidence: plan.confidence,
          studentMicros: plan.studentMicros
        })
      case "Partial":
        return yield* fallbackOf(
          call,
          {
            servedBy: "upstream_fallback",
            fallbackReason: null,
            confidence: plan.answer.confidence,
            studentMicros: plan.studentMicros
          },
          plan.answer
        )
    }
  })

  /** The first attempt at a call of an active deployment. */
  const attempt = (call: DeploymentCall): Effect.Effect<Answer.Attempt, CallError> => {
    if (call.deployment.fallback !== null && !isStudents(call)) return byUpstream(call)
    if (VerificationRules.isGuarded(call.deployment)) return inPlace(call, { reason: "guarded", response: null })
    const ask = call.deployment.fields === "closed_only" ? askFields(call) : askStudent(call)
    return Effect.succeed({ by: student(call, { confidence: null }), ask })
  }

  return { attempt, byUpstream }
})
