/** Reads and writes the answers of both dialects (decisions of OpenAI, System One). */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { DecisionRequest, ReadQuestion, RequestedQuestion } from "./DecisionRequest.ts"
import * as NumberRules from "./NumberRules.ts"
import type { Answer } from "./Question.ts"

const unanswered: Answer = { probabilities: null, refusal: false }
const refused: Answer = { probabilities: null, refusal: true }

const isProbability = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1

/** A distribution in the order of the request, sorted by the question's options; null unless each is a probability. */
const sortByOptions = ({ options, order }: ReadQuestion, values: ReadonlyArray<unknown>): Answer => {
  const probabilities: Array<number> = new Array(options.length).fill(0)
  for (const [position, at] of order.entries()) {
    const value = values[position] ?? 0
    if (!isProbability(value)) return unanswered
    probabilities[at] = value
  }
  return probabilities.some((value) => value > 0) ? { probabilities, refusal: false } : unanswered
}

const predicate = (probability: unknown): Answer =>
  isProbability(probability)
    ? { probabilities: [Number((1 - probability).toFixed(12)), probability], refusal: false }
    : unanswered

/** By value of a choice and index of a level, from OpenAI's list or the map of System One. */
const byValue = (probabilities: Schema.Json): ReadonlyMap<unknown, unknown> => {
  if (isObject(probabilities)) return new Map<unknown, unknown>(Object.entries(probabilities))
  if (!Array.isArray(probabilities)) return new Map()
  return new Map(probabilities.filter(isObject).map(({ probability, value }) => [value, probability]))
}

const requestedValues = ({ kind, options, order }: ReadQuestion, isMap: boolean): ReadonlyArray<unknown> =>
  kind === "score" ? order.map((_, index) => (isMap ? String(index) : index)) : order.map((at) => options[at]!.value)

/** The distribution of a choice or a score. A choice without probabilities has probability 1 for its value. */
const readDistribution = (question: ReadQuestion, member: Schema.JsonObject): Answer => {
  const { choice, probabilities } = member
  const values = requestedValues(question, isObject(probabilities))
  if (probabilities === undefined || probabilities === null) {
    return question.kind === "choice"
      ? sortByOptions(
          question,
          values.map((value) => Number(value === choice))
        )
      : unanswered
  }
  const known = byValue(probabilities)
  return sortByOptions(
    question,
    values.map((value) => known.get(value))
  )
}

const memberOf = ({ dialect }: DecisionRequest, answers: unknown, { name }: RequestedQuestion, position: number) => {
  if (dialect === "openai") return Array.isArray(answers) ? answers[position] : undefined
  return isObject(answers) && name !== null && Object.hasOwn(answers, name) ? answers[name] : undefined
}

const answerOf = (question: ReadQuestion, member: unknown): Answer => {
  if (!isObject(member)) return unanswered
  if (member["type"] === "refusal") return refused
  if (question.kind === "predicate") return predicate(member["probability"] ?? member["noul"])
  return readDistribution(question, member)
}

/**
 * An answer for each question of the request, in its order; null for a question that is not read. An answer that is missing or
 * has another form has no distribution.
 */
export const read = (request: DecisionRequest, response: unknown): ReadonlyArray<Answer | null> => {
  const answers = isObject(response) ? response["answers"] : undefined
  return request.questions.map((requested, position) =>
    requested.question === null ? null : answerOf(requested.question, memberOf(request, answers, requested, position))
  )
}

/** In the order of the request. */
const requestedOrder = ({ order }: ReadQuestion, probabilities: ReadonlyArray<number>): ReadonlyArray<number> =>
  order.map((at) => probabilities[at] ?? 0)

const openAi = (name: string | null, question: ReadQuestion, weights: ReadonlyArray<number>): Schema.JsonObject => {
  const probabilities = NumberRules.roundWeights(requestedOrder(question, weights))
  const options = question.order.map((at) => question.options[at]!)
  if (question.kind === "predicate") return { type: "predicate", name, probability: probabilities[1]! }
  if (question.kind === "choice") {
    return {
      type: "choice",
      name,
      choice: options[NumberRules.mostProbable(probabilities)]!.value,
      confidence: NumberRules.choiceConfidence(probabilities),
      probabilities: options.map(({ value }, at) => ({ value, probability: probabilities[at]! }))
    }
  }
  return {
    type: "score",
    name,
    score: NumberRules.scoreOf(probabilities),
    confidence: NumberRules.scoreConfidence(probabilities),
    probabilities: options.map(({ value }, at) => ({ value: at, label: value, probability: probabilities[at]! }))
  }
}

const systemOne = (
  question: ReadQuestion,
  weights: ReadonlyArray<number>,
  criteria: Schema.Json
): Schema.JsonObject => {
  const probabilities = NumberRules.roundWeights(requestedOrder(question, weights))
  const options = question.order.map((at) => question.options[at]!)
  if (question.kind === "predicate") return { type: "noul", noul: probabilities[1]! }
  if (question.kind === "choice") {
    return {
      type: "choice",
      choice: String(options[NumberRules.mostProbable(probabilities)]!.value),
      confidence: NumberRules.choiceConfidence(probabilities),
      probabilities: Object.fromEntries(options.map(({ value }, at) => [String(value), probabilities[at]!]))
    }
  }
  return {
    type: "score",
    score: NumberRules.scoreOf(probabilities),
    confidence: NumberRules.scoreConfidence(probabilities),
    legend: Object.fromEntries(
      options.map(({ value }, at) => [String(at), Array.isArray(criteria) ? criteria[at] : value])
    ),
    probabilities: Object.fromEntries(probabilities.map((probability, at) => [String(at), probability]))
  }
}

/** A student's distribution, by the sorted options, as the answer to a question of the request. */
export const member = (
  { dialect }: DecisionRequest,
  { member: asked, name }: RequestedQuestion,
  question: ReadQuestion,
  weights: ReadonlyArray<number>
): Schema.JsonObject =>
  dialect === "openai"
    ? openAi(name, question, weights)
    : systemOne(question, weights, isObject(asked) ? (asked["criteria"] ?? null) : null)

/** The `answers` of a response: one member for each question of the request, in its order. */
export const write = ({ dialect, questions }: DecisionRequest, members: ReadonlyArray<Schema.Json>): Schema.Json =>
  dialect === "openai"
    ? members
    : Object.fromEntries(questions.map(({ name }, position) => [name ?? "", members[position]!]))
