/** Questions in the form of System One: a map of nouls, choices and scores by name. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { ReadQuestion, RequestedQuestion } from "./DecisionRequest.ts"
import * as PartRules from "./PartRules.ts"
import type { Option, Question, QuestionKind } from "./Question.ts"
import * as QuestionRules from "./QuestionRules.ts"

/** A text, an object, or a list: of parts, or of any other values. No instructions are an empty text. */
const instructionsOf = (value: Schema.Json | undefined): string => {
  if (value === undefined || value === null) return ""
  const texts = Array.isArray(value) ? PartRules.partTexts(value) : undefined
  return (texts ?? [PartRules.textOfJson(value)]).map(QuestionRules.foldText).join("\n")
}

const option = (value: string | boolean, description: Schema.Json | undefined): Option =>
  description === undefined || description === null
    ? { value }
    : { value, description: PartRules.textOfJson(description) }

const predicateOptions = (criteria: Schema.Json | undefined): ReadonlyArray<Option> =>
  isObject(criteria)
    ? [option(false, criteria["false"]), option(true, criteria["true"])]
    : QuestionRules.predicateOptions

const hasImage = (value: Schema.Json | undefined): boolean =>
  Array.isArray(value) && value.some((part) => isObject(part) && /image/u.test(String(part["type"])))

const questionOf = ({ criteria, instructions: member, type }: Schema.JsonObject): ReadQuestion | null => {
  if (hasImage(member)) return null
  const instructions = instructionsOf(member)
  if (type === "noul") return QuestionRules.read("predicate", instructions, predicateOptions(criteria))
  if (type === "choice" && isObject(criteria)) {
    const options = Object.entries(criteria).map(([value, description]) => option(value, description))
    return QuestionRules.read("choice", instructions, options)
  }
  if (type !== "score" || !Array.isArray(criteria)) return null
  const levels = criteria.map((level: Schema.Json) => option(PartRules.textOfJson(level), null))
  return QuestionRules.read("score", instructions, levels)
}

export const read = (questions: Schema.JsonObject): ReadonlyArray<RequestedQuestion> =>
  Object.entries(questions).map(([name, member]) => ({
    name,
    param: `questions.${name}`,
    member: member as Schema.Json,
    question: isObject(member) ? questionOf(member) : null
  }))

const criteriaOf = (options: ReadonlyArray<Option>): Schema.JsonObject =>
  Object.fromEntries(options.map(({ description, value }) => [String(value), description ?? null]))

const describedCriteria = (options: ReadonlyArray<Option>): Schema.JsonObject =>
  Object.fromEntries(
    options.flatMap(({ description, value }) => (description === undefined ? [] : [[String(value), description]]))
  )

const criteriaMember: { readonly [K in QuestionKind]: (options: ReadonlyArray<Option>) => Schema.JsonObject } = {
  predicate: (options) => {
    const criteria = describedCriteria(options)
    return Object.keys(criteria).length === 0 ? {} : { criteria }
  },
  choice: (options) => ({ criteria: criteriaOf(options) }),
  score: (options) => ({ criteria: options.map(({ value }) => value) })
}

/** The question as a member of a request. The form has neither boolean choices nor descriptions of levels. */
export const write = ({ instructions, kind, options }: Question): Schema.JsonObject => ({
  type: kind === "predicate" ? "noul" : kind,
  instructions,
  ...criteriaMember[kind](options)
})
