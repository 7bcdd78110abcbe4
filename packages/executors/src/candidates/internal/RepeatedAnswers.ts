/** A teacher's second answers to a row, of conversations and of decisions: how one is asked for, kept and reported. */
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import type { DecisionDialect } from "@limbeck/capture/dialect/decisions/Question"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import type { DatasetVersion } from "@limbeck/distill/dataset/DatasetVersion"
import { Message } from "@limbeck/distill/dataset/Row"
import { exampleOf } from "@limbeck/distill/dataset/RowText"
import type { VersionQuestion } from "@limbeck/distill/dataset/VersionQuestion"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import type { SourceModelChat } from "@limbeck/distill/race/HostedModels"
import {
  Progress,
  type Progress as ProgressType,
  type StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CountedCalls from "./CountedCalls.ts"

export interface Keyed {
  /** Of its row. */
  readonly key: string
}

type Calls = ReturnType<typeof CountedCalls.make>

/** How a teacher is asked again. */
export interface Repetition<Answer extends Keyed> {
  /** In which answers are kept. */
  readonly schema: Schema.Codec<Answer, unknown>
  /** Whether the row has an answer to repeat. */
  readonly isAsked: (row: StageRow) => boolean
  readonly ask: (calls: Calls, row: StageRow) => Effect.Effect<Answer, StageFailure>
  /** Null: no answer came. */
  readonly progressOf: (answer: Answer) => ProgressType | null
}

const labels = {
  tags: [EvaluationTags.teacherRepeat],
  isCaptured: false,
  timeoutMillis: DistillLimits.studentAnswerMillis
}

const SecondCompletion = Schema.Struct({
  key: Schema.String,
  /** Null: no answer came. */
  completion: Schema.NullOr(Message)
})

/** With the temperature of the model, because rows do not keep the caller's. */
export const ofConversations = (chat: SourceModelChat): Repetition<typeof SecondCompletion.Type> => ({
  schema: SecondCompletion,
  isAsked: () => true,
  ask: Effect.fnUntraced(function* (calls, { key, row }) {
    const { completion, prompt } = exampleOf(row)
    const maxTokens = CountedCalls.answerTokensOf(completion)
    const reply = yield* calls.ask(chat, { ...labels, messages: prompt, tools: row.tools, maxTokens })
    return {
      key,
      completion: Result.isSuccess(reply) ? { ...reply.success.value.message, role: "assistant" as const } : null
    }
  }),
  progressOf: ({ completion, key }) => (completion === null ? null : Progress.TeacherAnswer({ row: key, completion }))
})

const SecondDecisions = Schema.Struct({
  key: Schema.String,
  /** Null: no answer came. */
  answers: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        question: Schema.String,
        /** Null: a refusal. */
        probabilities: Schema.NullOr(Schema.Array(Schema.Finite))
      })
    )
  )
})

/** The questions of the row that the teacher has answered, each with a name of its own. */
const namedQuestions = ({ row }: StageRow, listed: ReadonlyMap<string, VersionQuestion>) => {
  const names = new Set<string>()
  return (row.decisions ?? [])
    .flatMap(({ name, probabilities, question, source }) => {
      const known = listed.get(question)
      if (known === undefined || probabilities === null || source !== "teacher") return []
      const own = name === null || names.has(name) ? question : name
      names.add(own)
      return [{ ...known, name: own }]
    })
    .slice(0, DistillLimits.repeatedQuestionsMax)
}

/** The request for these questions that the dialect can express: the others read back as questions of another identity. */
const requestOf = (dialect: DecisionDialect, { row }: StageRow, named: ReturnType<typeof namedQuestions>) => {
  const bodyOf = (questions: typeof named) => DecisionRules.ask(dialect, row.messages, questions)
  const written = DecisionRules.read(bodyOf(named))?.questions ?? []
  const questions = named.filter((one, at) => {
    const question = written[at]?.question ?? null
    return question !== null && QuestionRules.formOf(question) === QuestionRules.formOf(one)
  })
  return { questions, request: bodyOf(questions) }
}

/** Options stand in the order of a question's identity, because rows do not keep the caller's. */
export const ofDecisions = (
  decisions: SourceModelChat["decisions"],
  dialect: DecisionDialect,
  version: Pick<DatasetVersion, "questions">
): Repetition<typeof SecondDecisions.Type> => {
  const listed = new Map<string, VersionQuestion>((version.questions ?? []).map((one) => [one.question, one]))
  const asked = (row: StageRow) => requestOf(dialect, row, namedQuestions(row, listed))
  return {
    schema: SecondDecisions,
    isAsked: (row) => asked(row).questions.length > 0,
    ask: Effect.fnUntraced(function* (calls, row) {
      const { questions, request } = asked(row)
      const reply = yield* calls.ask(decisions, { ...labels, dialect, request })
      const read = DecisionRules.read(request)
      if (Result.isFailure(reply) || read === null) return { key: row.key, answers: null }
      const answers = AnswerRules.read(read, reply.success.value.response).flatMap((answer, at) =>
        answer === null || (answer.probabilities === null && !answer.refusal)
          ? []
          : [{ question: questions[at]!.question, probabilities: answer.probabilities }]
      )
      return { key: row.key, answers: answers.length === 0 ? null : answers }
    }),
    progressOf: ({ answers, key }) => (answers === null ? null : Progress.TeacherDecisions({ row: key, answers }))
  }
}
