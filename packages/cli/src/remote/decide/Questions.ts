/** The questions of a file, in either form of a decision model, and how their answers become columns. */
import { readFile } from "node:fs/promises"
import { CommandError } from "../CommandError.ts"

/** What an answer shows of itself: the option or the score, and a probability. */
interface Cells {
  readonly answer: string
  readonly probability: string
}

export interface Questions {
  /** As they are sent. */
  readonly member: unknown
  /** Names of the columns, in the order of the questions. */
  readonly names: ReadonlyArray<string>
  /** The body about one row. */
  readonly bodyOf: (model: string, evidence: unknown) => object
  /** In the order of the questions; undefined for an answer that is not of these questions. */
  readonly cellsOf: (answers: unknown) => ReadonlyArray<Cells> | undefined
}

const empty: Cells = { answer: "", probability: "" }

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value))

const isTrue = (probability: unknown): string => String(Number(probability) > 0.5)

/** By value in OpenAI's form, by key in System One's. */
const probabilityOf = (probabilities: unknown, value: unknown): string => {
  if (!Array.isArray(probabilities)) return textOf(membersOf(probabilities)[String(value)])
  return textOf(membersOf(probabilities.find((one) => membersOf(one)["value"] === value))["probability"])
}

const greatestOf = (probabilities: unknown): string => {
  const all = Array.isArray(probabilities)
    ? probabilities.map((one) => Number(membersOf(one)["probability"]))
    : Object.values(membersOf(probabilities)).map(Number)
  return all.length === 0 ? "" : String(Math.max(...all))
}

/** A refusal, and an answer of another kind, leave both cells empty. */
const cellsOf = (answer: unknown): Cells => {
  const { choice, noul, probabilities, probability, score, type } = membersOf(answer)
  switch (type) {
    case "predicate":
      return { answer: isTrue(probability), probability: textOf(probability) }
    case "noul":
      return { answer: isTrue(noul), probability: textOf(noul) }
    case "choice":
      return { answer: textOf(choice), probability: probabilityOf(probabilities, choice) }
    case "score":
      return { answer: textOf(score), probability: greatestOf(probabilities) }
    default:
      return empty
  }
}

/** A list, in OpenAI's form. A question without a name is called by its place. */
const ofList = (list: ReadonlyArray<unknown>): Questions => ({
  member: list,
  names: list.map((question, at) => textOf(membersOf(question)["name"]) || `question_${at + 1}`),
  bodyOf: (model, evidence) => ({
    model,
    input:
      typeof evidence === "string" ? evidence : [{ role: "user", content: [{ type: "input_json", data: evidence }] }],
    questions: list
  }),
  cellsOf: (answers) => (Array.isArray(answers) && answers.length === list.length ? answers.map(cellsOf) : undefined)
})

/** A map by name, in System One's form. */
const ofMap = (map: Readonly<Record<string, unknown>>): Questions => ({
  member: map,
  names: Object.keys(map),
  bodyOf: (model, evidence) => ({ model, state: evidence, questions: map }),
  cellsOf: (answers) => {
    const found = membersOf(answers)
    return Object.keys(map).every((name) => name in found)
      ? Object.keys(map).map((name) => cellsOf(found[name]))
      : undefined
  }
})

const parsed = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${file} is not JSON`)
  }
}

/** Fails for a file without questions. */
export const read = async (file: string): Promise<Questions> => {
  const value = parsed(file, await readFile(file, "utf8"))
  const questions = Array.isArray(value) ? ofList(value) : ofMap(membersOf(value))
  if (questions.names.length === 0) {
    throw new CommandError(
      `${file} holds no questions: a list, as /v1/decisions takes it, or a map, as /v1/systemone does`
    )
  }
  const twice = questions.names.find((name, at) => questions.names.indexOf(name) !== at)
  if (twice !== undefined)
    throw new CommandError(`${file}: two questions are named ${twice}, and columns need one name each`)
  return questions
}
