/**
 * One request for decisions and its answer, in either dialect, as a line of a version (contract 16.20). Lines of equal messages
 * are later merged into one row.
 */

import type { UnsupportedReason } from "@limbeck/capture/dialect/Conversation"
import * as AnsweredQuestions from "@limbeck/capture/dialect/decisions/AnsweredQuestions"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as EvidenceRules from "@limbeck/capture/dialect/decisions/EvidenceRules"
import { isObject } from "@limbeck/core/json/Json"
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { DecisionRow } from "../Row.ts"
import * as RowShape from "../RowShape.ts"
import type { VersionQuestion } from "../VersionQuestion.ts"
import type { Correction } from "./Corrections.ts"
import type { RowOrigin } from "./RowLine.ts"

export interface DecisionLine {
  readonly messages: ReadonlyArray<Schema.JsonObject>
  readonly questions: ReadonlyArray<AnsweredQuestions.AnsweredQuestion>
  /** The true answers that feedback gave, the newest first. */
  readonly corrections: ReadonlyArray<Correction>
  /** Null for uploads, and for a student's answers. */
  readonly origin: RowOrigin | null
}

/** Why a pair is no line. `message` begins with the path of the member. */
export interface PairFault {
  readonly reason: UnsupportedReason
  readonly message: string
}

const fault = (reason: UnsupportedReason, message: string) => Result.fail<PairFault>({ reason, message })

/** The line of a request's parsed body and its answer's. */
export const ofPair = (request: unknown, response: unknown): Result.Result<DecisionLine, PairFault> => {
  const asked = DecisionRules.read(request)
  if (asked === null) return fault("unreadable", "request.questions: Expected a list or a map of questions")
  if (EvidenceRules.hasImage(asked)) return fault("images", "request: Evidence with images is not read")
  const messages = EvidenceRules.messagesOf(asked)
  const evidence = asked.dialect === "openai" ? "input" : "state"
  if (messages.length === 0) return fault("unreadable", `request.${evidence}: This field is required`)
  const questions = AnsweredQuestions.fromResponse(asked, response)
  if (questions.length === 0) return fault("unreadable", "request.questions: No predicate, choice or score can be read")
  return questions.some(({ answer }) => answer.probabilities !== null || answer.refusal)
    ? Result.succeed({ messages, questions, corrections: [], origin: null })
    : fault("no_answer", "response.answers: No question has an answer that can be read")
}

/** The true option of an answer that feedback gave. */
const optionOf = ({ options }: VersionQuestion, probabilities: ReadonlyArray<number>): string =>
  String(options[probabilities.indexOf(1)]?.value)

/** The line of another version's row, whose questions are in that version's list. A question that is not listed is left out. */
export const ofRow = (
  { decisions, messages }: DecisionRow,
  listed: (question: string) => VersionQuestion | undefined
): DecisionLine => {
  const questions: Array<AnsweredQuestions.AnsweredQuestion> = []
  const corrections: Array<Correction> = []
  for (const { name, probabilities, question: id, refusal, source } of decisions) {
    const question = listed(id)
    if (question === undefined) continue
    const { instructions, kind, options } = question
    questions.push({ name, question: { kind, instructions, options }, answer: { probabilities, refusal } })
    if (source === "feedback") corrections.push({ question: id, option: optionOf(question, probabilities ?? []) })
  }
  return { messages, questions, corrections, origin: "versions" }
}

const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({ try: () => JSON.parse(text), catch: () => "Not JSON" })

const pairOf = (json: Schema.Json): Result.Result<DecisionLine, string> => {
  if (!isObject(json)) return Result.fail("Expected an object with request and response")
  for (const member of ["request", "response"]) {
    if (!isObject(json[member])) return Result.fail(`${member}: Expected an object`)
  }
  return Result.mapError(ofPair(json["request"], json["response"]), ({ message }) => message)
}

/** The minimum cost of a line, in characters. */
const lineCost = 200

/** A line of the format `decisions_jsonl`, `{request, response}`; a text out of bounds is not parsed. */
export function* reading(text: string): Turns.Steps<Result.Result<DecisionLine, string>> {
  yield lineCost
  const excess = yield* RowShape.faultSteps(text)
  if (excess !== undefined) return Result.fail(excess)
  yield text.length
  return Result.flatMap(parse(text), pairOf)
}
