/**
 * A training from the view of its thread: receives rows, learns in small steps, reserves seconds before it spends them,
 * reports progress, and stops at the next step after a cancel. Uses no thread API, so tests run it in any process.
 */

import type { MeasuredPoint } from "@limbeck/distill/report/LearningCurve"
import type { Examination } from "@limbeck/distill/suspects/Examination"
import * as Model from "../Model.ts"
import type { Settings } from "../Settings.ts"
import type { EmbeddingTable } from "../tables/Tables.ts"
import * as CalibrationFit from "./CalibrationFit.ts"
import * as Checkpoint from "./Checkpoint.ts"
import { Unreadable } from "./Container.ts"
import * as Course from "./Course.ts"
import * as Examples from "./Examples.ts"
import * as LearningCurve from "./LearningCurve.ts"
import * as Meter from "./Meter.ts"
import * as Novelty from "./Novelty.ts"
import * as LabelNames from "./names/LabelNames.ts"
import * as TrainingSet from "./TrainingSet.ts"
import type * as Dense from "./vectors/Dense.ts"
import * as DenseFeatures from "./vectors/DenseFeatures.ts"
import * as WordVectors from "./vectors/WordVectors.ts"
import * as WeightTrainer from "./WeightTrainer.ts"

export interface Plan {
  readonly settings: Settings
  /** The checkpoint of an earlier attempt, and the seconds of all attempts up to it. */
  readonly checkpoint: Uint8Array | null
  /** The folder of the settings' static embeddings on this machine. */
  readonly tableFolder?: string
  readonly spentSeconds: number
  /** The seconds of one reservation. */
  readonly quantumSeconds: number
  /** The seconds between two checkpoints. */
  readonly checkpointSeconds: number
}

export type ToSession =
  | { readonly type: "examples"; readonly examples: ReadonlyArray<Examples.Example> }
  /** Requests without a label, for word vectors. */
  | { readonly type: "texts"; readonly texts: ReadonlyArray<string> }
  /** All rows have been sent. */
  | { readonly type: "train" }
  /** The answer to `ask`. */
  | { readonly type: "answer"; readonly isGranted: boolean }
  | { readonly type: "cancel" }

export type SessionEnd =
  | {
      readonly type: "finished"
      readonly model: Uint8Array<ArrayBuffer>
      readonly about: Model.About
      readonly examples: number
      /** Requests with an unread middle. */
      readonly cut: number
      /** Null where no row was held back in a trial, and for decisions. */
      readonly examination: Examination | null
      /** By ascending share; null where no row was held back in a trial, for decisions, and beyond the budget. */
      readonly learningCurve: ReadonlyArray<MeasuredPoint> | null
    }
  /** The end of an examination. */
  | { readonly type: "examined"; readonly examination: Examination | null }
  | { readonly type: "canceled" }
  | { readonly type: "unpaid" }
  | { readonly type: "refused"; readonly code: string; readonly message: string }

export type FromSession =
  /** The session has read the last `examples` or `texts` and can take more. */
  | { readonly type: "taken" }
  | { readonly type: "log"; readonly level: "info" | "warn"; readonly message: string }
  | {
      readonly type: "metric"
      readonly name: string
      readonly unit: string
      readonly step: number
      readonly value: number
    }
  /**
   * Requests permission to spend up to this many seconds, counted from the beginning of the first attempt, before
   * spending them.
   */
  | { readonly type: "ask"; readonly upTo: number }
  /** A checkpoint with the seconds spent so far, counted from the beginning of the first attempt. */
  | { readonly type: "checkpoint"; readonly bytes: Uint8Array<ArrayBuffer>; readonly seconds: number }
  | { readonly type: "ended"; readonly ending: SessionEnd; readonly seconds: number }

/** The services that a session needs from its thread. */
export interface Host {
  readonly say: (message: FromSession) => void
  /** Yields, so that messages arrive. */
  readonly breathe: () => Promise<void>
  /** A clock that advances with work. */
  readonly seconds: () => number
  /** The static embeddings of the settings. */
  readonly table?: EmbeddingTable
}

