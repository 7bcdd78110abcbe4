/**
 * Students of intents from few rows, by the features that a training may add to n-grams. A draw takes some rows of each label; the
 * threshold comes from rows outside of it, and all figures from the test rows.
 */
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import * as EmbeddingTables from "@limbeck/executors/builtin/EmbeddingTables"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Settings from "@limbeck/executors/builtin/Settings"
import * as TrainingThread from "@limbeck/executors/builtin/TrainingThread"
import * as Tables from "@limbeck/executors/builtin/tables/Tables"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DecisionSet, LabelledText } from "./DecisionSets.ts"
import type { Text } from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"

/**
 * What a training may use beside n-grams: nothing, the names of labels, word vectors learnt from the set's own texts, both, or a static
 * table.
 */
export type Features = "n-grams" | "label names" | "own words" | "words and names" | "static table"

export interface Draw {
  readonly texts: ReadonlyArray<Text>
  /** All texts of the set's train part, without labels. */
  readonly unlabelled: ReadonlyArray<string>
}

/** Rows outside of the draw that choose the threshold: enough for a report's recommendation. */
const holdoutMax = 1_000
/** Of a draw with all rows: the share that becomes the holdout. */
const holdoutShare = 0.1

const shuffled = <A>(values: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const next = SeededRandom.make(seed)
  return values
    .map((value) => ({ value, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

const textOf =
  (split: Text["split"]) =>
  ({ label, text }: LabelledText): Text => ({ split, text, gold: label, teacher: label })

/** `rowsEach`: of each label; null: all but the holdout. */
export const drawOf = (set: DecisionSet, rowsEach: number | null, seed: number): Draw => {
  const groups = set.labels.map((_, at) => shuffled([...set.teacher[at]!, ...set.student[at]!], seed + at))
  const countOf = (rows: number) => rowsEach ?? Math.ceil(rows * (1 - holdoutShare))
  const train = groups.flatMap((group) => group.slice(0, countOf(group.length)))
  const rest = groups.flatMap((group) => group.slice(countOf(group.length)))
  return {
    texts: [
      ...train.map(textOf("train")),
      ...shuffled(rest, seed).slice(0, holdoutMax).map(textOf("holdout")),
      ...set.test.map(textOf("test"))
    ],
    unlabelled: groups.flat().map(({ text }) => text)
  }
}

const turnsOf = (text: string) => [{ role: "user", text }]

/** The static embeddings in BENCH_TABLE, a folder in the form of model2vec; null: none is given. */
export const tables = (folder: string | undefined): Tables.Tables | null => {
  const at = folder?.lastIndexOf("/") ?? -1
  return folder === undefined ? null : EmbeddingTables.make(folder.slice(0, at), folder.slice(at + 1))
}

const settingsOf = (features: Features, seed: number, from: Tables.Tables | null) => {
  const settings = { ...Settings.defaults, epochs: StudentTrial.epochs, seed, tries: true }
  if (features === "n-grams") return { settings }
  if (features === "label names") return { settings: { ...settings, names: true } }
  if (features === "own words") return { settings: { ...settings, wordVectors: true } }
  if (features === "words and names") return { settings: { ...settings, names: true, wordVectors: true } }
  const chosen = from?.trainingTable() ?? null
  if (chosen === null) throw new Error("no static table is given")
  if (chosen instanceof Tables.TableUnreadable) throw new Error(chosen.reason)
  const { name, sha256 } = chosen.table
  return { settings: { ...settings, table: { name, sha256 } }, tableFolder: chosen.folder }
}

const trained = async ({ texts, unlabelled }: Draw, features: Features, seed: number, from: Tables.Tables | null) => {
  const train = texts.filter(({ split }) => split === "train")
  const messages = await Effect.runPromise(
    Stream.runCollect(
      TrainingThread.train({
        plan: {
          ...settingsOf(features, seed, from),
          checkpoint: null,
          spentSeconds: 0,
          quantumSeconds: Number.MAX_SAFE_INTEGER,
          checkpointSeconds: Number.MAX_SAFE_INTEGER
        },
        examples: Stream.fromIterable(
          train.map(({ teacher, text }, position) => ({ turns: turnsOf(text), label: teacher, position }))
        ),
        unlabelled: Stream.fromIterable(unlabelled.map(turnsOf)),
        grant: () => Effect.succeed(true)
      })
    )
  )
  const last = messages.at(-1)
  if (last?.type !== "ended" || last.ending.type !== "finished") throw new Error("the training has no result")
  const model = Model.load(last.ending.model, from ?? Tables.none)
  if ("reason" in model) throw new Error(model.reason)
  return { model, modelBytes: last.ending.model.length, seconds: last.seconds }
}

export interface IntentTrial extends StudentTrial.Trial {
  /** Of one answer. */
  readonly millis: number
}

export const of = async (
  draw: Draw,
  features: Features,
  seed: number,
  from: Tables.Tables | null
): Promise<IntentTrial> => {
  const { model, ...costs } = await trained(draw, features, seed, from)
  const asked = draw.texts.filter(({ split }) => split !== "train")
  const began = performance.now()
  const predictions = asked.map(({ text }) => model.predict(turnsOf(text)))
  const millis = (performance.now() - began) / asked.length
  const answers = asked.map(({ gold, split, teacher }, at) => {
    const { confidence, isNew, text: student } = predictions[at]!
    return { split, student, teacher, agrees: student === teacher, confidence, gold, isNew }
  })
  return { ...StudentTrial.summarize({ answers, ...costs }), millis }
}
