/** The request that asks a teacher of decisions about a row again, and its answers (contract 16.32). Pure. */
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import type { DecisionDialect } from "@limbeck/capture/dialect/decisions/Question"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import type * as Schema from "effect/Schema"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import type { Row } from "../dataset/Row.ts"
import type { VersionQuestion } from "../dataset/VersionQuestion.ts"
import { DistillLimits } from "../Limits.ts"
import type { SecondAnswer } from "../report/DecidedRow.ts"

interface RepeatedRequest {
  /** In the order of the request. */
  readonly questions: ReadonlyArray<Pick<VersionQuestion, "question">>
  /** Its members without `model`. */
  readonly request: Schema.JsonObject
}

/** The questions of the row that the teacher has answered, each with a name of its own. */
const namedQuestions = ({ decisions = [] }: Row, listed: ReadonlyMap<string, VersionQuestion>) => {
  const names = new Set<string>()
  return decisions
    .flatMap(({ name, probabilities, question, source }) => {
      const known = listed.get(question)
      if (known === undefined || probabilities === null || source !== "teacher") return []
      const own = name === null || names.has(name) ? question : name
      names.add(own)
      return [{ ...known, name: own }]
    })
    .slice(0, DistillLimits.repeatedQuestionsMax)
}

/** Builds a request from all questions expressible in the dialect: other questions would change their identity on the way back. */
const requestOf = (
  dialect: DecisionDialect,
  { messages }: Row,
  named: ReturnType<typeof namedQuestions>
): RepeatedRequest => {
  const bodyOf = (questions: typeof named) => DecisionRules.ask(dialect, messages, questions)
  const written = DecisionRules.read(bodyOf(named))?.questions ?? []
  const questions = named.filter((one, at) => {
    const question = written[at]?.question ?? null
    return question !== null && QuestionRules.formOf(question) === QuestionRules.formOf(one)
  })
  return { questions, request: bodyOf(questions) }
}

/** The request for a row of the version. */
export const requests = (dialect: DecisionDialect, { questions = [] }: Pick<DatasetVersion, "questions">) => {
  const listed = new Map<string, VersionQuestion>(questions.map((one) => [one.question, one]))
  return (row: Row): RepeatedRequest => requestOf(dialect, row, namedQuestions(row, listed))
}

/** Omits missing answers and answers with another form. */
export const answersOf = (
  { questions, request }: RepeatedRequest,
  response: Schema.JsonObject
): ReadonlyArray<SecondAnswer> => {
  const read = DecisionRules.read(request)
  return read === null
    ? []
    : AnswerRules.read(read, response).flatMap((answer, at) => {
        const asked = questions[at]
        if (answer === null || asked === undefined || (answer.probabilities === null && !answer.refusal)) return []
        return [{ question: asked.question, probabilities: answer.probabilities }]
      })
}
