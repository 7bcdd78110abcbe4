/** Reads requests for decisions in the dialect that their `questions` show, and writes them back (contract 16.17). */
import * as Utf8 from "@limbeck/core/bytes/Utf8"
import { isObject } from "@limbeck/core/json/Json"
import * as JsonScan from "@limbeck/core/json/JsonScan"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import type { DecisionRequest, RequestedQuestion } from "./DecisionRequest.ts"
import * as EvidenceRules from "./EvidenceRules.ts"
import * as OpenAiQuestions from "./OpenAiQuestions.ts"
import type { DecisionDialect, Question } from "./Question.ts"
import * as SystemOneQuestions from "./SystemOneQuestions.ts"

const questionsMember: ReadonlySet<string> = new Set(["questions"])

/** Deeper than any request nests. */
const depthMax = 100_000

/** The dialect that `questions` of a parsed body show; null for any other value. */
export const dialectOfParsed = (questions: unknown): DecisionDialect | null => {
  if (Array.isArray(questions)) return "openai"
  return isObject(questions) ? "systemone" : null
}

/** The dialect of a body, from its `questions` alone; null for any other body. Reads the body in turns and parses nothing. */
export function* dialectOf(body: Uint8Array): Turns.Steps<DecisionDialect | null> {
  const members = yield* JsonScan.steps(yield* Utf8.decoding(body), questionsMember, depthMax)
  const questions = members?.get("questions")
  if (questions?.startsWith("[")) return "openai"
  return questions?.startsWith("{") ? "systemone" : null
}

/** The form inside; null if `questions` is neither a list nor a map. */
export const read = (body: unknown): DecisionRequest | null => {
  if (!isObject(body)) return null
  const questions = body["questions"]
  if (Array.isArray(questions)) return { dialect: "openai", members: body, questions: OpenAiQuestions.read(questions) }
  return isObject(questions)
    ? { dialect: "systemone", members: body, questions: SystemOneQuestions.read(questions) }
    : null
}

const membersOf = (dialect: DecisionDialect, questions: ReadonlyArray<RequestedQuestion>): Schema.Json =>
  dialect === "openai"
    ? questions.map(({ member }) => member)
    : Object.fromEntries(questions.map(({ member, name }) => [name ?? "", member]))

/** The request as the body of its dialect; with `questions`, only these are asked. */
export const write = ({ dialect, members, questions: all }: DecisionRequest, questions = all): Schema.JsonObject => ({
  ...members,
  questions: membersOf(dialect, questions)
})

export interface NamedQuestion extends Question {
  readonly name: string
}

/** A new request for questions about messages, in either dialect, without a model. */
export const ask = (
  dialect: DecisionDialect,
  messages: ReadonlyArray<Schema.JsonObject>,
  questions: ReadonlyArray<NamedQuestion>
): Schema.JsonObject => ({
  ...EvidenceRules.evidenceOf(dialect, messages),
  questions:
    dialect === "openai"
      ? questions.map((question) => OpenAiQuestions.write(question.name, question))
      : Object.fromEntries(questions.map((question) => [question.name, SystemOneQuestions.write(question)]))
})
