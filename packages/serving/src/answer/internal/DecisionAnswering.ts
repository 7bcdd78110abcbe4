/**
 * Splits the questions of a request for decisions to a deployment: the student answers known questions above its thresholds, and
 * one request asks the fallback for the rest (contract 16.22, 16.23, 16.26).
 *
 *     student's share ──▶ split ── all are the student's ──────────────▶ the student's answer
 *                           │ some are not
 *                           ├── no fallback, all known ───────────────▶ the student's answer
 *                           ├── no fallback, one unknown ─────────────▶ 400
 *                           └── ask the fallback for these ── answers ▶ both answers, merged
 *                                    └── fails ── "answer", all known ▶ the student's answer
 *                                             └── else ───────────────▶ the failure
 *     the rest, or guarded ▶ ask the fallback for all ────────────────▶ its answer or failure
 */
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import type { DecisionRequest } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as DecisionResponse from "@limbeck/capture/dialect/decisions/DecisionResponse"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import * as SplitRules from "@limbeck/capture/dialect/decisions/SplitRules"
import { type CallError, Forward, failureOf as upstreamFailureOf } from "@limbeck/capture/source/Forward"
import type * as Answer from "@limbeck/capture/tape/Answer"
import { isSuccess, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { invalid } from "@limbeck/core/errors/Errors"
import * as Turns from "@limbeck/core/turns/Turns"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { modelOf } from "../../deployment/Deployment.ts"
import * as VerificationRules from "../../guard/VerificationRules.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as DecisionStudent from "../../student/internal/DecisionStudent.ts"
import * as ModelMember from "../../student/internal/ModelMember.ts"
import * as RequestBody from "../../student/internal/RequestBody.ts"
import { type FallbackReason, StudentFailed } from "../../student/internal/StudentResponse.ts"
import { Students } from "../../student/Students.ts"
import { type DecisionCall, isStudents } from "./DeploymentCall.ts"
import * as OwnScope from "./OwnScope.ts"
import * as StudentFailure from "./StudentFailure.ts"

/** A call with its parsed request. */
interface ReadCall extends DecisionCall {
  readonly decisions: DecisionRequest
}

/** Why the fallback is asked, and for which questions. */
interface Why {
  readonly servedBy: "upstream" | "upstream_fallback"
  readonly fallbackReason: FallbackReason | null
  readonly confidence: number | null
  readonly studentMicros?: number | undefined
  readonly split: SplitRules.Split
}

type StudentDecisions = DecisionStudent.StudentDecisions

const allOf = (decisions: DecisionRequest, who: "student" | "upstream"): SplitRules.Split =>
  SplitRules.of(decisions, () => who === "student")

const knowsAll = ({ answers }: StudentDecisions): boolean =>
  answers.every((answer) => answer !== null && answer.isGuarded !== true)

/** Why the fallback is asked where the student is not sure of all questions. */
const reasonOf = ({ answers, prediction }: StudentDecisions, { upstream }: SplitRules.Split): FallbackReason => {
  if (prediction === null) return "unsupported"
  if (prediction.isUnknownTemplate) return "unknown_template"
  if (prediction.isNew) return "out_of_distribution"
  if (upstream.some((position) => answers[position]?.isGuarded)) return "guarded"
  return upstream.some((position) => answers[position] !== null) ? "confidence" : "unsupported"
}

/** Characters of an option in a response, about. */
const optionCost = 40

/** The members of the student's answers, of known questions at these positions. */
function* membersOf(
  decisions: DecisionRequest,
  { answers }: StudentDecisions,
  positions: ReadonlyArray<number>
): Turns.Steps<ReadonlyArray<Schema.JsonObject>> {
  const members: Array<Schema.JsonObject> = []
  for (const position of positions) {
    const requested = decisions.questions[position]
    const answer = answers[position] ?? null
    if (requested === undefined || requested.question === null || answer === null) continue
    members.push(AnswerRules.member(decisions, requested, requested.question, answer.distribution))
    yield answer.distribution.length * optionCost
  }
  return members
}

const student = ({ decisions, deployment }: ReadCall, { prediction }: StudentDecisions): Answer.Responder => ({
  deployment: deployment.id,
  servedBy: "student",
  source: null,
  sourceModel: null,
  fallbackReason: null,
  confidence: prediction?.confidence ?? null,
  studentMicros: prediction?.costMicros ?? undefined,
  split: allOf(decisions, "student")
})

/** The student's answers to all questions, which it knows. */
const byStudent = Effect.fnUntraced(function* (call: ReadCall, decided: StudentDecisions) {
  const { decisions, deployment } = call
  const by = student(call, decided)
  const members = yield* Turns.run(membersOf(decisions, decided, allOf(decisions, "student").student))
  const head = { model: modelOf(deployment), inputTokens: decided.prediction?.inputTokens ?? 0 }
  const answer: Answer.Answer = { ...DecisionResponse.ofStudent(decisions, head, members), by }
  return answer
})

const readOf = Effect.fnUntraced(function* (call: DecisionCall) {
  const body = yield* Effect.flatMap(
    Turns.run(RequestBody.reading(call.request.body, call.request.parsed)),
    Effect.fromResult
  )
  const decisions = DecisionRules.read(body)
  if (decisions === null || decisions.questions.length === 0) {
    return yield* invalid("questions", "Questions are a list or a map of at least one")
  }
  const read: ReadCall = { ...call, decisions }
  return read
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the ways to an answer, each short, which call each other
export const make = Effect.gen(function* () {
  const forward = yield* Forward
  const students = yield* Students
  const digests = yield* Digest

  /** The request for the upstream's part; it differs from the caller's in `questions` and `model` alone. */
  const requestOf = Effect.fnUntraced(function* (
    { decisions, request }: ReadCall,
    { student, upstream }: SplitRules.Split,
    model: string
  ) {
    const { body } = request
    if (body === null || student.length === 0) {
      return { ...request, model, body: body && (yield* ModelMember.replaceModel(body, model)) }
    }
    const { questions } = DecisionRules.write(SplitRules.partOf(decisions, upstream))
    const part = yield* Turns.run(ModelMember.replacingQuestions(body, questions ?? null))
    // The answer is read here.
    const headers = { ...request.headers, "accept-encoding": "identity" }
    return { ...request, headers, model, body: yield* ModelMember.replaceModel(part, model) }
  })

  /** Asks the fallback; `take` makes the answer of a success. */
  const fallback = Effect.fnUntraced(function* (
    call: ReadCall,
    why: Why,
    take: (response: UpstreamResponse, by: Answer.Responder) => Effect.Effect<Answer.Answer, CallError>
  ) {
    const { deployment, partition, request } = call
    if (deployment.fallback === null) {
      return yield* invalid("model", `Nobody answers ${modelOf(deployment)}: name a fallback for it`)
    }
    const { model, source: id } = deployment.fallback
    const source = yield* forward.sourceOf(partition, id, "model")
    if (!DialectRules.hasEndpoint(source.dialect, request.endpoint)) {
      return yield* invalid("model", DialectRules.refusal(source.name, source.dialect, request.endpoint))
    }
    const asked = yield* requestOf(call, why.split, model)
    const target = DialectRules.targetOf(source.dialect, request.endpoint, request.target)
    const { split, ...reason } = why
    const asking: Answer.Responder = { ...reason, deployment: deployment.id, source, sourceModel: model }
    const ask = Effect.flatMap(forward.send(partition, source, { ...asked, target }), (response) =>
      isSuccess(response.status)
        ? take(response, { ...asking, split })
        : Effect.succeed<Answer.Answer>({ ...response, by: asking })
    )
    const attempt: Answer.LastAttempt = { by: asking, ask }
    return attempt
  })

  const passed = (response: UpstreamResponse, by: Answer.Responder) =>
    Effect.succeed<Answer.Answer>({ ...response, by })

  /** The fallback answers all questions. */
  const whole = (call: ReadCall, why: Omit<Why, "split">) =>
    fallback(call, { ...why, split: allOf(call.decisions, "upstream") }, passed)

  /** The fallback answers the upstream's part; its response is merged with the student's answers. */
  const partly = (call: ReadCall, decided: StudentDecisions, why: Why) =>
    fallback(call, why, (response, by) => {
      const { decisions, deployment } = call
      const merged = Effect.flatMap(Turns.run(membersOf(decisions, decided, why.split.student)), (members) =>
        DecisionResponse.mixResponse(decisions, why.split, modelOf(deployment), members, response)
      )
      return Effect.mapBoth(merged, {
        onFailure: (failure) => upstreamFailureOf(by.source!, failure),
        onSuccess: (response): Answer.Answer => ({ ...response, by: { ...by, servedBy: "mixed" } })
      })
    })

  /** The attempt; if it fails, the student's answer. */
  const orStudent = (
    call: ReadCall,
    decided: StudentDecisions,
    { ask, by }: Answer.LastAttempt
  ): Answer.LastAttempt => ({
    by,
    ask: Effect.gen(function* () {
      const owned = yield* Effect.result(OwnScope.own(ask))
      if (Result.isFailure(owned)) return yield* byStudent(call, decided)
      const { release, value } = owned.success
      if (isSuccess(value.status)) return value
      yield* release
      return yield* byStudent(call, decided)
    })
  })

  const identitiesOf = ({ questions }: DecisionRequest) =>
    Effect.provideService(QuestionRules.identifyAll(questions), Digest, digests)

  const predict = Effect.fnUntraced(function* ({ decisions, deployment, partition }: ReadCall) {
    if (deployment.endpoint !== null) return DecisionStudent.knowsNothing(decisions)
    const loaded = yield* BuiltinStudent.load(students, partition, deployment.studentModel)
    const ids = loaded.questions.length === 0 ? [] : yield* identitiesOf(decisions)
    const decided = yield* DecisionStudent.decide(loaded, decisions, ids)
    const isGuarded = (at: number) => VerificationRules.isGuardedQuestion(deployment, ids[at] ?? "")
    return DecisionStudent.leaveToFallback(decided, isGuarded)
  })

  const fallBack = Effect.fnUntraced(function* (call: ReadCall, decided: StudentDecisions) {
    const belowConfidence = call.deployment.fallback?.belowConfidence ?? 0
    const split = SplitRules.of(call.decisions, (at) => DecisionStudent.isSure(decided, at, belowConfidence))
    if (split.upstream.length === 0) return yield* byStudent(call, decided)
    const why: Why = {
      servedBy: "upstream_fallback",
      fallbackReason: reasonOf(decided, split),
      confidence: decided.prediction?.confidence ?? null,
      studentMicros: decided.prediction?.costMicros ?? undefined,
      split
    }
    const asked = split.student.length === 0 ? whole(call, why) : partly(call, decided, why)
    const mayAnswer = call.deployment.onFallbackFailure === "answer" && knowsAll(decided)
    if (!mayAnswer) return yield* asked
    // A fallback that cannot even be asked has failed too.
    const attempt = yield* Effect.result(asked)
    return Result.isFailure(attempt) ? yield* byStudent(call, decided) : orStudent(call, decided, attempt.success)
  })

  const askStudent = Effect.fnUntraced(function* (
    call: ReadCall
  ): Effect.fn.Return<Answer.Answer | Answer.Attempt, CallError, Scope.Scope> {
    const { decisions, deployment } = call
    const decided = yield* Effect.catchTag(predict(call), "StudentFailed", Effect.succeed)
    if (decided instanceof StudentFailed) {
      if (deployment.fallback === null) return yield* StudentFailure.of(deployment, decided)
      return yield* whole(call, { servedBy: "upstream_fallback", fallbackReason: decided.reason, confidence: null })
    }
    if (deployment.fallback !== null) return yield* fallBack(call, decided)
    const unknown = decisions.questions.find((_, position) => decided.answers[position] === null)
    return unknown === undefined
      ? yield* byStudent(call, decided)
      : yield* invalid(unknown.param, "The student does not know this question, and the deployment has no fallback")
  })

  /** The upstream answers, and the student is not asked. */
  const byUpstream = (call: DecisionCall) =>
    Effect.flatMap(readOf(call), (read) =>
      whole(read, { servedBy: "upstream", fallbackReason: null, confidence: null })
    )

  /** The first attempt at a call of an active deployment. */
  const attempt = Effect.fnUntraced(function* (call: DecisionCall): Effect.fn.Return<Answer.Attempt, CallError> {
    if (call.deployment.fallback !== null && !isStudents(call)) return yield* byUpstream(call)
    const read = yield* readOf(call)
    if (VerificationRules.isGuarded(call.deployment)) {
      return yield* whole(read, { servedBy: "upstream_fallback", fallbackReason: "guarded", confidence: null })
    }
    const { split: _, ...by } = student(read, DecisionStudent.knowsNothing(read.decisions))
    return { by, ask: askStudent(read) }
  })

  return { attempt, byUpstream }
})
