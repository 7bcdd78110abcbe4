/** Answers calls of `svc:<alias>`: by the student, by the upstream with a copy for the student, or by the fallback in its place. */
import type { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { TokenUses } from "@limbeck/billing/limits/TokenUses"
import type { Decoder } from "@limbeck/capture/call/Decoder"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import type { Recorder } from "@limbeck/capture/journal/Recorder"
import { type CallError, Forward } from "@limbeck/capture/source/Forward"
import { type Durability, defaultCapture } from "@limbeck/capture/source/Source"
import * as Answer from "@limbeck/capture/tape/Answer"
import * as Sampling from "@limbeck/capture/tape/Sampling"
import type { Upstream, UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { invalid, notFound } from "@limbeck/core/errors/Errors"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Queue } from "@limbeck/core/queue/Queue"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type AliasDeployments, modelOf } from "../deployment/Deployment.ts"
import { Deployments } from "../deployment/Deployments.ts"
import * as AliasCache from "../deployment/internal/AliasCache.ts"
import * as Rules from "../deployment/internal/DeploymentRules.ts"
import * as VerificationRules from "../guard/VerificationRules.ts"
import { ServingLimits } from "../Limits.ts"
import * as Shadows from "../shadow/Shadows.ts"
import * as EndpointStudent from "../student/internal/EndpointStudent.ts"
import type { ManagedStudents } from "../student/ManagedStudents.ts"
import type { Students } from "../student/Students.ts"
import * as Answering from "./internal/Answering.ts"
import * as DecisionAnswering from "./internal/DecisionAnswering.ts"
import {
  type AliasRequest,
  type DecisionCall,
  type DeploymentCall,
  type EndpointRequest,
  isStudents
} from "./internal/DeploymentCall.ts"

export class Serving extends Context.Service<
  Serving,
  {
    /** The first attempt at the call. `alias`: without `svc:`; for one that nothing is deployed under, the attempt fails with NotFound. */
    readonly attempt: (partition: Partition, alias: string, request: EndpointRequest) => Answer.Attempt
    /** Of this process. */
    readonly shadows: Effect.Effect<Shadows.ShadowFigures>
  }
>()("@limbeck/serving/answer/Serving") {}

/** The responder of a call whose deployment is not known yet. */
const unknownStudent: Answer.Responder = {
  servedBy: "student",
  deployment: null,
  source: null,
  sourceModel: null,
  fallbackReason: null,
  confidence: null
}

/** Calls of the student's share that are captured: for others there would be nothing to set a result beside. */
const isCopied = (call: DecisionCall, { by: { source } }: Answer.Answer): boolean =>
  call.request.isRecorded && isStudents(call) && (source === null || Sampling.isKept(source.capture, call.request.call))

/** Finds what is deployed under an alias, from the cache of aliases or from storage. */
const lookUps = Effect.gen(function* () {
  const deployments = yield* Deployments
  const cache = yield* AliasCache.AliasCache
  const forward = yield* Forward

  /** Looks up the fallback's source with the deployment, so that it is known in an outage even if it was never asked. */
  const knowFallbacks = (partition: Partition, { active, shadow }: AliasDeployments) =>
    Effect.forEach(
      [active?.fallback, shadow?.fallback],
      (fallback) =>
        fallback == null ? Effect.void : Effect.ignore(forward.sourceOf(partition, fallback.source, "model")),
      { discard: true }
    )

  /** An unknown alias fails and so is not cached, because callers may ask for any alias. */
  const deployedUnder = (partition: Partition, alias: string) =>
    Effect.filterOrFail(
      deployments.under(partition, alias),
      ({ active, shadow }) => active !== null || shadow !== null,
      () => notFound("deployment", modelOf({ alias }))
    )

  /** Only a valid alias reaches storage. */
  return (partition: Partition, alias: string) => {
    if (Result.isFailure(Rules.alias(alias))) {
      return Effect.fail(notFound("deployment", modelOf({ alias: alias.slice(0, ServingLimits.aliasMax) })))
    }
    let isRead = false
    const lookup = Effect.tap(deployedUnder(partition, alias), () => {
      isRead = true
      return Effect.void
    })
    // Not inside the look-up, because the cache limits its time.
    return Effect.tap(cache.get(partition, alias, lookup), (deployed) =>
      isRead ? knowFallbacks(partition, deployed) : Effect.void
    )
  }
})

