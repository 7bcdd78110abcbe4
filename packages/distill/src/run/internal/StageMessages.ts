/** The messages of one attempt of a stage: the executor's reports, scored for an evaluation, up to one ending. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Candidates } from "../../race/Candidates.ts"
import * as Evaluator from "../../report/internal/Evaluator.ts"
import {
  EndpointExecutor,
  type Executor,
  Executors,
  Progress,
  type StageContext,
  StageFailure,
  stubName
} from "../Executor.ts"
import * as RepeatedTeachers from "./RepeatedTeachers.ts"
import * as ScoredStage from "./ScoredStage.ts"

export type StageFinish = Extract<Progress, { _tag: "Finished" }>
export type StageEnding = StageFinish | StageFailure

/** Progress, and at last exactly one ending. */
export type StageMessage = Progress | StageFailure

export const isEnding = (message: StageMessage): message is StageEnding =>
  message._tag === "Finished" || message._tag === "StageFailure"

const noResult = new StageFailure({
  code: "no_result",
  message: "The executor ended without a result",
  retryable: true
})

const executorMissing = (name: string) =>
  new StageFailure({
    code: "executor_missing",
    message: `This server has no executor named ${name}`,
    retryable: false
  })

/** JSON has no such numbers; the log reports a diverged loss. */
const finite = (progress: Progress): Progress =>
  progress._tag === "Metric" && !Number.isFinite(progress.value)
    ? Progress.Log({ level: "warn", message: `${progress.name} is ${progress.value} at step ${progress.step}` })
    : progress

/** An executor fails with a `StageFailure`; any other cause is its defect. */
const failureOf = (executor: Executor, cause: Cause.Cause<StageFailure>) => {
  const failure = Cause.squash(cause)
  if (failure instanceof StageFailure) return Effect.succeed(failure)
  return Effect.as(
    Effect.annotateLogs(Effect.logError("executor_defect", cause), { executor: executor.name }),
    new StageFailure({ code: "executor_defect", message: "The executor broke down", retryable: true })
  )
}

/** Ends with exactly one ending. A failure is a message too, so that it shares a batch with earlier ones. */
const messagesOf = (executor: Executor, reported: Stream.Stream<Progress, StageFailure>) =>
  reported.pipe(
    Stream.map(finite),
    Stream.concat(Stream.succeed<StageMessage>(noResult)),
    Stream.catchCause((cause) =>
      // A cause of interrupts alone holds no failure.
      Cause.hasInterruptsOnly(cause)
        ? Stream.failCause(cause as Cause.Cause<never>)
        : Stream.fromEffect(failureOf(executor, cause))
    ),
    Stream.takeUntil(isEnding)
  )

/** Makes the messages of an attempt. Interrupting the stream stops the executor. */
export const make = Effect.gen(function* () {
  const executors = yield* Executors
  const endpoint = yield* EndpointExecutor
  const makeEvaluator = yield* Evaluator.make
  const candidates = yield* Candidates
  const teacherOf = yield* RepeatedTeachers.make

  const evaluated = (executor: Executor, context: StageContext): Stream.Stream<Progress, StageFailure> => {
    const execute = (seen: StageContext) => Stream.suspend(() => executor.execute(seen))
    const isAsked = ScoredStage.candidatesOf(context).length > 0
    const isLive = !context.run.dryRun && executor.name !== stubName
    if (isAsked && !isLive) return ScoredStage.estimateCandidates(context, candidates, execute(context))
    const evaluating = Effect.gen(function* () {
      const evaluator = yield* makeEvaluator(context)
      const teacher = isLive ? yield* teacherOf(context) : null
      return isAsked || teacher !== null
        ? ScoredStage.raceModels({ context, candidates, evaluator, execute, teacher })
        : ScoredStage.score(evaluator, context, execute(context))
    })
    return Stream.unwrap(evaluating)
  }

  return (context: StageContext): Stream.Stream<StageMessage> => {
    const executor = context.run.executor === endpoint.name ? endpoint : executors.find(context.run.executor)
    if (executor === undefined) return Stream.succeed(executorMissing(context.run.executor))
    const progress =
      context.stage.kind === "eval" ? evaluated(executor, context) : Stream.suspend(() => executor.execute(context))
    return messagesOf(executor, progress)
  }
})
