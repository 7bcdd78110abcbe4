/** The builtin student answers the holdout rows, and is compared with the teacher. */
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import {
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageRow
} from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sample } from "../../internal/HoldoutSample.ts"
import type * as Model from "../Model.ts"
import { exampleOf, isRead } from "../RowReading.ts"
import * as Stopwatch from "../Stopwatch.ts"
import type { Tables } from "../tables/Tables.ts"
import * as DecidedRow from "./DecidedRow.ts"
import * as Evaluation from "./Evaluation.ts"
import type * as Questions from "./Questions.ts"
import { log, metric, quantumSeconds, script, trainedModel, usageOf } from "./StageParts.ts"
import type { AddressedModel } from "./Templates.ts"

/** Words stay a string, because completions may be strings too. */
const completionOf = (text: string) =>
  ToolAnswers.callOf(text) === undefined ? text : ToolAnswers.messageOf(text, "call")

/** The model's answer to a row, and how it compares with the teacher's. */
const answer = (model: AddressedModel, row: StageRow) => {
  const before = performance.now()
  const example = exampleOf(row.row)
  const label = example.label === null ? null : Evaluation.partOf(example.label, model.about.free)
  const answered = Evaluation.answer(model, { ...example, label })
  const latencyMillis = performance.now() - before
  const { isNew, template, text } = answered
  // A row that a deployment leaves to its fallback is answered at no threshold.
  const confidence = isNew ? null : answered.confidence
  const { free } = model.about
  const own = { ...(template === undefined ? {} : { template }), ...(free === undefined ? {} : { free }) }
  return {
    answered,
    said: Progress.Answer({ row, completion: completionOf(text), latencyMillis, confidence, ...own })
  }
}

const summary = (answers: ReadonlyArray<Evaluation.Answer>) => {
  if (answers.length === 0) {
    return [
      log("The version has no holdout rows: nothing is evaluated", "warn"),
      Progress.Finished({ outcome: "succeeded", result: { rows: 0 } })
    ]
  }
  const { accuracy, calibrationError, interval, right, rows } = Evaluation.summarize(answers)
  return [
    log(`${right} of ${rows} holdout rows are answered as the teacher did`),
    metric("accuracy", "share", accuracy),
    metric("calibration_error", "share", calibrationError),
    metric("holdout_rows", "rows", rows),
    Progress.Finished({
      outcome: "succeeded",
      result: { rows, right, accuracy, interval: [interval.low, interval.high], calibration_error: calibrationError }
    })
  ]
}

/** A row of decisions has no completion to compare: what the student says to each question is reported. */
const evaluateDecisions = (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  model: Model.Model,
  heads: ReadonlyArray<Questions.QuestionHead>
) => {
  const seconds = Stopwatch.start(stopwatch)
  let rows = 0
  let spent = 0
  const answerPaid = Effect.fnUntraced(function* ({ key, row }: StageRow) {
    const paid = spent + quantumSeconds
    yield* context.meter.reserve(usageOf(paid))
    const before = seconds()
    const decided = DecidedRow.of(model, heads, row)
    spent = Math.min(paid, spent + seconds() - before)
    rows++
    yield* Effect.yieldNow
    return [Progress.Spend({ usage: usageOf(spent) }), Progress.Decisions({ key, ...decided })]
  })
  const end = () =>
    script(metric("holdout_rows", "rows", rows), Progress.Finished({ outcome: "succeeded", result: { rows } }))
  return sample(context).pipe(
    Stream.mapEffect(answerPaid),
    Stream.flatMap((reported) => Stream.fromIterable<ProgressType>(reported)),
    Stream.concat(Stream.suspend(end))
  )
}

export const evaluate = Effect.fnUntraced(function* (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  tables: Tables
) {
  const { meter } = context
  const { model } = yield* trainedModel(context, tables)
  const { questions } = model.about
  if (questions !== undefined) return evaluateDecisions(context, stopwatch, model, questions)
  const answers: Array<Evaluation.Answer> = []
  const seconds = Stopwatch.start(stopwatch)
  let spent = 0
  /** Reserves the usage first, and never spends more than the reservation. */
  const answerPaid = Effect.fnUntraced(function* (row: StageRow) {
    const paid = spent + quantumSeconds
    yield* meter.reserve(usageOf(paid))
    const before = seconds()
    const { answered, said } = answer(model, row)
    spent = Math.min(paid, spent + seconds() - before)
    answers.push(answered)
    // A row takes a fraction of a millisecond, and others may have their turn after each.
    yield* Effect.yieldNow
    return [Progress.Spend({ usage: usageOf(spent) }), said]
  })
  return sample(context).pipe(
    Stream.filter(({ row }) => isRead(row)),
    Stream.mapEffect(answerPaid),
    Stream.flatMap((said) => Stream.fromIterable<ProgressType>(said)),
    Stream.concat(Stream.suspend(() => script(...summary(answers))))
  )
})
