/** Questions in OpenAI's form of decisions: a list of predicates, choices and scores. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { ReadQuestion, RequestedQuestion } from "./DecisionRequest.ts"
import * as PartRules from "./PartRules.ts"
import type { Option, Question, QuestionKind } from "./Question.ts"
import * as QuestionRules from "./QuestionRules.ts"

const instructionsOf = (value: Schema.Json | undefined): string | undefined => {
  if (typeof value === "string") return QuestionRules.foldText(value)
  return Array.isArray(value) ? PartRules.partTexts(value)?.map(QuestionRules.foldText).join("\n") : undefined
}

/** An option whose value stands in the member `key`; undefined for any other form. */
const optionOf = (member: Schema.Json, key: "value" | "label"): Option | undefined => {
  if (!isObject(member)) return undefined
  const { [key]: value, description } = member
  if (typeof value !== "string" && (key === "label" || typeof value !== "boolean")) return undefined
  if (description === undefined || description === null) return { value }
  return typeof description === "string" ? { value, description } : undefined
}

const optionsOf = (members: Schema.Json | undefined, key: "value" | "label"): ReadonlyArray<Option> | undefined => {
  if (!Array.isArray(members) || members.length === 0) return undefined
  const options = members.flatMap((member) => optionOf(member, key) ?? [])
  return options.length === members.length ? options : undefined
}

const questionOf = (member: Schema.JsonObject): ReadQuestion | null => {
  const instructions = instructionsOf(member["instructions"])
  if (instructions === undefined) return null
  const { type } = member
  if (type === "predicate") return QuestionRules.read(type, instructions, QuestionRules.predicateOptions)
  if (type !== "choice" && type !== "score") return null
  const options = type === "choice" ? optionsOf(member["choices"], "value") : optionsOf(member["levels"], "label")
  return options === undefined ? null : QuestionRules.read(type, instructions, options)
}

export const read = (questions: ReadonlyArray<Schema.Json>): ReadonlyArray<RequestedQuestion> =>
  questions.map((member, position) => {
    const name = isObject(member) ? member["name"] : null
    return {
      name: typeof name === "string" ? name : null,
      param: `questions[${position}]`,
      member,
      question: isObject(member) ? questionOf(member) : null
    }
  })

const optionsMember: { readonly [K in QuestionKind]: (options: ReadonlyArray<Option>) => Schema.JsonObject } = {
  predicate: () => ({}),
  choice: (options) => ({ choices: options }),
  score: (options) => ({ levels: options.map(({ value, ...rest }) => ({ label: value, ...rest })) })
}

/** The question as a member of a request. OpenAI's form has no descriptions for the options of a predicate. */
export const write = (name: string | null, { instructions, kind, options }: Question): Schema.JsonObject => ({
  type: kind,
  ...(name === null ? {} : { name }),
  instructions,
  ...optionsMember[kind](options)
})