/** Rows per step. A cancel takes effect after a step: a few milliseconds. */
const rowsPerStep = 16

const log = (say: Host["say"], level: "info" | "warn", message: string) => say({ type: "log", level, message })

const resumed = ({ say }: Host, plan: Plan, set: TrainingSet.TrainingSet): WeightTrainer.State => {
  if (plan.checkpoint === null) return WeightTrainer.start(set)
  const state = Checkpoint.decode(set, plan.checkpoint)
  if (state instanceof Unreadable) {
    log(say, "warn", `The checkpoint cannot be used, for ${state.reason}: training begins from the start`)
    return WeightTrainer.start(set)
  }
  log(say, "info", `Resumes at epoch ${state.epoch + 1}, row ${state.position}`)
  return state
}

const describe = ({ say }: Host, { counts, fields, labels, places, training, validation }: TrainingSet.TrainingSet) => {
  const of = fields === null ? "" : ` of ${fields.heads.length} fields`
  log(
    say,
    "info",
    `Learns ${labels.length} labels${of} from ${training.length} rows with ${places.length} features; ` +
      `${validation.length} rows are kept for validation`
  )
  const { cut, offered, outside, unsampled, variants } = counts
  if (variants > 0)
    log(say, "info", `${variants} other writings of labels, in case, spaces or end punctuation, are read as them`)
  if (outside > 0) log(say, "warn", `${outside} rows are left out: their completions are outside of the labels`)
  if (cut > 0) log(say, "warn", `${cut} requests are too long: what is in their middle is not read`)
  if (unsampled > 0) log(say, "warn", `${unsampled} of ${offered} rows are left out: the others are a sample of them`)
}

const denseName = ({ standard, vectors }: Dense.DenseFeatures): string => {
  if (vectors !== null) return "Word vectors"
  return standard === undefined ? "Static embeddings" : "Embeddings of the source"
}

