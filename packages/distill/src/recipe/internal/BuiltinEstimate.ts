/**
 * Estimates a training of the builtin student, in seconds of one core, by counting its work: characters read once, and
 * features learnt in every epoch for every label. If the weights exceed the processor's caches, rare features wait for
 * memory. The counts come from `Census`, or from typical language without a census.
 */

import { DistillLimits } from "../../Limits.ts"
import { defaults, evaluatedRows, type Stage } from "../Recipe.ts"
import * as StudentWork from "../StudentWork.ts"
import type { DataSize } from "./DataSize.ts"

/** Measured on one core of a common server, over data of many shapes; see `npm run bench -- estimates`. */
const nanos = {
  /** Per character of a request and of its context: normalizing, splitting and hashing. */
  read: 95,
  readContext: 32,
  /** Per feature: sorting and weighting. */
  arrange: 40,
  /** Per feature and epoch, and the same for each label. */
  learn: 3,
  learnLabel: 4.5,
  /** Waiting for a feature's weights that are not at hand: for each label, up to so much. */
  farLabel: 8,
  farMost: 65,
  /** Per cache line outside of all caches. */
  deepLine: 60,
  /** Per weight of the written model file. */
  write: 20,
  /** An answer: per row, per character, per feature, per feature and label, and waiting for a feature. */
  answer: 4_000,
  answerCharacter: 90,
  answerFeature: 15,
  answerLabel: 1,
  answerFar: 180
}
/** A thread's beginning: its code is not warm, and its tables are made. */
const startupSeconds = 0.02
/** Without trials: a fifth of the rows, held back for validation, is only scored. */
const learntShare = 0.85
/** With trials of epochs and rates: two and a third trials over four fifths of the rows, then all rows once more. */
const trialWork = { share: 2.9, rowsMax: 20_000 }
/**
 * Smaller sets are trained again with another fifth held back, up to four times, until this many rows calibrate the
 * confidence.
 */
const heldBack = { share: 0.8, part: 0.2, foldsMax: 4, rows: 2_000 }
/** The rows in the sample of the novelty model, and its nanoseconds per row and per feature. */
const novelty = { rows: 1_500, rowNanos: 90_000, nanos: 200 }
/** Word vectors: seconds of their factorization, nanoseconds per character of the rows, and the features that they add. */
const vectors = { seconds: 0.4, nanos: 120, features: 64 }
/** A label's weight and its sum of squares, and a cache line. */
const bytesPerLabel = 8
const lineBytes = 64
/** What is at hand in a processor, and what its outer cache has for us. */
const nearBytes = 1e6
const outerBytes = 24e6

/** The learning curve: an eighth, a quarter and a half of the first part that is learnt from. */
const curveShare = heldBack.share * 0.875

/** The further parts that are held back. */
const foldsOf = ({ rows }: StudentWork.Work): number =>
  Math.min(heldBack.foldsMax, Math.ceil(heldBack.rows / Math.max(1, heldBack.part * rows)) - 1)

/** How often each row is learnt from in an epoch with word vectors. */
const densePassesOf = (work: StudentWork.Work): number =>
  work.rows > trialWork.rowsMax ? 0 : heldBack.share * (1 + foldsOf(work))

/** With few rows, all parts are held back once more with label names. */
const namedRowsPerLabelMax = 30

const namedPassesOf = (work: StudentWork.Work): number =>
  work.rows > namedRowsPerLabelMax * work.labels ? 0 : heldBack.share * (1 + foldsOf(work))

/** How often each row is learnt from in an epoch, over all that is tried. */
const passesOf = (work: StudentWork.Work): number =>
  work.rows > trialWork.rowsMax
    ? learntShare
    : trialWork.share + curveShare + heldBack.share * foldsOf(work) + densePassesOf(work) + namedPassesOf(work)

/** Nanoseconds per learning step of a feature. */
const learnNanos = (work: StudentWork.Work): number => {
  const { labels } = work
  const bytes = labels * bytesPerLabel
  const far = work.beyond(nearBytes / bytes) * Math.min(nanos.farLabel * labels, nanos.farMost)
  const deep = work.beyond(outerBytes / bytes) * nanos.deepLine * Math.ceil(bytes / lineBytes)
  return nanos.learn + nanos.learnLabel * labels + far + deep
}

