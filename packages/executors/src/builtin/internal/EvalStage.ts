/** The builtin student answers the holdout rows, and is compared with the teacher. */
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import { DistillLimits } from "@limbeck/distill/Limits"
import {
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sample } from "../../internal/HoldoutSample.ts"
import { exampleOf, isRead } from "../RowReading.ts"
import * as Stopwatch from "../Stopwatch.ts"
import type { Tables } from "../tables/Tables.ts"
import * as DecidedRow from "./DecidedRow.ts"
import * as Evaluation from "./Evaluation.ts"
import * as EmbeddedStage from "./embedding/EmbeddedStage.ts"
import type * as Questions from "./Questions.ts"
import * as Reading from "./Reading.ts"
import { log, metric, quantumSeconds, script, trainedModel, usageOf } from "./StageParts.ts"
import * as Templates from "./Templates.ts"
import type { Turn } from "./Text.ts"

/** Words stay a string, because completions may be strings too. */
const completionOf = (text: string) =>
  ToolAnswers.callOf(text) === undefined ? text : ToolAnswers.messageOf(text, "call")

interface EvaluatedModel extends Pick<Templates.AddressedModel, "about"> {
  readonly predict: (turns: ReadonlyArray<Turn>) => Templates.AddressedPrediction
  /** What an answer costs beside its time, in micro-dollars; null: nobody knows. Absent: nothing. */
  readonly microsPerAnswer?: number | null
  /** Measured latencies of the request before an answer, in milliseconds, in turn for the rows. Absent without such a request. */
  readonly requestMillis?: ReadonlyArray<number>
}

interface EvaluationInput {
  readonly model: EvaluatedModel
  readonly rows: Stream.Stream<StageRow, StageFailure>
  readonly stopwatch: Stopwatch.Stopwatch
}

/** The cost of an answer; nothing where its latency alone decides. */
const costOf = ({ microsPerAnswer }: EvaluatedModel, { prices }: StageContext["run"], ownMillis: number) => {
  if (microsPerAnswer === undefined) return {}
  const own = (ownMillis / 1_000) * prices.microsPerGpuSecond
  return { costMicros: microsPerAnswer === null ? null : own + microsPerAnswer }
}

const requestMillisOf = ({ requestMillis = [] }: EvaluatedModel, position: number): number =>
  requestMillis[position % requestMillis.length] ?? 0

/** The model's answer to a row, and how it compares with the teacher's. */
const answer = (model: EvaluatedModel, run: StageContext["run"], row: StageRow, position: number) => {
  const before = performance.now()
  const example = exampleOf(row.row)
  const label = example.label === null ? null : Evaluation.partOf(example.label, model.about.free)
  const answered = Evaluation.answer(model, { ...example, label })
  const ownMillis = performance.now() - before
  const { isNew, template, text } = answered
  // A row that a deployment leaves to its fallback is answered at no threshold.
  const confidence = isNew ? null : answered.confidence
  const { free } = model.about
  const own = { ...(template === undefined ? {} : { template }), ...(free === undefined ? {} : { free }) }
  return {
    answered,
    said: Progress.Answer({
      row,
      completion: completionOf(text),
      latencyMillis: ownMillis + requestMillisOf(model, position),
      confidence,
      ...costOf(model, run, ownMillis),
      ...own
    })
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
  { model, rows: asked, stopwatch }: EvaluationInput,
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
  return asked.pipe(
    Stream.mapEffect(answerPaid),
    Stream.flatMap((reported) => Stream.fromIterable<ProgressType>(reported)),
    Stream.concat(Stream.suspend(end))
  )
}

const evaluateAnswers = ({ meter, run }: StageContext, { model, rows, stopwatch }: EvaluationInput) => {
  const answers: Array<Evaluation.Answer> = []
  const seconds = Stopwatch.start(stopwatch)
  let spent = 0
  /** Reserves the usage first, and never spends more than the reservation. */
  const answerPaid = Effect.fnUntraced(function* (row: StageRow) {
    const paid = spent + quantumSeconds
    yield* meter.reserve(usageOf(paid))
    const before = seconds()
    const { answered, said } = answer(model, run, row, answers.length)
    spent = Math.min(paid, spent + seconds() - before)
    answers.push(answered)
    // A row takes a fraction of a millisecond, and others may have their turn after each.
    yield* Effect.yieldNow
    return [Progress.Spend({ usage: usageOf(spent) }), said]
  })
  return rows.pipe(
    Stream.filter(({ row }) => isRead(row)),
    Stream.mapEffect(answerPaid),
    Stream.flatMap((said) => Stream.fromIterable<ProgressType>(said)),
    Stream.concat(Stream.suspend(() => script(...summary(answers))))
  )
}

const evaluateModel = (context: StageContext, input: EvaluationInput) => {
  const { questions } = input.model.about
  return questions === undefined ? evaluateAnswers(context, input) : evaluateDecisions(context, input, questions)
}

export const evaluate = Effect.fnUntraced(function* (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  tables: Tables
) {
  const { model } = yield* trainedModel(context, tables)
  const { charactersMax, embeddings, template = Reading.nothing, templates = [] } = model.about
  const rows = sample(context)
  if (embeddings === undefined) return evaluateModel(context, { model, rows, stopwatch })
  const textOf = Templates.embedding({ charactersMax, template, templates })
  return EmbeddedStage.run(context, {
    model: embeddings,
    texts: Stream.map(rows, ({ row }) => textOf(exampleOf(row).turns)),
    aloneTexts: DistillLimits.embeddedAloneTexts,
    next: ({ aloneMillis, context: seen, microsPerText, of, texts }) => {
      const predict: EvaluatedModel["predict"] = (turns) => model.predict(turns, of(textOf(turns)))
      const embedded = { about: model.about, predict, microsPerAnswer: microsPerText, requestMillis: aloneMillis }
      return evaluateModel(seen, { model: embedded, rows: Stream.take(rows, texts), stopwatch })
    }
  })
})