const report = ({ say }: Host, trial: number, metrics: WeightTrainer.EpochMetrics) => {
  const metric = (name: string, unit: string, value: number | null) => {
    if (value !== null) say({ type: "metric", name, unit, step: metrics.epoch, value })
  }
  metric("train_loss", "nats", metrics.trainLoss)
  metric("train_accuracy", "share", metrics.trainAccuracy)
  metric("validation_loss", "nats", metrics.validationLoss)
  metric("validation_accuracy", "share", metrics.validationAccuracy)
  metric("learning_rate", "rate", metrics.learningRate)
  metric("trial", "trial", trial)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps of one session over its meter and its end
export const make = (plan: Plan, host: Host): { readonly receive: (message: ToSession) => void } => {
  const { breathe, say, seconds } = host
  const { settings } = plan
  const collector = Examples.collector(settings, host.table)
  let isCanceled = false
  let isEnded = false
  let answered: (isGranted: boolean) => void = () => {}
  let work = Promise.resolve()

  /** Waits for the answer; a cancel answers too. */
  const ask = (upTo: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    answered = resolve
    say({ type: "ask", upTo })
    return promise
  }
  const meter = Meter.make({ start: plan.spentSeconds, quantum: plan.quantumSeconds, seconds, ask })
  const isPaid = async (ahead?: number): Promise<boolean> => !isCanceled && (await meter.pay(ahead)) && !isCanceled

  const end = (ending: SessionEnd) => {
    isEnded = true
    say({ type: "ended", ending, seconds: meter.spentSeconds() })
  }
  const stopped = (): SessionEnd => ({ type: isCanceled ? "canceled" : "unpaid" })

  /** Examples learnt from before the present trial. */
  let learnt = 0
  /** Progress and seconds at the last checkpoint: trials may be shorter than the time between two. */
  let kept = { trials: 0, examples: 0, seconds: 0 }

  /** Learns to the end; undefined: it is there. */
  const learn = async (
    set: TrainingSet.TrainingSet,
    trainer: WeightTrainer.WeightTrainer
  ): Promise<SessionEnd | undefined> => {
    const examples = () => Checkpoint.examplesOf(set, trainer.state)
    const trials = trainer.state.outcomes.length
    const keep = () => {
      if (trials === kept.trials && examples() === kept.examples) return
      const bytes = meter.step(() => Checkpoint.encode(set, trainer.state))
      kept = { trials, examples: examples(), seconds: meter.spentSeconds() }
      say({ type: "checkpoint", bytes, seconds: kept.seconds })
    }
    const epochs = trainer.state.outcomes.reduce((sum, { pace }) => sum + pace.epochs, 0)
    while (!trainer.isDone()) {
      if (!(await isPaid())) {
        // Keeps the progress for the next attempt.
        keep()
        return stopped()
      }
      const { metrics } = meter.step(() => trainer.advance(rowsPerStep))
      if (metrics !== null) report(host, trials + 1, { ...metrics, epoch: epochs + metrics.epoch })
      if (meter.spentSeconds() - kept.seconds >= plan.checkpointSeconds) keep()
      await breathe()
    }
    learnt += examples()
    return undefined
  }

  /**
   * The learning curve at the pace and the heads of the student. The last step, so an exhausted budget costs only the curve. A
   * resumed attempt repeats the measurement, with the same result.
   */
  const measureCurve = async (
    set: TrainingSet.TrainingSet,
    outcomes: ReadonlyArray<Course.Outcome>
  ): Promise<ReadonlyArray<MeasuredPoint> | null> => {
    const whole = Course.firstOf(outcomes)
    if (whole === undefined) return null
    const part = Course.partOf(set, settings, whole)
    if (!LearningCurve.isMeasurable(part)) return null
    const points: Array<MeasuredPoint> = []
    for (const step of LearningCurve.steps) {
      const few = LearningCurve.partOf(part, step)
      const trainer = WeightTrainer.make(few, { ...settings, ...whole.pace }, WeightTrainer.start(set))
      while (!trainer.isDone()) {
        if (!(await isPaid())) return null
        meter.step(() => trainer.advance(rowsPerStep))
        await breathe()
      }
      if (!(await isPaid())) return null
      const judge = () => trainer.validate().map((row) => CalibrationFit.judge(row, whole.temperature))
      points.push(LearningCurve.pointOf(few, step, meter.step(judge)))
    }
    return [...points, LearningCurve.pointOf(part, 1, whole.judged)]
  }

  /** Runs the trials, then the final training at the best pace. */
  const walk = async (set: TrainingSet.TrainingSet): Promise<SessionEnd> => {
    let state = resumed(host, plan, set)
    kept = { trials: state.outcomes.length, examples: Checkpoint.examplesOf(set, state), seconds: meter.spentSeconds() }
    const next = () => Course.nextOf(set, settings, state.outcomes)
    for (let step = next(); step !== undefined; step = next()) {
      const { pace } = step
      const part = Course.partOf(set, settings, step)
      const trainer = WeightTrainer.make(part, { ...settings, ...pace }, state)
      const broken = await learn(part, trainer)
      if (broken !== undefined) return broken
      const held = { parts: Course.foldsOf(set, settings), validation: part.validation }
      const outcome = meter.step(() => Course.outcomeOf(step, trainer.validate(), set, held))
      state = WeightTrainer.start(set, [...state.outcomes, outcome])
    }
    const best = Course.bestOf(state.outcomes)
    if (best !== undefined) {
      const { epochs, learningRate } = best.pace
      const trials = Course.trialsIn(state.outcomes).length
      log(say, "info", `Of ${trials} paces, ${epochs} epochs at a learning rate of ${learningRate} did best`)
    }
    const heads = Course.headsOf(state.outcomes)
    const isNamed = Course.takesNames(state.outcomes)
    if (set.names !== undefined) log(say, "info", `Label names are ${isNamed ? "" : "not "}used as first weights`)
    if (set.dense !== undefined) {
      const used = heads?.filter((isUsed) => isUsed).length ?? 0
      log(say, "info", `${denseName(set.dense)} are used by ${used} of ${set.dense.heads.length} answers`)
    }
    const part = Course.partOf(set, settings, { fold: 0, heads, isNamed })
    const whole = best === undefined ? part : Course.wholeOf(part)
    const { outcomes } = state
    const examine = () =>
      outcomes.length === 0 || set.free !== undefined ? null : meter.step(() => Course.examinationOf(set, outcomes))
    if (settings.isExamination) return { type: "examined", examination: examine() }
    const trainer = WeightTrainer.make(whole, { ...settings, ...best?.pace }, state)
    const broken = await learn(whole, trainer)
    if (broken !== undefined) return broken
    if (!(await isPaid())) return stopped()
    const novelty = meter.step(() => (settings.tries ? Novelty.train(set.examples, settings) : null))
    const { about, bytes } = meter.step(() => Model.encode(whole, settings, trainer, novelty))
    const examination = examine()
    const learningCurve = settings.tries ? await measureCurve(set, outcomes) : null
    if (isCanceled) return stopped()
    const { cut } = set.counts
    return { type: "finished", model: bytes, about, examples: learnt, cut, examination, learningCurve }
  }

  const take = async (read: () => void): Promise<void> => {
    if (isEnded) return
    if (!(await isPaid())) return end(stopped())
    meter.step(read)
    say({ type: "taken" })
  }

  /** Adds the names of the labels, where rows are few. */
  const withNames = (set: TrainingSet.TrainingSet): TrainingSet.TrainingSet =>
    settings.names === true && LabelNames.isUseful(set) && Course.canChoose(set, settings)
      ? { ...set, names: LabelNames.of(LabelNames.textsOf(set.labels, settings.template), set, settings) }
      : set

  /** Adds the vectors of the rows' texts, if any can be learnt; undefined: the session has ended. */
  const withVectors = async (
    set: TrainingSet.TrainingSet,
    { corpus, embeddings }: Examples.Collection
  ): Promise<TrainingSet.TrainingSet | undefined> => {
    if (!Course.canChoose(set, settings)) return set
    const heads = TrainingSet.headsIn(set).length
    if (embeddings !== null) {
      const vectorsOf = settings.embeddings === undefined ? DenseFeatures.ofEmbeddings : DenseFeatures.ofSource
      return meter.step(() => DenseFeatures.add(set, vectorsOf(embeddings), heads))
    }
    if (corpus === null) return set
    const learning = WordVectors.learn(corpus, settings.seed)
    for (let step = meter.step(() => learning.next()); ; step = meter.step(() => learning.next())) {
      if (step.done === true) {
        const vectors = step.value
        if (vectors === null) return set
        log(say, "info", `Learnt vectors of ${vectors.words.length} words from ${corpus.ends.length} texts`)
        return meter.step(() => DenseFeatures.add(set, DenseFeatures.ofWords(corpus, vectors), heads))
      }
      if (!(await isPaid())) {
        end(stopped())
        return undefined
      }
      await breathe()
    }
  }

  const train = async (): Promise<void> => {
    if (isEnded) return
    // Building the set is one step, which takes less time than receiving the rows.
    if (!(await isPaid(meter.spentSeconds() - plan.spentSeconds))) return end(stopped())
    const collected = collector.close()
    const made = meter.step(() => {
      const set = TrainingSet.make(collected, settings)
      return TrainingSet.isRefusal(set) ? set : withNames(set)
    })
    if (TrainingSet.isRefusal(made)) return end({ type: "refused", ...made })
    describe(host, made)
    const set = await withVectors(made, collected)
    return set === undefined ? undefined : end(await walk(set))
  }

  /** Runs tasks in sequence. A defect becomes an unhandled rejection, which ends the thread. */
  const next = (task: () => Promise<void>): void => {
    work = work.then(task)
  }

  return {
    receive: (message) => {
      switch (message.type) {
        case "examples":
          return next(() => take(() => message.examples.forEach(collector.add)))
        case "texts":
          return next(() => take(() => message.texts.forEach(collector.addText)))
        case "train":
          return next(train)
        case "answer":
          return answered(message.isGranted)
        case "cancel":
          isCanceled = true
          return answered(false)
      }
    }
  }
}
