/** One student of a text set in one wrapping: trained, evaluated and asked by a run's own code. */
import type { DatasetVersion } from "@limbeck/distill/dataset/DatasetVersion"
import type { Row } from "@limbeck/distill/dataset/Row"
import { type AnsweredRows, make as adviceOf } from "@limbeck/distill/report/Advice"
import type { Executor, Progress } from "@limbeck/distill/run/Executor"
import type { Run } from "@limbeck/distill/run/Run"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Crypto from "@limbeck/node/Crypto"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Text, Wrapping } from "./StudentSet.ts"

const bins = 10
/** As proposals say. */
export const epochs = 10

/** Shares of the test rows. */
export interface Trial {
  /** Right by gold: the student, and the cascade at the threshold that the holdout recommends. */
  readonly right: number
  readonly cascadeRight: number
  /** Of the teacher's answers. */
  readonly agreement: number
  readonly cascadeAgreement: number
  /** Null: none is recommended, and the teacher answers all. */
  readonly threshold: number | null
  readonly answered: number
  readonly calibrationError: number
  /** Of a processor, for the training. */
  readonly seconds: number
  readonly modelBytes: number
}

/** A row with this label for its answer. For wrappings that list no labels. */
export const rowWith = (text: string, label: string, { answer, ask }: Wrapping): Row => ({
  messages: ask(text, []),
  completion: answer(label)
})

const rowOf = ({ teacher, text }: Text, labels: ReadonlyArray<string>, { answer, ask }: Wrapping): Row => ({
  messages: ask(text, labels),
  completion: answer(teacher)
})

/** Unused checkpoints would dominate the memory. */
class NewestOnly<K, V> extends Map<K, V> {
  override set(key: K, value: V): this {
    this.clear()
    return super.set(key, value)
  }
}

const executor: Executor = BuiltinExecutor.make()

const last = (said: ReadonlyArray<Progress>) => {
  const ended = said.at(-1)
  if (ended?._tag !== "Finished") throw new Error("the stage has no result")
  return ended.result
}

/** The student's file, and the charged processor seconds of its training. `fields`: of the version. */
export const train = Effect.fnUntraced(function* (train: ReadonlyArray<Row>, fields: Partial<DatasetVersion> = {}) {
  const version = Plans.version({ rows: train.length, trainRows: train.length, holdoutRows: 0, ...fields })
  const recipeAsSent = { student_model: Plans.builtin, stages: [{ kind: "sft", config: { epochs } }], rewards: [] }
  const run: Run = Plans.newRun(version, { recipeAsSent, dryRun: false }, { executor: executor.name })
  const kept = new NewestOnly<string, Uint8Array>()
  const stage = run.stages.find(({ kind }) => kind === "sft")
  if (stage === undefined) throw new Error("the run has no sft stage")
  const rows = { train: train.map((row, index) => ({ key: `${index}`, row })), holdout: [] }
  const { context } = yield* StageContexts.make({ run, stage, version, rows }, kept)
  const said = yield* Stream.runCollect(executor.execute(context))
  const seconds = said.findLast((one) => one._tag === "Spend")?.usage.gpuSeconds ?? 0
  // The executor's own result.
  const { artifact } = last(said) as { readonly artifact: { readonly sha256: string } }
  return { bytes: kept.get(artifact.sha256) ?? new Uint8Array(), seconds }
}, Effect.provide(Crypto.layer))

const errorOf = (answers: ReadonlyArray<AnsweredRows>): number => {
  const sums = new Float64Array(bins)
  for (const { agrees, confidence } of answers) {
    const bin = Math.min(bins - 1, Math.floor((confidence ?? 0) * bins))
    sums[bin] = sums[bin]! + (confidence ?? 0) - Number(agrees)
  }
  return sums.reduce((sum, one) => sum + Math.abs(one), 0) / answers.length
}

interface AnsweredText extends AnsweredRows {
  readonly split: Text["split"]
  readonly gold: string
  readonly confidence: number
  readonly isNew: boolean
}

/** Trains a student on these rows, and returns how it answers a text. */
export const studentOf = async (rows: ReadonlyArray<Row>, wrapping: Wrapping) => {
  const { bytes } = await Effect.runPromise(train(rows))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  return (text: string) => {
    const { confidence, isNew, text: student } = model.predict(exampleOf(rowWith(text, "", wrapping)).turns)
    return { student, confidence, isNew }
  }
}

/** Trains a student on the train rows, and asks it about all others. */
const asked = async (texts: ReadonlyArray<Text>, wrapping: Wrapping) => {
  const labels = [...new Set(texts.map(({ gold }) => gold))].sort()
  const { bytes, seconds } = await Effect.runPromise(
    train(texts.filter(({ split }) => split === "train").map((text) => rowOf(text, labels, wrapping)))
  )
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  const answers = texts.flatMap((text): ReadonlyArray<AnsweredText> => {
    if (text.split === "train") return []
    const { confidence, isNew, text: student } = model.predict(exampleOf(rowOf(text, labels, wrapping)).turns)
    const [teacher, gold] = [wrapping.answer(text.teacher), wrapping.answer(text.gold)]
    return [{ split: text.split, student, teacher, agrees: student === teacher, confidence, gold, isNew }]
  })
  return { answers, seconds, modelBytes: bytes.length }
}

/** The student's answers to the rows that it did not learn from. */
export const answersOf = async (texts: ReadonlyArray<Text>, wrapping: Wrapping) =>
  (await asked(texts, wrapping)).answers

/** Takes the threshold from the holdout rows, and all other figures from the test rows. */
export const summarize = ({ answers: all, modelBytes, seconds }: Awaited<ReturnType<typeof asked>>): Trial => {
  const answersTo = (name: Text["split"]) => all.filter(({ split }) => split === name)
  const { cascade } = adviceOf(answersTo("holdout"), { student: null, teacher: null }, 0)
  const threshold = cascade?.recommended_threshold ?? null
  const answers = answersTo("test")
  const share = (is: (answer: (typeof answers)[number]) => boolean) => answers.filter(is).length / answers.length
  const isAnswered = ({ confidence }: (typeof answers)[number]) => confidence >= (threshold ?? Number.POSITIVE_INFINITY)
  return {
    right: share(({ gold, student }) => student === gold),
    agreement: share(({ agrees }) => agrees),
    cascadeRight: share((one) => (isAnswered(one) ? one.student : one.teacher) === one.gold),
    cascadeAgreement: share((one) => !isAnswered(one) || one.agrees),
    threshold,
    answered: share(isAnswered),
    calibrationError: errorOf(answers),
    seconds,
    modelBytes
  }
}

export const of = async (texts: ReadonlyArray<Text>, wrapping: Wrapping): Promise<Trial> =>
  summarize(await asked(texts, wrapping))
