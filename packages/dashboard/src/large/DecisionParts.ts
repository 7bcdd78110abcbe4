/** The options of a call's decisions, read from its request: the API gives probabilities alone. */
import { isObject } from "./Objects.ts"

type Members = Readonly<Record<string, unknown>>

interface RequestedQuestion {
  readonly name: string | null
  readonly kind: string
  /** In the order of the probabilities. */
  readonly options: ReadonlyArray<string>
}

const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

/** Booleans first, then texts, each ascending: probabilities stand in this order. */
const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const placeOf = (value: unknown) => `${typeof value}\n${String(value)}`
  return values.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

const textsOf = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => values.map(String)

/** A level of System One is any JSON. */
const levelOf = (level: unknown): string => (typeof level === "string" ? level : JSON.stringify(level))

const questionOf = (name: unknown, member: unknown): RequestedQuestion | null => {
  const { choices, criteria, levels, type } = membersOf(member)
  const about = { name: typeof name === "string" ? name : null }
  switch (type) {
    case "predicate":
    case "noul":
      return { ...about, kind: "predicate", options: ["false", "true"] }
    case "choice": {
      const values = choices === undefined ? Object.keys(membersOf(criteria)) : itemsOf(choices)
      return { ...about, kind: "choice", options: textsOf(sorted(values.map((one) => membersOf(one)["value"] ?? one))) }
    }
    case "score": {
      const labels =
        levels === undefined ? itemsOf(criteria).map(levelOf) : itemsOf(levels).map((one) => membersOf(one)["label"])
      return { ...about, kind: "score", options: textsOf(labels) }
    }
    default:
      return null
  }
}

const questionsOf = (request: unknown): ReadonlyArray<RequestedQuestion> => {
  const { questions } = membersOf(request)
  const members = Array.isArray(questions)
    ? questions.map((member) => questionOf(membersOf(member)["name"], member))
    : Object.entries(membersOf(questions)).map(([name, member]) => questionOf(name, member))
  return members.filter((question) => question !== null)
}

/** The decisions with `options`; null where the request does not tell them. Decisions stand in the order of the request. */
export const withOptions = (decisions: unknown, request: unknown): unknown => {
  const questions = questionsOf(request)
  let next = 0
  return itemsOf(decisions).map((decision) => {
    const { kind, name, probabilities } = membersOf(decision)
    const at = questions.findIndex(
      (question, index) =>
        index >= next &&
        question.kind === kind &&
        question.name === (name ?? null) &&
        (!Array.isArray(probabilities) || probabilities.length === question.options.length)
    )
    if (at >= 0) next = at + 1
    return { ...membersOf(decision), options: questions[at]?.options ?? null }
  })
}
