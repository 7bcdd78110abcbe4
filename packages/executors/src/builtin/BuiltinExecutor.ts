/** The executor that trains `builtin/text-classifier` in a thread of this process (contract 5). */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowText from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import {
  budgetExceeded,
  type Executor,
  overBudget,
  Progress,
  type Progress as ProgressType,
  type StageContext,
  StageFailure,
  type StageRow
} from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import { Published } from "@limbeck/distill/student/StudentModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { sampled } from "../internal/HoldoutSample.ts"
import { Unreadable } from "./internal/Container.ts"
import * as Evaluation from "./internal/Evaluation.ts"
import type { Example } from "./internal/Examples.ts"
import * as Reading from "./internal/Reading.ts"
import type { Ending } from "./internal/Session.ts"
import type { Turn } from "./internal/Text.ts"
import * as Model from "./Model.ts"
import * as Settings from "./Settings.ts"
import * as Stopwatch from "./Stopwatch.ts"
import * as TrainingThread from "./TrainingThread.ts"

/** The name that runs show as their `executor`. */
export const builtinName = "builtin"

/** Paid for at a time, in seconds: little enough that a small budget is used up, and never passed. */
const quantumSeconds = 0.05
/** So much of a training is lost at most, and done again, when it is broken off. A checkpoint may have megabytes. */
const checkpointSeconds = 2
/** Characters of a token, roughly: what `max_seq_len` bounds in a student that reads characters. */
const charactersPerToken = 4

/** Longer requests than this are cut, whatever the recipe allows: a prediction must stay a matter of milliseconds. */
const charactersMost = 65_536

const Checkpoint = Schema.Struct({ sha256: Schema.String })
const decodeCheckpoint = Schema.decodeUnknownOption(Checkpoint)
const decodeTrained = Schema.decodeUnknownOption(Published)
const decodeSft = Schema.decodeUnknownOption(Recipe.SftConfig)

const log = (message: string, level: "info" | "warn" = "info") => Progress.Log({ level, message })
const metric = (name: string, unit: string, value: number) => Progress.Metric({ name, unit, step: 1, value })

const fail = (code: string, message: string, retryable = false) => new StageFailure({ code, message, retryable })

/** What was said, all at once. */
const script = (...said: ReadonlyArray<ProgressType>): Stream.Stream<ProgressType> => Stream.fromIterable(said)

const settingsOf = ({ stage, version }: StageContext, template: Reading.Template): Settings.Settings => {
  const { epochs, learning_rate, max_seq_len } = {
    ...Recipe.defaults.sft,
    ...Option.getOrElse(decodeSft(stage.config), () => ({}))
  }
  return {
    ...Settings.defaults,
    epochs,
    learningRate: learning_rate,
    charactersMax: Math.min(charactersMost, max_seq_len * charactersPerToken),
    seed: version.seed,
    tries: true,
    template,
    rowsMax: DistillLimits.builtinRowsMax,
    featuresMax: DistillLimits.builtinFeaturesMax
  }
}

/** A prompt as the student reads it. */
export const turnsOf = (prompt: ReadonlyArray<RowText.Message>): ReadonlyArray<Turn> =>
  prompt.map((message) => ({ role: message.role, text: RowText.textOf(message) }))

/** A row as the student reads it. A completion that is empty or calls a tool is no label. */
export const exampleOf = (row: Row): Example => {
  const { completion, prompt } = RowText.exampleOf(row)
  const text = RowText.textOf(completion)
  return {
    turns: turnsOf(prompt),
    label: text === "" || RowText.usesTools(completion) ? null : text
  }
}

const usageOf = (seconds: number): Usage => ({ gpuSeconds: Math.round(seconds * 1e6) / 1e6, judgeTokens: 0 })

const keep = ({ blobs }: StageContext, bytes: Uint8Array) => blobs.put(Stream.succeed(bytes))

const fetch = ({ blobs }: StageContext, sha256: string) =>
  Effect.map(Stream.runCollect(blobs.get(sha256)), Buffer.concat)

const materialize = ({ version }: StageContext): Stream.Stream<ProgressType, StageFailure> =>
  version.trainRows === 0
    ? Stream.fail(fail("no_training_rows", "The version has no train rows"))
    : script(
        log(`Dataset version ${version.id}: ${version.trainRows} train and ${version.holdoutRows} holdout rows`),
        metric("rows", "rows", version.rows),
        Progress.Finished({ outcome: "succeeded", result: { rows: version.rows } })
      )

type TrainingResult = Extract<Ending, { readonly type: "finished" }>

const finished = (sha256: string, { about, cut, examples, model }: TrainingResult): ProgressType =>
  Progress.Finished({
    outcome: "succeeded",
    result: {
      artifact: { sha256, bytes: model.length, format: Model.formatOf(about) },
      examples,
      cut,
      labels: about.labels.length,
      ...(about.fields === undefined
        ? {}
        : { fields: about.fields.heads.map(({ from, name, to }) => ({ name, labels: to - from })) }),
      pace: { ...about.pace },
      temperature: about.temperature,
      validation: about.quality === null ? null : { ...about.quality }
    }
  })

const endingOf = (context: StageContext, ending: Ending): Stream.Stream<ProgressType, StageFailure> => {
  switch (ending.type) {
    case "finished":
      return Stream.unwrap(
        Effect.map(keep(context, ending.model), ({ sha256 }) =>
          script(
            log(`Trained on ${ending.examples} examples; the model has ${ending.model.length} bytes`),
            finished(sha256, ending)
          )
        )
      )
    case "refused":
      return Stream.fail(fail(ending.code, ending.message))
    case "unpaid":
      return Stream.fail(overBudget)
    case "canceled":
      return Stream.fail(fail("canceled", "The training was told to stop", true))
  }
}

