/**
 * Evaluates students trained elsewhere, row by row, at their endpoint or as served by this server (contract 15.16). Answers
 * are stored as they arrive, so an attempt after a crash asks only for missing rows.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { DistillLimits } from "@limbeck/distill/Limits"
import { noStudent } from "@limbeck/distill/recipe/Recipe"
import {
  EndpointExecutor,
  endpointName,
  Progress,
  type Progress as ProgressType,
  type StageContext,
  StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import { ExternalStudents } from "@limbeck/distill/student/ExternalStudents"
import type { ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { sample } from "../internal/HoldoutSample.ts"
import * as AnswerJournal from "./internal/AnswerJournal.ts"
import { KeptAnswer } from "./internal/KeptAnswer.ts"
import * as Questions from "./internal/Questions.ts"

const log = (message: string, level: "info" | "warn" = "info") => Progress.Log({ level, message })

const fail = (code: string, message: string) => new StageFailure({ code, message, retryable: false })

const storageFailed = new StageFailure({
  code: "storage_unavailable",
  message: "The storage did not answer",
  retryable: true
})

const failureOf = (error: ModelServerFailed | StorageError) =>
  error._tag === "StorageError"
    ? storageFailed
    : fail("student_not_served", `The student is not served: ${error.message}`)

const materialize = ({ version }: StageContext): Stream.Stream<ProgressType, StageFailure> =>
  version.holdoutRows === 0
    ? Stream.fail(fail("no_holdout_rows", "The version has no holdout rows to evaluate on"))
    : Stream.make(
        log(`${version.holdoutRows} holdout rows`),
        Progress.Finished({ outcome: "succeeded", result: { rows: version.holdoutRows } })
      )

const answerOf = (row: StageRow, kept: KeptAnswer): ProgressType =>
  Progress.Answer({
    row,
    completion: kept.completion,
    latencyMillis: kept.latencyMillis,
    confidence: kept.confidence,
    ...(kept.confidenceFrom === undefined ? {} : { confidenceFrom: kept.confidenceFrom }),
    costMicros: kept.costMicros
  })

type QuestionResult = Effect.Success<ReturnType<Questions.Questions["ask"]>>

/** Rows asked concurrently: answers are stored before a failure is reported. */
interface Batch {
  readonly answered: ReadonlyArray<QuestionResult & { readonly row: StageRow }>
  readonly failure: StageFailure | null
}

const batchOf = (
  results: ReadonlyArray<{ readonly row: StageRow; readonly result: Result.Result<QuestionResult, StageFailure> }>
): Batch => ({
  answered: results.flatMap(({ result, row }) => (Result.isSuccess(result) ? [{ ...result.success, row }] : [])),
  failure: results.map(({ result }) => Result.getFailure(result)).find(Option.isSome)?.value ?? null
})

const ending = (answered: number, refused: number): Stream.Stream<ProgressType, StageFailure> =>
  answered > 0 && refused === answered
    ? Stream.fail(fail("student_refused", "The student's endpoint refuses every row"))
    : Stream.make(
        log(`${answered} holdout rows are answered`),
        Progress.Finished({ outcome: "succeeded", result: { rows: answered } })
      )

const evaluate = Effect.fnUntraced(function* (students: ExternalStudents["Service"], context: StageContext) {
  const { partition, run } = context
  const id = String(run.recipe["student_model"])
  const found = yield* Effect.mapError(students.open(partition, id), failureOf)
  if (Option.isNone(found)) return yield* fail("student_gone", `There is no student ${id} that can be asked`)
  const journal = yield* AnswerJournal.open(context, KeptAnswer)
  const keptByKey = new Map(journal.kept.map((answer) => [answer.key, answer]))
  const questions = Questions.make(context, found.value)
  let answered = 0
  let refused = 0

  const keep = Effect.fnUntraced(function* ({ answered: asked, failure }: Batch) {
    const ended = failure === null ? Stream.empty : Stream.fail(failure)
    if (asked.length === 0) return ended
    const state = yield* journal.add(asked.map(({ answer }) => answer))
    const refusals = asked.flatMap(({ refusal, row }) => (refusal === null ? [] : [`Row ${row.key}: ${refusal}`]))
    answered += asked.length
    const logged = refusals.slice(0, Math.max(0, DistillLimits.studentRefusalsLogged - refused))
    refused += refusals.length
    return Stream.fromIterable<ProgressType>([
      Progress.Checkpoint({ state, usage: questions.usage() }),
      ...logged.map((message) => log(message, "warn")),
      ...asked.map(({ answer, row }) => answerOf(row, answer)),
      Progress.Metric({ name: "holdout_rows", unit: "rows", step: answered, value: answered })
    ]).pipe(Stream.concat(ended))
  })

  const known = sample(context).pipe(
    Stream.map((row) => ({ row, kept: keptByKey.get(row.key) })),
    Stream.flatMap(({ kept, row }) => (kept === undefined ? Stream.empty : Stream.succeed(answerOf(row, kept)))),
    Stream.tap(() => Effect.sync(() => answered++))
  )
  const asked = sample(context).pipe(
    Stream.filter(({ key }) => !keptByKey.has(key)),
    Stream.mapEffect((row) => Effect.map(Effect.result(questions.ask(row)), (result) => ({ row, result })), {
      concurrency: DistillLimits.studentAskedMax,
      // An answer is kept when it comes, also while an earlier row waits for its own.
      unordered: true
    }),
    Stream.groupedWithin(DistillLimits.studentAskedMax, DistillLimits.studentKeptEveryMillis),
    Stream.flatMap((results) => Stream.unwrap(keep(batchOf(results))))
  )
  const resumed = keptByKey.size === 0 ? Stream.empty : Stream.succeed(log(`${keptByKey.size} answers are kept`))
  return resumed.pipe(
    Stream.concat(known),
    Stream.concat(asked),
    Stream.concat(Stream.suspend(() => ending(answered, refused)))
  )
})

/** A run of candidates alone: whoever asks them does the work. */
const withoutStudent: Stream.Stream<ProgressType> = Stream.succeed(
  Progress.Finished({ outcome: "succeeded", result: {} })
)

export const layer: Layer.Layer<EndpointExecutor, never, ExternalStudents> = Layer.effect(
  EndpointExecutor,
  Effect.map(ExternalStudents, (students) => ({
    name: endpointName,
    execute: (context: StageContext) => {
      if (context.stage.kind === "materialize") return materialize(context)
      if (context.run.recipe["student_model"] === noStudent) return withoutStudent
      if (context.stage.kind === "eval") return Stream.unwrap(evaluate(students, context))
      return Stream.fail(fail("stage_unknown", `A student of elsewhere has no ${context.stage.kind}`))
    }
  }))
)
