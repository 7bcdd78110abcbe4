/**
 * Asks hosted models about the rows of an evaluation (contract 16.13). Each call is reserved at the most that it can cost before it is
 * sent. Answers are stored as they arrive, so an attempt after a crash asks only for missing rows; what the attempt before had
 * reserved counts as spent, because nobody knows which of its calls were made.
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import { Message } from "@limbeck/distill/dataset/Row"
import { exampleOf } from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import { Candidates } from "@limbeck/distill/race/Candidates"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import { type ChatQuestion, HostedModels, type SourceModelChat } from "@limbeck/distill/race/HostedModels"
import { type Candidate, EvalConfig } from "@limbeck/distill/recipe/Recipe"
import {
  Progress,
  type Progress as ProgressType,
  type StageContext,
  StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AnswerJournal from "../endpoint/internal/AnswerJournal.ts"
import { sample } from "../internal/HoldoutSample.ts"
import * as AskedStage from "./internal/AskedStage.ts"
import * as BudgetedModels from "./internal/BudgetedModels.ts"
import * as CountedCalls from "./internal/CountedCalls.ts"
import * as TeacherRepeats from "./internal/TeacherRepeats.ts"

const KeptCandidateAnswer = Schema.Struct({
  candidate: Schema.Int,
  /** Of its row. */
  key: Schema.String,
  /** Null: no answer came. */
  completion: Schema.NullOr(Message),
  latencyMillis: Schema.Finite,
  costMicros: Schema.NullOr(Schema.Finite)
})
type KeptCandidateAnswer = typeof KeptCandidateAnswer.Type

interface OpenCandidate {
  readonly index: number
  readonly candidate: Candidate
  readonly chat: SourceModelChat
}

interface Question {
  readonly asked: OpenCandidate
  readonly row: StageRow
}

interface CandidateAnswer {
  readonly question: Question
  readonly answer: KeptCandidateAnswer
  readonly failure: string | null
}

const decodeConfig = Schema.decodeUnknownOption(EvalConfig)

const candidatesOf = ({ stage }: StageContext): ReadonlyArray<Candidate> =>
  Option.match(decodeConfig(stage.config), { onNone: () => [], onSome: ({ candidates = [] }) => candidates })

const gone = ({ source }: Candidate) =>
  new StageFailure({ code: "source_gone", message: `There is no source ${source}`, retryable: false })

const chatQuestion = ({ asked: { candidate }, row: { row } }: Question): ChatQuestion => {
  const { completion, prompt } = exampleOf(row)
  const { instructions } = candidate
  return {
    messages: [...(instructions === undefined ? [] : [{ role: "system", content: instructions }]), ...prompt],
    tools: row.tools,
    maxTokens: CountedCalls.answerTokensOf(completion),
    tags: [EvaluationTags.candidate],
    temperature: 0,
    timeoutMillis: DistillLimits.studentAnswerMillis
  }
}

/** Asks, and counts what it costs. */
const asking = ({ meter, run, stage }: StageContext, usage: Usage, isResumed: boolean) => {
  const lostMicros = isResumed ? run.reservedMicros : 0
  const calls = CountedCalls.make(meter, {
    ...usage,
    candidateMicros: (stage.usage.candidateMicros ?? 0) + lostMicros,
    candidateTokens: stage.usage.candidateTokens ?? 0
  })

  const ask = Effect.fnUntraced(function* (question: Question): Effect.fn.Return<CandidateAnswer, StageFailure> {
    const { asked, row } = question
    const base = { candidate: asked.index, key: row.key }
    const reply = yield* calls.ask(asked.chat, chatQuestion(question))
    if (Result.isFailure(reply)) {
      const answer = { ...base, completion: null, latencyMillis: 0, costMicros: null }
      return { question, answer, failure: reply.failure.message }
    }
    const { latencyMillis, value } = reply.success
    const completion = { ...value.message, role: "assistant" as const }
    const answer = { ...base, completion, latencyMillis, costMicros: value.costMicros }
    return { question, answer, failure: null }
  })

  return { ask, usage: calls.usage }
}

