/**
 * `DecisionModel` of `effect/ai`: over a deployment, whose student and fallback share the questions, or over a student that is
 * loaded and not deployed, with any other model as its fallback.
 */
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import type { DecisionRequest } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import type { DecisionDialect } from "@limbeck/capture/dialect/decisions/Question"
import * as SplitRules from "@limbeck/capture/dialect/decisions/SplitRules"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as AiError from "effect/ai/AiError"
import * as Decision from "effect/ai/Decision"
import * as DecisionModel from "effect/ai/DecisionModel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { modelOf } from "../deployment/Deployment.ts"
import * as DecisionStudent from "../student/internal/DecisionStudent.ts"
import type { StudentFailed } from "../student/internal/StudentResponse.ts"
import { type DecisionError, type DecisionOptions, Decisions } from "./Decisions.ts"
import * as DecisionModelRules from "./internal/DecisionModelRules.ts"

interface ModelOptions {
  /** The form of requests to the source of the fallback; `openai` by default. */
  readonly dialect?: DecisionDialect | undefined
}

export interface DeployedOptions extends ModelOptions, Pick<DecisionOptions, "tags" | "externalId"> {
  /** Of the deployment, without `svc:`. */
  readonly alias: string
}

export interface LoadedOptions extends ModelOptions {
  /** The id of a builtin student. */
  readonly studentModel: string
  /** Answers the questions that the student does not know or is not sure of. By default the student answers all that it knows. */
  readonly fallback?: DecisionModel.DecisionModel | undefined
  /** Raises the thresholds of the student's questions. */
  readonly belowConfidence?: number | undefined
}

/** Upstreams round to two decimals; a student's numbers add up to exactly 1. */
const probabilityPrecision = 2

const failed = (reason: AiError.AiErrorReason) => AiError.make({ module: "DecisionModel", method: "decide", reason })

/** Rejections have the upstream's status; the storage and sources that do not answer are errors of the provider. */
const deployedFailure = (error: DecisionError): AiError.AiError => {
  const { _tag, message } = error
  if (_tag === "DecisionsRejected") {
    return failed(AiError.reasonFromHttpStatus({ status: error.status, description: message }))
  }
  if (_tag === "InvalidInput") return failed(new AiError.InvalidUserInputError({ description: message }))
  if (_tag === "NotFound" || _tag === "ReferenceUnknown" || _tag === "NoDefaultSource") {
    return failed(new AiError.InvalidRequestError({ description: message }))
  }
  return failed(new AiError.InternalProviderError({ description: message }))
}

/** Over a deployment: captured, verified and guarded like a call over HTTP. */
export const ofDeployment = Effect.fnUntraced(function* (
  partition: Partition,
  { alias, dialect = "openai", ...labels }: DeployedOptions
) {
  const { ask } = yield* Decisions
  return yield* DecisionModel.make({
    probabilityPrecision,
    decide: Effect.fnUntraced(function* ({ decisions, state }) {
      const body = DecisionModelRules.bodyOf(dialect, modelOf({ alias }), { decisions, state })
      const { call, response, servedBy, split } = yield* Effect.mapError(ask(partition, body, labels), deployedFailure)
      return {
        answers: DecisionModelRules.answersOf(decisions, response),
        usage: DecisionModelRules.usageOf(response),
        id: call,
        modelId: modelOf({ alias }),
        metadata: { limbeck: { servedBy, decisions: split && { ...split } } }
      }
    })
  })
})

const loadedFailure = ({ message }: StudentFailed) =>
  failed(new AiError.InternalProviderError({ description: `The student ${message}` }))

/** The members of the student's answers, and nothing at the other positions. */
const responseOf = (
  request: DecisionRequest,
  { answers }: DecisionStudent.StudentDecisions,
  positions: ReadonlyArray<number>
): unknown => {
  const members = request.questions.map((requested, position) => {
    const answer = positions.includes(position) ? answers[position] : null
    return answer == null || requested.question === null
      ? null
      : AnswerRules.member(request, requested, requested.question, answer.distribution)
  })
  return { answers: AnswerRules.write(request, members) }
}

const providerAnswer = (
  tag: DecisionModelRules.ClosedDecision["_tag"],
  outcome: Decision.Outcome<Decision.Any>
): DecisionModel.ProviderAnswer | undefined => {
  if (Result.isFailure(outcome)) return outcome.failure.reason === "Refused" ? { _tag: "Refusal" } : undefined
  // The model has checked that the answer has the form of its decision.
  return { _tag: tag, ...outcome.success } as DecisionModel.ProviderAnswer
}

/** Asks the fallback for some of the decisions, in one request. */
const fallbackAnswers = Effect.fnUntraced(function* (
  fallback: DecisionModel.DecisionModel,
  { decisions, state }: DecisionModelRules.DecisionsAsked
) {
  const definition = Decision.make({ input: Schema.Json, decisions: { ...decisions } })
  const { outcomes, usage } = yield* fallback.decideSettled(definition, { input: state })
  const answers = Object.entries(decisions).flatMap(([name, { _tag }]) => {
    const outcome = outcomes[name]
    const answer = outcome === undefined ? undefined : providerAnswer(_tag, outcome)
    return answer === undefined ? [] : [[name, answer] as const]
  })
  const { inputTokens, outputTokens } = usage
  return { answers: Object.fromEntries(answers), usage: { inputTokens, outputTokens } }
})

/** Over a student that is loaded for it: no call is captured, and no deployment is needed. */
export const ofStudent = Effect.fnUntraced(function* (partition: Partition, options: LoadedOptions) {
  const { belowConfidence = 0, dialect = "openai", fallback, studentModel } = options
  const { predict } = yield* Decisions
  return yield* DecisionModel.make({
    decide: Effect.fnUntraced(function* ({ decisions, state }) {
      const names = Object.keys(decisions)
      const request = DecisionRules.read(DecisionModelRules.bodyOf(dialect, studentModel, { decisions, state }))!
      const decided = yield* Effect.mapError(predict(partition, studentModel, request), loadedFailure)
      const split = SplitRules.of(request, (at) =>
        fallback === undefined ? decided.answers[at] !== null : DecisionStudent.isSure(decided, at, belowConfidence)
      )
      const own = DecisionModelRules.answersOf(decisions, responseOf(request, decided, split.student))
      const rest = split.upstream.map((at) => [names[at]!, decisions[names[at]!]!] as const)
      const usage = { inputTokens: decided.prediction?.inputTokens ?? 0, outputTokens: 0 }
      const metadata = { limbeck: { decisions: { ...split } } }
      if (fallback === undefined || rest.length === 0) {
        return { answers: own, usage, modelId: studentModel, metadata }
      }
      const others = yield* fallbackAnswers(fallback, { state, decisions: Object.fromEntries(rest) })
      return { answers: { ...own, ...others.answers }, usage: others.usage, modelId: studentModel, metadata }
    })
  })
})
