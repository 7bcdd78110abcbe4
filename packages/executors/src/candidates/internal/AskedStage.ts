/**
 * Shared steps of stages with hosted models: send several questions at a time and store answers on arrival. After a failure, send no
 * further questions but store pending answers.
 */
import { DistillLimits } from "@limbeck/distill/Limits"
import { Progress, type Progress as ProgressType, StageFailure } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export const storageFailed = new StageFailure({
  code: "storage_unavailable",
  message: "The storage did not answer",
  retryable: true
})

export const log = (message: string, level: "info" | "warn" = "info") => Progress.Log({ level, message })

/** The next attempt knows by this that calls may have been made. */
export const beginning = ({ state }: { readonly state: Schema.Json }, usage: Usage): ProgressType =>
  Progress.Checkpoint({ state, usage })

interface Asking<Question, Answer> {
  readonly questions: Stream.Stream<Question, StageFailure>
  readonly ask: (question: Question) => Effect.Effect<Answer, StageFailure>
  /** Stores answers, and reports them. */
  readonly keep: (answers: ReadonlyArray<Answer>) => Effect.Effect<Stream.Stream<ProgressType>, StageFailure>
  /** Whether nothing more is asked for another reason than a failure. */
  readonly isOver: () => boolean
  /** What follows, by the first failure. */
  readonly ending: (failure: StageFailure | undefined) => Stream.Stream<ProgressType, StageFailure>
}

/** The reported answers, in the order of their arrival, and the ending. */
export const answers = <Question, Answer>({
  ask,
  ending,
  isOver,
  keep,
  questions
}: Asking<Question, Answer>): Stream.Stream<ProgressType, StageFailure> => {
  let failure: StageFailure | undefined
  const stop = (error: StageFailure) =>
    Effect.sync(() => {
      failure ??= error
    })
  const keepAll = (results: ReadonlyArray<Result.Result<Answer, StageFailure>>) => {
    const answered = results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
    return answered.length === 0 ? Stream.empty : Stream.unwrap(keep(answered))
  }
  const asked = questions.pipe(
    Stream.takeWhile(() => failure === undefined && !isOver()),
    Stream.mapEffect((question) => Effect.result(Effect.tapError(ask(question), stop)), {
      concurrency: DistillLimits.studentAskedMax,
      // Store each answer on arrival, even before earlier requests finish.
      unordered: true
    }),
    Stream.groupedWithin(DistillLimits.studentAskedMax, DistillLimits.studentKeptEveryMillis),
    Stream.flatMap(keepAll)
  )
  return Stream.concat(
    asked,
    Stream.suspend(() => ending(failure))
  )
}