/** Copies the answer to the shadow student, if any, by `listen`. */
const copiedBy =
  <Call extends DecisionCall>(
    listen: (
      call: Call,
      answer: Answer.Answer,
      durability: Durability
    ) => Effect.Effect<UpstreamResponse, never, Scope.Scope>
  ) =>
  (call: Call, attempt: Answer.Attempt): Answer.Attempt =>
    Answer.map(attempt, (answer) => {
      if (!isCopied(call, answer)) return Effect.succeed(answer)
      const servedBy = answer.by.deployment === call.deployment.id ? "shadow" : answer.by.servedBy
      const { durability } = answer.by.source?.capture ?? defaultCapture
      const by: Answer.Responder = { ...answer.by, servedBy }
      return Effect.map(listen(call, answer, durability), (response) => ({ ...response, by }))
    })

const make = Effect.gen(function* () {
  const student = yield* EndpointStudent.make
  const answering = yield* Answering.make(student)
  const decisions = yield* DecisionAnswering.make
  const shadows = yield* Shadows.make(student)
  const under = yield* lookUps

  const copied = copiedBy<DeploymentCall>(shadows.listen)
  const copiedQuestions = copiedBy<DecisionCall>(shadows.listenQuestions)

  /** The attempt; for a share of the calls, the upstream verifies the student's answer. */
  const verified = (call: DeploymentCall, attempt: Answer.Attempt): Answer.Attempt =>
    call.request.isRecorded && VerificationRules.isVerified(call.deployment, call.request.call)
      ? Answer.map(attempt, (answer) =>
          answer.by.servedBy === "student" || answer.by.servedBy === "mixed"
            ? Effect.map(shadows.verify(call, answer), (response) => ({ ...response, by: answer.by }))
            : Effect.succeed(answer)
        )
      : attempt

  /** As `verified`: of a mixed answer too, as the student gave a part of it. */
  const verifiedQuestions = (call: DecisionCall, attempt: Answer.Attempt): Answer.Attempt =>
    call.request.isRecorded && VerificationRules.isVerified(call.deployment, call.request.call)
      ? Answer.map(attempt, (answer) =>
          answer.by.servedBy === "student" || answer.by.servedBy === "mixed"
            ? Effect.map(shadows.verifyQuestions(call, answer), (response) => ({ ...response, by: answer.by }))
            : Effect.succeed(answer)
        )
      : attempt

  const first = Effect.fnUntraced(function* (
    partition: Partition,
    alias: string,
    { endpoint, ...asked }: EndpointRequest
  ): Effect.fn.Return<Answer.Attempt, CallError, Scope.Scope> {
    const { active, shadow } = yield* under(partition, alias)
    if (DialectRules.isDecision(endpoint)) {
      const request = { ...asked, endpoint }
      const listening = shadow === null ? null : { partition, deployment: shadow, request }
      // A student at an endpoint of its own has no decisions.
      const isHeard = listening !== null && listening.deployment.endpoint === null
      if (active !== null) {
        const call = { partition, deployment: active, request }
        const attempt = verifiedQuestions(call, yield* decisions.attempt(call))
        return isHeard ? copiedQuestions(listening, attempt) : attempt
      }
      if (listening === null) return yield* notFound("deployment", modelOf({ alias }))
      const attempt = yield* decisions.byUpstream(listening)
      return isHeard ? copiedQuestions(listening, attempt) : attempt
    }
    if (!CallConversation.isConversation(endpoint)) {
      return yield* invalid("model", "What is deployed answers chat completions, responses, messages and decisions")
    }
    const request: AliasRequest = { ...asked, endpoint }
    const listening = shadow === null ? null : { partition, deployment: shadow, request }
    if (active !== null) {
      const call = { partition, deployment: active, request }
      const attempt = verified(call, yield* answering.attempt(call))
      return listening === null ? attempt : copied(listening, attempt)
    }
    // One of the two is there.
    if (listening === null) return yield* notFound("deployment", modelOf({ alias }))
    return copied(listening, yield* answering.byUpstream(listening))
  })

  return Serving.of({
    attempt: (partition, alias, request) => ({ by: unknownStudent, ask: first(partition, alias, request) }),
    shadows: shadows.figures
  })
})

export const layer: Layer.Layer<
  Serving,
  never,
  | Deployments
  | Students
  | ManagedStudents
  | Forward
  | Upstream
  | Recorder
  | Decoder
  | Queue
  | CallHolds
  | TokenUses
  | Digest
  | Ids
> = Layer.provide(Layer.effect(Serving, make), AliasCache.layer)
