/** Requests, storage and reporting for second teacher answers, in conversations and decisions. */
import type { DatasetVersion } from "@limbeck/distill/dataset/DatasetVersion"
import { Message } from "@limbeck/distill/dataset/Row"
import { exampleOf } from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { RepeatedTeacher } from "@limbeck/distill/race/Candidates"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import type { SourceModelChat } from "@limbeck/distill/race/HostedModels"
import * as RepeatedDecisions from "@limbeck/distill/race/RepeatedDecisions"
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

export interface KeyedItem {
  /** Of its row. */
  readonly key: string
}

type Calls = ReturnType<typeof CountedCalls.make<StageFailure>>

/** How a teacher is asked again. */
export interface Repetition<Answer extends KeyedItem> {
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

/** Options stand in the order of a question's identity, because rows do not keep the caller's. */
export const ofDecisions = (
  decisions: SourceModelChat["decisions"],
  dialect: NonNullable<RepeatedTeacher["dialect"]>,
  version: Pick<DatasetVersion, "questions">
): Repetition<typeof SecondDecisions.Type> => {
  const requestOf = RepeatedDecisions.requests(dialect, version)
  return {
    schema: SecondDecisions,
    isAsked: ({ row }) => requestOf(row).questions.length > 0,
    ask: Effect.fnUntraced(function* (calls, { key, row }) {
      const { questions, request } = requestOf(row)
      const reply = yield* calls.ask(decisions, { ...labels, dialect, request })
      if (Result.isFailure(reply)) return { key, answers: null }
      const answers = RepeatedDecisions.answersOf({ questions, request }, reply.success.value.response)
      return { key, answers: answers.length === 0 ? null : answers }
    }),
    progressOf: ({ answers, key }) => (answers === null ? null : Progress.TeacherDecisions({ row: key, answers }))
  }
}