/** What of the training the run hears. */
const relay = (
  context: StageContext,
  said: TrainingThread.TrainingMessage
): Stream.Stream<ProgressType, StageFailure> => {
  switch (said.type) {
    case "log":
      return script(log(said.message, said.level))
    case "metric": {
      const { name, step, unit, value } = said
      return script(Progress.Metric({ name, unit, step, value }))
    }
    case "checkpoint":
      return Stream.fromEffect(
        Effect.map(keep(context, said.bytes), ({ sha256 }) =>
          Progress.Checkpoint({ state: { sha256 }, usage: usageOf(said.seconds) })
        )
      )
    case "ended":
      return Stream.concat(script(Progress.Spend({ usage: usageOf(said.seconds) })), endingOf(context, said.ending))
  }
}

/** Without the budget for more, the training ends with a checkpoint, so that a retry under a larger one goes on from there. */
const grant = (context: StageContext, upTo: number): Effect.Effect<boolean, StageFailure> =>
  context.meter.reserve(usageOf(upTo)).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ code }) => code === budgetExceeded,
      () => Effect.succeed(false)
    )
  )

/** What the rows say alike, by the first of them: they come by digest, so these are as good as any others. */
const templateOf = ({ rows }: StageContext): Effect.Effect<Reading.Template, StageFailure> =>
  Effect.suspend(() => {
    let characters = 0
    return rows("train").pipe(
      Stream.take(Reading.sample.rows),
      Stream.map(({ row }) => exampleOf(row).turns),
      Stream.takeWhile((turns) => {
        characters += turns.reduce((sum, { text }) => sum + text.length, 0)
        return characters <= Reading.sample.characters
      }),
      Stream.runCollect,
      Effect.map(Reading.find)
    )
  })

const sft = (context: StageContext, stopwatch: Stopwatch.Stopwatch): Stream.Stream<ProgressType, StageFailure> => {
  const kept = decodeCheckpoint(context.stage.checkpoint?.state)
  const checkpoint = Option.isSome(kept) ? fetch(context, kept.value.sha256) : Effect.succeed(null)
  const training = Effect.map(Effect.all([checkpoint, templateOf(context)]), ([checkpoint, template]) =>
    TrainingThread.train({
      plan: {
        settings: settingsOf(context, template),
        checkpoint,
        spentSeconds: context.meter.start.gpuSeconds,
        quantumSeconds,
        checkpointSeconds
      },
      stopwatch,
      examples: Stream.map(context.rows("train"), ({ row }) => exampleOf(row)),
      grant: (upTo) => grant(context, upTo)
    })
  )
  return Stream.unwrap(training).pipe(
    Stream.mapError((error) => (error._tag === "ThreadLost" ? fail("thread_lost", error.message, true) : error)),
    Stream.flatMap((said) => relay(context, said))
  )
}

/** The model that the sft stage of this run made. */
const trainedModel = Effect.fnUntraced(function* (context: StageContext) {
  const trained = decodeTrained(context.run.stages.find(({ kind }) => kind === "sft")?.result)
  if (Option.isNone(trained)) return yield* fail("no_model", "The run has no trained model")
  const { artifact } = trained.value
  const model = Model.load(yield* fetch(context, artifact.sha256))
  if (model instanceof Unreadable) return yield* fail("model_unreadable", `The model cannot be read: ${model.reason}`)
  return { artifact, model }
})

/** The model's answer to a row, and how it compares with the teacher's. */
const answer = (model: Model.Model, row: StageRow) => {
  const before = performance.now()
  const answered = Evaluation.answer(model, exampleOf(row.row))
  const latencyMillis = performance.now() - before
  const { confidence, text } = answered
  return { answered, said: Progress.Answer({ row, completion: text, latencyMillis, confidence }) }
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

const evaluate = Effect.fnUntraced(function* (context: StageContext, stopwatch: Stopwatch.Stopwatch) {
  const { meter } = context
  const { model } = yield* trainedModel(context)
  const answers: Array<Evaluation.Answer> = []
  const seconds = Stopwatch.start(stopwatch)
  let spent = 0
  /** Paid for before, and never spent beyond what was. */
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
  return sampled(context).pipe(
    Stream.mapEffect(answerPaid),
    Stream.flatMap((said) => Stream.fromIterable<ProgressType>(said)),
    Stream.concat(Stream.suspend(() => script(...summary(answers))))
  )
})

const publish = Effect.fnUntraced(function* (context: StageContext) {
  const { artifact, model } = yield* trainedModel(context)
  return script(
    log(`The model answers with ${model.about.labels.length} labels`),
    Progress.Finished({ outcome: "succeeded", result: { artifact } })
  )
})

/** Metered by the processor time that it takes, or by another stopwatch. */
export const make = ({ stopwatch = Stopwatch.processor } = {}): Executor => ({
  name: builtinName,
  execute: (context) => {
    switch (context.stage.kind) {
      case "materialize":
        return materialize(context)
      case "sft":
        return sft(context, stopwatch)
      case "grpo":
        return Stream.fail(fail("stage_unsupported", "The builtin student takes no grpo"))
      case "eval":
        return Stream.unwrap(evaluate(context, stopwatch))
      case "publish":
        return context.run.dryRun
          ? script(log("A dry run publishes no student"), Progress.Finished({ outcome: "skipped", result: {} }))
          : Stream.unwrap(publish(context))
    }
  }
})

/** The executor with its usual settings. */
export const executor: Executor = make()
