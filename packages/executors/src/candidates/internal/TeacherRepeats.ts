/**
 * Asks the teacher again about the first rows of an evaluation, a random sample because keys are digests (contract 16.32). Answers are
 * stored as they arrive: an attempt after a crash asks only about the other rows, and counts what the attempt before had reserved as
 * spent. A default number of rows ends where the budget does; a given one fails the stage.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { RepeatedTeacher } from "@limbeck/distill/race/Candidates"
import type { HostedModels } from "@limbeck/distill/race/HostedModels"
import {
  budgetExceeded,
  Progress,
  type Progress as ProgressType,
  type StageContext,
  StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AnswerJournal from "../../endpoint/internal/AnswerJournal.ts"
import { sample } from "../../internal/HoldoutSample.ts"
import * as AskedStage from "./AskedStage.ts"
import * as CountedCalls from "./CountedCalls.ts"
import * as RepeatedAnswers from "./RepeatedAnswers.ts"

/** The calls of a stage whose usage is `usage`; an attempt that is resumed counts the reservation of the one before. */
const callsOf = ({ meter, run }: StageContext, usage: Usage, { isGiven }: RepeatedTeacher, isResumed: boolean) => {
  const micros = (usage.candidateMicros ?? 0) + (isResumed ? run.reservedMicros : 0)
  const leave = isGiven ? 0 : Math.ceil(run.budgetMicros * DistillLimits.teacherRepeatsLeave)
  return CountedCalls.make(meter, { ...usage, candidateMicros: micros }, leave)
}

const repeated = Effect.fnUntraced(function* <Answer extends RepeatedAnswers.KeyedItem>(
  context: StageContext,
  usage: Usage,
  teacher: RepeatedTeacher,
  { ask: askTeacher, isAsked, progressOf, schema }: RepeatedAnswers.Repetition<Answer>
) {
  const answersOf = (answers: ReadonlyArray<Answer>) => answers.flatMap((answer) => progressOf(answer) ?? [])
  const journal = yield* AnswerJournal.open(context, schema)
  const kept = new Set(journal.kept.map(({ key }) => key))
  const calls = callsOf(context, usage, teacher, journal.isResumed)
  /** Answers that are stored. */
  let count = answersOf(journal.kept).length
  let received = count
  let failures = 0
  const isMute = () => received === 0 && failures >= DistillLimits.teacherRepeatsFailures

  const ask = Effect.fnUntraced(function* (row: StageRow) {
    const answer = yield* askTeacher(calls, row)
    if (progressOf(answer) === null) failures++
    else received++
    return answer
  })

  const keep = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
    const state = yield* journal.add(answers)
    count += answersOf(answers).length
    return Stream.fromIterable<ProgressType>([
      Progress.Checkpoint({ state, usage: calls.usage() }),
      ...answersOf(answers),
      Progress.Metric({ name: "teacher_repeats", unit: "answers", step: count, value: count })
    ])
  })

  const ending = (failure: StageFailure | undefined): Stream.Stream<ProgressType, StageFailure> => {
    const isShort = failure?.code === budgetExceeded && !teacher.isGiven
    if (failure !== undefined && !isShort) return Stream.fail(failure)
    const why = isShort ? ", as many as the budget leaves" : failures > 0 ? `; ${failures} rows got no answer` : ""
    const level = failures > 0 ? "warn" : "info"
    return Stream.succeed(AskedStage.log(`The teacher answered ${count} rows again${why}`, level))
  }
  const questions = sample(context).pipe(
    Stream.filter(isAsked),
    Stream.take(teacher.rows),
    Stream.filter(({ key }) => !kept.has(key))
  )
  const known: ReadonlyArray<ProgressType> = [AskedStage.beginning(journal, calls.usage()), ...answersOf(journal.kept)]
  return Stream.concat(Stream.fromIterable(known), AskedStage.answers({ questions, ask, keep, isOver: isMute, ending }))
})

const oneToken = { prompt: 1, completion: 1 }

const skipped = (message: string): Stream.Stream<ProgressType> => Stream.succeed(AskedStage.log(message))

export const make =
  (hosted: HostedModels["Service"]) =>
  (context: StageContext, usage: Usage, teacher: RepeatedTeacher): Stream.Stream<ProgressType, StageFailure> => {
    const { dialect, isGiven, model, source } = teacher
    const started = Effect.gen(function* () {
      const chat = yield* Effect.mapError(
        hosted.open(context.partition, { source, model }),
        (_: StorageError) => AskedStage.storageFailed
      )
      if (Option.isNone(chat)) {
        const message = `There is no source ${source}, which was the teacher's`
        if (!isGiven) return skipped(message)
        return yield* new StageFailure({ code: "source_gone", message, retryable: false })
      }
      const { decisions } = chat.value
      const isUnpriced = (dialect === undefined ? chat.value : decisions).estimate(oneToken) === null
      if (isUnpriced && !isGiven) {
        return skipped(
          `${model} is not asked again by default: without a known price its calls do not count against the budget`
        )
      }
      return dialect === undefined
        ? yield* repeated(context, usage, teacher, RepeatedAnswers.ofConversations(chat.value))
        : yield* repeated(context, usage, teacher, RepeatedAnswers.ofDecisions(decisions, dialect, context.version))
    })
    return Stream.unwrap(started)
  }
