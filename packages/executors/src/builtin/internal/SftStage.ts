/** Trains the builtin student in its own thread and pays for it as it proceeds. */
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import {
  budgetExceeded,
  overBudget,
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageFailure
} from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Model from "../Model.ts"
import { exampleOf, isRead, turnsOf } from "../RowReading.ts"
import * as Settings from "../Settings.ts"
import type * as Stopwatch from "../Stopwatch.ts"
import * as TrainingThread from "../TrainingThread.ts"
import { type EmbeddingTable, type Tables, TableUnreadable } from "../tables/Tables.ts"
import * as EmbeddedStage from "./embedding/EmbeddedStage.ts"
import * as OfferedTools from "./OfferedTools.ts"
import * as Questions from "./Questions.ts"
import * as Reading from "./Reading.ts"
import type { SessionEnd } from "./Session.ts"
import { fail, fetch, log, quantumSeconds, script, usageOf } from "./StageParts.ts"
import type { LearntQuestion } from "./Targets.ts"
import * as Templates from "./Templates.ts"
import type { Turn } from "./Text.ts"

/** An interrupted training loses at most this much work. A checkpoint may have megabytes. */
const checkpointSeconds = 2
/** The approximate characters of a token, to apply `max_seq_len` to a student that reads characters. */
const charactersPerToken = 4

/** Longer requests than this are cut, whatever the recipe allows: a prediction must stay a matter of milliseconds. */
const charactersMost = 65_536

const Checkpoint = Schema.Struct({ sha256: Schema.String })
const decodeCheckpoint = Schema.decodeUnknownOption(Checkpoint)
const decodeSft = Schema.decodeUnknownOption(Recipe.SftConfig)

/** The source of dense features; with all members undefined, the training learns word vectors. */
interface DenseSource {
  readonly table?: EmbeddingTable | undefined
  readonly embeddings?: Settings.EmbeddingReference | undefined
}

const denseSettings = ({ embeddings, table }: DenseSource): Partial<Settings.Settings> => {
  if (embeddings !== undefined) return { embeddings }
  return table === undefined ? { wordVectors: true } : { table: { name: table.name, sha256: table.sha256 } }
}

const settingsOf = (
  { stage, version }: StageContext,
  { template, tools }: Common,
  questions: ReadonlyArray<LearntQuestion>,
  source: DenseSource
): Settings.Settings => {
  const templates = Templates.learntOf(version.templates ?? [])
  const { epochs, fields, learning_rate, max_seq_len } = {
    fields: "whole",
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
    names: true,
    ...(fields === "closed_only" ? { fields } : {}),
    ...denseSettings(source),
    template,
    ...(tools.length === 0 ? {} : { tools }),
    ...(templates.length === 0 ? {} : { templates }),
    rowsMax: DistillLimits.builtinRowsMax,
    featuresMax: DistillLimits.builtinFeaturesMax,
    ...(questions.length === 0 ? {} : { questions })
  }
}

const keep = ({ blobs }: StageContext, bytes: Uint8Array) => blobs.put(Stream.succeed(bytes))

type TrainingResult = Extract<SessionEnd, { readonly type: "finished" }>

const finished = (sha256: string, { about, cut, examples, learningCurve, model }: TrainingResult): ProgressType =>
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
      ...(about.free === undefined ? {} : { free: about.free }),
      pace: { ...about.pace },
      temperature: about.temperature,
      validation: about.quality === null ? null : { ...about.quality },
      ...(learningCurve === null ? {} : { learning_curve: learningCurve }),
      ...(about.unlike === undefined ? {} : { unlike: about.unlike })
    }
  })

const endingOf = (context: StageContext, ending: SessionEnd): Stream.Stream<ProgressType, StageFailure> => {
  switch (ending.type) {
    case "finished":
      return Stream.unwrap(
        Effect.map(keep(context, ending.model), ({ sha256 }) =>
          script(
            log(`Trained on ${ending.examples} examples; the model has ${ending.model.length} bytes`),
            ...(ending.examination === null ? [] : [Progress.Examined({ examination: ending.examination })]),
            finished(sha256, ending)
          )
        )
      )
    case "examined":
      return Stream.die("a training ended as an examination")
    case "refused":
      return Stream.fail(fail(ending.code, ending.message))
    case "unpaid":
      return Stream.fail(overBudget)
    case "canceled":
      return Stream.fail(fail("canceled", "The training was told to stop", true))
  }
}

/** Translates the thread's messages into the run's progress. */
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

/** Without budget for more, the training ends with a checkpoint, so that a retry with a larger budget resumes it. */
const grant = (context: StageContext, upTo: number): Effect.Effect<boolean, StageFailure> =>
  context.meter.reserve(usageOf(upTo)).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ code }) => code === budgetExceeded,
      () => Effect.succeed(false)
    )
  )

/** Common parts of all rows: shared text and tool sets. */
interface Common {
  readonly template: Reading.Template
  readonly tools: ReadonlyArray<string>
}

/** Uses the first rows: digest order makes the first rows a random sample. */
const commonOf = ({ rows }: StageContext): Effect.Effect<Common, StageFailure> =>
  Effect.suspend(() => {
    let characters = 0
    return rows("train").pipe(
      Stream.filter(({ row }) => isRead(row)),
      Stream.take(Reading.sample.rows),
      Stream.map(({ row }) => ({ turns: exampleOf(row).turns, tools: row.tools })),
      Stream.takeWhile(({ turns }) => {
        characters += turns.reduce((sum, { text }) => sum + text.length, 0)
        return characters <= Reading.sample.characters
      }),
      Stream.runCollect,
      Effect.map((sample) => ({
        template: Reading.find(sample.map(({ turns }) => turns)),
        tools: OfferedTools.learntOf(sample)
      }))
    )
  })