const trainSeconds = (stage: Extract<Stage, { kind: "sft" }>, data: DataSize): number => {
  const { epochs, max_seq_len } = { ...defaults.sft, ...stage.config }
  const work = StudentWork.of(data, max_seq_len)
  const read = work.requestCharacters * nanos.read + work.contextCharacters * nanos.readContext
  const learn = work.features * nanos.arrange + work.learnt * epochs * passesOf(work) * learnNanos(work)
  const isEmbedded = stage.config.embeddings !== undefined
  const dimensions = isEmbedded ? DistillLimits.embeddedDimensionsAssumed : vectors.features
  const dense = dimensions * epochs * (1 + densePassesOf(work)) * (nanos.learn + nanos.learnLabel * work.labels)
  const words =
    isEmbedded || work.rows > trialWork.rowsMax
      ? 0
      : vectors.seconds * 1e9 + data.trainRows * work.requestCharacters * vectors.nanos
  const likeness = Math.min(novelty.rows, work.rows) * (novelty.rowNanos + work.features * novelty.nanos)
  return (
    (data.trainRows * read +
      work.rows * (learn + dense) +
      words +
      likeness +
      work.different * work.labels * nanos.write) /
    1e9
  )
}

const answerSeconds = (stage: Extract<Stage, { kind: "eval" }>, data: DataSize): number => {
  const work = StudentWork.of(data, defaults.sft.max_seq_len)
  const rows = evaluatedRows(stage.config, data.holdoutRows)
  const far = work.beyond(nearBytes / (work.labels * bytesPerLabel)) * nanos.answerFar
  const features = work.features * (nanos.answerFeature + nanos.answerLabel * work.labels + far)
  const read = work.requestCharacters * nanos.answerCharacter + work.contextCharacters * nanos.readContext
  return (rows * (nanos.answer + read + features)) / 1e9
}

const round = (value: number): number => Math.round(value * 100) / 100

/** `speed`: of this machine relative to the reference machine. */
export const estimate = (stages: ReadonlyArray<Stage>, data: DataSize, speed: number) => {
  const seconds = stages.reduce((sum, stage) => {
    if (stage.kind === "sft") return sum + trainSeconds(stage, data)
    return stage.kind === "eval" ? sum + answerSeconds(stage, data) : sum
  }, startupSeconds)
  const work = StudentWork.of(data, defaults.sft.max_seq_len)
  return {
    seconds: seconds / speed,
    assumptions: {
      startup_seconds: startupSeconds,
      machine_speed: speed,
      labels: work.labels,
      counted_rows: data.census?.rows ?? 0,
      learnt_rows: work.rows,
      request_characters_per_row: round(work.requestCharacters),
      context_characters_per_row: round(work.contextCharacters),
      features_per_row: round(work.features),
      learnt_features_per_row: round(work.learnt),
      different_features: Math.round(work.different),
      far_share: round(work.beyond(nearBytes / (work.labels * bytesPerLabel))),
      near_bytes: nearBytes,
      outer_bytes: outerBytes,
      learnt_share: work.rows > trialWork.rowsMax ? learntShare : trialWork.share,
      likeness_nanoseconds_per_row: novelty.rowNanos,
      likeness_nanoseconds_per_feature: novelty.nanos,
      word_vectors_seconds: vectors.seconds,
      word_vectors_nanoseconds_per_character: vectors.nanos,
      read_nanoseconds_per_character: nanos.read,
      read_nanoseconds_per_context_character: nanos.readContext,
      arrange_nanoseconds_per_feature: nanos.arrange,
      learn_nanoseconds_per_feature: nanos.learn,
      learn_nanoseconds_per_feature_and_label: nanos.learnLabel,
      far_nanoseconds_per_label: nanos.farLabel,
      far_nanoseconds_most: nanos.farMost,
      deep_nanoseconds_per_line: nanos.deepLine,
      write_nanoseconds_per_weight: nanos.write,
      answer_nanoseconds_per_row: nanos.answer,
      answer_nanoseconds_per_character: nanos.answerCharacter,
      answer_nanoseconds_per_feature: nanos.answerFeature,
      answer_nanoseconds_per_feature_and_label: nanos.answerLabel,
      answer_nanoseconds_per_far_feature: nanos.answerFar
    }
  }
}
