/** The questions of a request for decisions that have a form inside, each with its identity and its answer. */
import * as JsonShape from "@limbeck/core/json/JsonShape"
import * as Turns from "@limbeck/core/turns/Turns"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CapturedCall } from "../../call/CapturedCall.ts"
import { CaptureLimits } from "../../Limits.ts"
import { isDecision } from "../DialectRules.ts"
import * as AnswerRules from "./AnswerRules.ts"
import type { DecisionRequest } from "./DecisionRequest.ts"
import * as DecisionRules from "./DecisionRules.ts"
import type { Answer, Question, QuestionId } from "./Question.ts"
import * as QuestionRules from "./QuestionRules.ts"

export interface AnsweredQuestion {
  readonly name: string | null
  readonly question: Question
  readonly answer: Answer
}

export interface IdentifiedQuestion extends AnsweredQuestion {
  readonly id: QuestionId
}

/** In the order of the request, without the questions that only an upstream can judge. */
export const fromResponse = (request: DecisionRequest, response: unknown): ReadonlyArray<AnsweredQuestion> => {
  const answers = AnswerRules.read(request, response)
  return request.questions.flatMap(({ name, question }, position) => {
    const answer = answers[position]
    if (question === null || answer === null || answer === undefined) return []
    const { instructions, kind, options } = question
    return [{ name, question: { kind, instructions, options }, answer }]
  })
}

export const identify = (
  questions: ReadonlyArray<AnsweredQuestion>
): Effect.Effect<ReadonlyArray<IdentifiedQuestion>, never, Digest> =>
  Effect.forEach(questions, (one) => Effect.map(QuestionRules.identify(one.question), (id) => ({ ...one, id })))

type Bodies = Pick<CapturedCall, "endpoint" | "request" | "requestIsJson" | "response" | "responseIsJson">

const shapeMax: JsonShape.ShapeMax = { depth: CaptureLimits.shownDepthMax, members: CaptureLimits.learntMembersMax }

function* parsing(text: string, isJson: boolean): Turns.Steps<Schema.Json | undefined> {
  if (!isJson || (yield* JsonShape.excessSteps(text, shapeMax)) !== undefined) return undefined
  yield text.length
  // Storage has checked that the text is JSON.
  return JSON.parse(text)
}

function* reading({
  endpoint,
  request,
  requestIsJson,
  response,
  responseIsJson
}: Bodies): Turns.Steps<ReadonlyArray<AnsweredQuestion>> {
  if (!isDecision(endpoint)) return []
  const asked = DecisionRules.read(yield* parsing(request, requestIsJson))
  if (asked === null) return []
  return fromResponse(asked, response === null ? undefined : yield* parsing(response, responseIsJson))
}

/** The questions of a call; none for other calls, and for bodies that cannot be read. */
export const questionsOf = (call: Bodies): Effect.Effect<ReadonlyArray<IdentifiedQuestion>, never, Digest> =>
  isDecision(call.endpoint) ? Effect.flatMap(Turns.run(reading(call)), identify) : Effect.succeed([])