/** The model that the stage names for embeddings; undefined: none. */
const embeddingModelOf = ({ stage }: StageContext): Recipe.EmbeddingModel | undefined =>
  Option.getOrUndefined(decodeSft(stage.config))?.embeddings

/** The questions within the model's bound of options, and the other ones. */
const questionsOf = ({ version }: StageContext) => {
  const { learnt, left } = Questions.selectQuestions(version.questions ?? [], DistillLimits.decisionColumnsMax)
  return { learnt: learnt.map(({ kind, name, options, question }) => ({ question, name, kind, options })), left }
}

/** Log lines for unlearnt questions and rows. */
const leftOutOf = (context: StageContext) => {
  const media = context.version.profile?.media ?? 0
  return [
    ...questionsOf(context).left.map(({ name, question }) =>
      log(`The question ${name ?? question} is not learnt: the model has no room for its options`, "warn")
    ),
    ...(media === 0
      ? []
      : [log(`${media} rows of the version have an image, audio or a file: they are left out`, "warn")])
  ]
}

/** The rows that are learnt from, each with its position in the version. */
const readRows = ({ rows }: StageContext) =>
  rows("train").pipe(
    Stream.zipWithIndex,
    Stream.filter(([{ row }]) => isRead(row))
  )

interface TrainingInput {
  readonly settings: Settings.Settings
  /** Of the static embeddings. */
  readonly tableFolder?: string
  /** Of a row, by a source. */
  readonly embeddingOf?: (turns: ReadonlyArray<Turn>) => Float32Array
  /** The rows that have an embedding; absent: all. */
  readonly rowsMax?: number
}

const train = (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  { embeddingOf, rowsMax = Number.POSITIVE_INFINITY, settings, tableFolder }: TrainingInput
): Stream.Stream<ProgressType, StageFailure> => {
  const kept = decodeCheckpoint(context.stage.checkpoint?.state)
  const checkpoint = Option.isSome(kept) ? fetch(context, kept.value.sha256) : Effect.succeed(null)
  const targetsOf = Questions.targetsOf(settings.questions ?? [])
  const training = Effect.map(checkpoint, (checkpoint) =>
    TrainingThread.train({
      plan: {
        settings,
        ...(tableFolder === undefined ? {} : { tableFolder }),
        checkpoint,
        spentSeconds: context.meter.start.gpuSeconds,
        quantumSeconds,
        checkpointSeconds
      },
      stopwatch,
      examples: readRows(context).pipe(
        Stream.take(rowsMax),
        Stream.map(([{ row }, position]) => {
          const example = { ...exampleOf(row), position, targets: targetsOf(row.decisions ?? []) }
          return embeddingOf === undefined ? example : { ...example, embedding: embeddingOf(example.turns) }
        })
      ),
      // Embeddings know words already.
      ...(settings.wordVectors === true ? { unlabelled: Stream.map(context.unlabelled, turnsOf) } : {}),
      grant: (upTo) => grant(context, upTo)
    })
  )
  return Stream.unwrap(training).pipe(
    Stream.mapError((error) => (error._tag === "ThreadLost" ? fail("thread_lost", error.message, true) : error)),
    Stream.flatMap((said) => relay(context, said))
  )
}

/** Embeds the rows' texts, then learns from them. */
const trainEmbedded = (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  common: Common,
  model: Recipe.EmbeddingModel
): Stream.Stream<ProgressType, StageFailure> => {
  const settingsWith = (embeddings: Settings.EmbeddingReference) =>
    settingsOf(context, common, questionsOf(context).learnt, { embeddings })
  const textOf = Templates.embedding(settingsWith({ source: model.source, model: model.model }))
  return EmbeddedStage.run(context, {
    model,
    texts: readRows(context).pipe(
      Stream.take(DistillLimits.embeddedRowsMax),
      Stream.map(([{ row }]) => textOf(exampleOf(row).turns))
    ),
    aloneTexts: 0,
    next: ({ context: seen, of, reference, texts }) =>
      train(seen, stopwatch, {
        settings: settingsWith(reference),
        embeddingOf: (turns) => of(textOf(turns)),
        rowsMax: Math.min(DistillLimits.embeddedRowsMax, texts)
      })
  })
}

const trainPlain = (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  common: Common,
  tables: Tables
): Stream.Stream<ProgressType, StageFailure> => {
  const chosen = tables.trainingTable()
  if (chosen instanceof TableUnreadable) return Stream.fail(fail("embeddings_unreadable", chosen.reason))
  return train(context, stopwatch, {
    settings: settingsOf(context, common, questionsOf(context).learnt, { table: chosen?.table }),
    ...(chosen === null ? {} : { tableFolder: chosen.folder })
  })
}

export const sft = (
  context: StageContext,
  stopwatch: Stopwatch.Stopwatch,
  tables: Tables
): Stream.Stream<ProgressType, StageFailure> => {
  const model = embeddingModelOf(context)
  const trained = Effect.map(commonOf(context), (common) =>
    model === undefined
      ? trainPlain(context, stopwatch, common, tables)
      : trainEmbedded(context, stopwatch, common, model)
  )
  return Stream.concat(script(...leftOutOf(context)), Stream.unwrap(trained))
}
