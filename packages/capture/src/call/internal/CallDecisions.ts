/** The answers in a captured request for decisions, each with who gave it (contract 16.23). */
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as AnswerRules from "../../dialect/decisions/AnswerRules.ts"
import type { RequestedQuestion } from "../../dialect/decisions/DecisionRequest.ts"
import * as DecisionRules from "../../dialect/decisions/DecisionRules.ts"
import type { Answer, CallDecision, QuestionId } from "../../dialect/decisions/Question.ts"
import * as QuestionRules from "../../dialect/decisions/QuestionRules.ts"
import type { CallRecord } from "../CallRecord.ts"

type Responder = Pick<CallRecord, "servedBy" | "studentQuestions">

const serverOf = ({ servedBy, studentQuestions = [] }: Responder, position: number): CallDecision["served_by"] => {
  const isStudents = servedBy === "mixed" ? studentQuestions.includes(position) : servedBy === "student"
  return isStudents ? "student" : "upstream"
}

const decisionOf = (
  { name, question }: RequestedQuestion,
  answer: Answer | null,
  id: QuestionId | null,
  served_by: CallDecision["served_by"]
): ReadonlyArray<CallDecision> =>
  question === null || answer === null || id === null
    ? []
    : [{ question: id, name, kind: question.kind, ...answer, served_by }]

/** In the order of the request. A question that is not read, as one of a box, has no entry. */
export const of = (
  record: Responder,
  request: unknown,
  response: unknown
): Effect.Effect<ReadonlyArray<CallDecision>, never, Digest> => {
  const read = DecisionRules.read(request)
  if (read === null) return Effect.succeed([])
  const answers = AnswerRules.read(read, response)
  return Effect.map(QuestionRules.identifyAll(read.questions), (ids) =>
    read.questions.flatMap((requested, position) =>
      decisionOf(requested, answers[position] ?? null, ids[position] ?? null, serverOf(record, position))
    )
  )
}