const progressOf = ({ question, answer }: Pick<CandidateAnswer, "answer" | "question">): ProgressType =>
  Progress.CandidateAnswer({
    candidate: answer.candidate,
    row: question.row,
    completion: answer.completion,
    latencyMillis: answer.latencyMillis,
    costMicros: answer.costMicros
  })

const unpriced = ({ candidate: { model, source }, chat }: OpenCandidate): ReadonlyArray<ProgressType> =>
  chat.estimate({ prompt: 1, completion: 1 }) === null
    ? [AskedStage.log(`${source}/${model} has no known price: its calls do not count against the budget`, "warn")]
    : []

const idOf = (candidate: number, key: string): string => `${candidate} ${key}`

const race = Effect.fnUntraced(function* (context: StageContext, usage: Usage, open: ReadonlyArray<OpenCandidate>) {
  const journal = yield* AnswerJournal.open(context, KeptCandidateAnswer)
  const kept = new Map(journal.kept.map((answer) => [idOf(answer.candidate, answer.key), answer]))
  const calls = asking(context, usage, journal.isResumed)
  let count = 0
  let failures = 0

  const questions = Stream.flatMap(sample(context), (row) =>
    Stream.fromIterable(open.map((asked): Question => ({ asked, row })))
  )
  const keptOf = ({ asked, row }: Question) => kept.get(idOf(asked.index, row.key))

  const keep = Effect.fnUntraced(function* (answered: ReadonlyArray<CandidateAnswer>) {
    const state = yield* journal.add(answered.map(({ answer }) => answer))
    const faults = answered.flatMap(({ failure: fault, question: { asked, row } }) =>
      fault === null ? [] : [`${asked.candidate.source}/${asked.candidate.model}, row ${row.key}: ${fault}`]
    )
    count += answered.length
    const logged = faults.slice(0, Math.max(0, DistillLimits.studentRefusalsLogged - failures))
    failures += faults.length
    return Stream.fromIterable<ProgressType>([
      Progress.Checkpoint({ state, usage: calls.usage() }),
      ...logged.map((message) => AskedStage.log(message, "warn")),
      ...answered.map(progressOf),
      Progress.Metric({ name: "candidate_answers", unit: "answers", step: count, value: count })
    ])
  })

  const known = Stream.flatMap(questions, (question) => {
    const answer = keptOf(question)
    if (answer === undefined) return Stream.empty
    count++
    return Stream.succeed(progressOf({ question, answer }))
  })
  const asked = AskedStage.answers({
    questions: Stream.filter(questions, (question) => keptOf(question) === undefined),
    ask: calls.ask,
    keep,
    isOver: () => false,
    ending: (failure) =>
      failure === undefined ? Stream.succeed(AskedStage.log(`${count} answers of hosted models`)) : Stream.fail(failure)
  })
  const first = [AskedStage.log(`${open.length} hosted models are asked`), ...open.flatMap(unpriced)]
  return Stream.fromIterable<ProgressType>([...first, AskedStage.beginning(journal, calls.usage())]).pipe(
    Stream.concat(known),
    Stream.concat(asked)
  )
})

const make = Effect.gen(function* () {
  const hosted = yield* HostedModels

  const openAll = (context: StageContext) =>
    Effect.forEach(candidatesOf(context), (candidate, index) =>
      hosted.open(context.partition, candidate).pipe(
        Effect.mapError((_: StorageError) => AskedStage.storageFailed),
        Effect.flatMap((found) =>
          Option.isSome(found)
            ? Effect.succeed<OpenCandidate>({ index, candidate, chat: found.value })
            : Effect.fail(gone(candidate))
        )
      )
    )

  return Candidates.of({
    estimate: (partition, candidate, tokens) =>
      Effect.map(
        hosted.open(partition, candidate),
        Option.map(({ estimate }) => estimate(tokens))
      ),
    ...BudgetedModels.make(hosted),
    ask: (context, usage) => Stream.unwrap(Effect.flatMap(openAll(context), (open) => race(context, usage, open))),
    repeat: TeacherRepeats.make(hosted)
  })
})

export const layer: Layer.Layer<Candidates, never, HostedModels> = Layer.effect(Candidates, make)
