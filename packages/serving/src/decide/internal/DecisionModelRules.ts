/** Decisions of `effect/ai` in the dialects of decisions: the body of a request, and the answers in a response. Pure. */
import * as PartRules from "@limbeck/capture/dialect/decisions/PartRules"
import type { DecisionDialect } from "@limbeck/capture/dialect/decisions/Question"
import { isObject } from "@limbeck/core/json/Json"
import type * as Decision from "effect/ai/Decision"
import type * as DecisionModel from "effect/ai/DecisionModel"
import type * as Schema from "effect/Schema"

/** The kinds that both dialects have. */
export type ClosedDecision = Exclude<Decision.Any, Decision.Locate>

export type Decisions = Readonly<Record<string, ClosedDecision>>

export interface DecisionsAsked {
  readonly state: Schema.Json
  readonly decisions: Decisions
}

const inputText = (text: string): Schema.JsonObject => ({ type: "input_text", text })

const described = (description: Decision.Description | null): Schema.JsonObject =>
  description === null ? {} : { description: PartRules.textOfJson(description) }

/** OpenAI's predicates have no criteria, so the criteria are a part of the instructions. */
const predicate = ({ criteria, instructions }: Decision.Probability): Schema.JsonObject => {
  const text = PartRules.textOfJson(instructions)
  if (criteria === undefined) return { type: "predicate", instructions: text }
  return { type: "predicate", instructions: [inputText(text), { type: "input_json", data: { ...criteria } }] }
}

const openAiQuestion = (name: string, decision: ClosedDecision): Schema.JsonObject => {
  if (decision._tag === "Probability") return { name, ...predicate(decision) }
  const instructions = PartRules.textOfJson(decision.instructions)
  if (decision._tag === "Classify") {
    const choices = Object.entries(decision.criteria).map(([value, criterion]) => ({ value, ...described(criterion) }))
    return { name, type: "choice", instructions, choices }
  }
  const levels = decision.criteria.map(({ description, label }) => ({ label, ...described(description) }))
  return { name, type: "score", instructions, levels }
}

const systemOneQuestion = (decision: ClosedDecision): Schema.JsonObject => {
  const { instructions } = decision
  if (decision._tag === "Probability") {
    return { type: "noul", instructions, ...(decision.criteria && { criteria: { ...decision.criteria } }) }
  }
  if (decision._tag === "Classify") return { type: "choice", instructions, criteria: { ...decision.criteria } }
  const criteria = decision.criteria.map(
    ({ description, label }) => `${label}: ${PartRules.textOfJson(description as Schema.Json)}`
  )
  return { type: "score", instructions, criteria }
}

const isJsonPart = (state: Schema.Json): boolean =>
  isObject(state) || (Array.isArray(state) && state.length > 0 && state.every(isObject))

/** A text stays one; objects are a part of JSON, and any other value is a text of it. */
const inputOf = (state: Schema.Json): Schema.Json => {
  if (typeof state === "string") return state
  const part = isJsonPart(state) ? { type: "input_json", data: state } : inputText(PartRules.textOfJson(state))
  return [{ role: "user", content: [part] }]
}

const stateOf = (state: Schema.Json): Schema.Json =>
  typeof state === "object" && state !== null ? state : PartRules.textOfJson(state)

/** The request in a dialect. */
export const bodyOf = (
  dialect: DecisionDialect,
  model: string,
  { decisions, state }: DecisionsAsked
): Schema.JsonObject => {
  const entries = Object.entries(decisions)
  return dialect === "openai"
    ? {
        model,
        input: inputOf(state),
        questions: entries.map(([name, decision]) => openAiQuestion(name, decision))
      }
    : {
        model,
        state: stateOf(state),
        questions: Object.fromEntries(entries.map(([name, decision]) => [name, systemOneQuestion(decision)]))
      }
}

type NumberMembers = Record<string, number>

const numberIn = (key: string, value: unknown): NumberMembers => (typeof value === "number" ? { [key]: value } : {})

/** By value of a choice and index of a level, from OpenAI's list or the map of System One. */
const byValue = (probabilities: unknown): NumberMembers => {
  const entries = Array.isArray(probabilities)
    ? probabilities.filter(isObject).map(({ probability, value }) => [String(value), probability] as const)
    : Object.entries(isObject(probabilities) ? probabilities : {})
  return Object.assign({}, ...entries.map(([value, probability]) => numberIn(value, probability)))
}

/** The members that choices and scores share; without probabilities there are none. */
const readDistribution = ({ confidence, probabilities }: Schema.JsonObject, labelOf: (value: string) => string) => ({
  ...numberIn("confidence", confidence),
  ...(probabilities == null
    ? {}
    : {
        probabilities: Object.fromEntries(
          Object.entries(byValue(probabilities)).map(([value, probability]) => [labelOf(value), probability])
        )
      })
})

/** The answer of one member; undefined for a member that is none. The model of `effect/ai` checks numbers and labels. */
const answerOf = (decision: ClosedDecision, member: unknown): DecisionModel.ProviderAnswer | undefined => {
  if (!isObject(member)) return undefined
  if (member["type"] === "refusal") return { _tag: "Refusal" }
  if (decision._tag === "Probability") {
    return { _tag: "Probability", probability: Number(member["probability"] ?? member["noul"]) }
  }
  if (decision._tag === "Classify") {
    return { _tag: "Classify", label: String(member["choice"]), ...readDistribution(member, (value) => value) }
  }
  const labelOf = (index: string) => decision.criteria[Number(index)]?.label ?? index
  return { _tag: "Rate", rating: Number(member["score"]), ...readDistribution(member, labelOf) }
}

/** The answers by name; a decision without an answer is left out. */
export const answersOf = (
  decisions: Decisions,
  response: unknown
): Readonly<Record<string, DecisionModel.ProviderAnswer>> => {
  const answers = isObject(response) ? response["answers"] : undefined
  return Object.fromEntries(
    Object.entries(decisions).flatMap(([name, decision], position) => {
      const member = Array.isArray(answers) ? answers[position] : isObject(answers) ? answers[name] : undefined
      const answer = answerOf(decision, member)
      return answer === undefined ? [] : [[name, answer] as const]
    })
  )
}

/** The tokens that a response counts. */
export const usageOf = (response: unknown): DecisionModel.ProviderResponse["usage"] => {
  const usage = isObject(response) && isObject(response["usage"]) ? response["usage"] : {}
  const count = (value: unknown) => (typeof value === "number" ? value : undefined)
  return { inputTokens: count(usage["input_tokens"]), outputTokens: count(usage["output_tokens"]) }
}
