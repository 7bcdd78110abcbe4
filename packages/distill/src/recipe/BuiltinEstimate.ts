/**
 * What a training of the builtin student takes, in seconds of one core. Its work is counted: characters that are read once,
 * and features that are learnt from in every epoch, each for every label. How many features a text has is a law of language:
 * two for each of its characters as long as it is short, and fewer for each as its words come again.
 */
import { Limits } from "../Limits.ts"
import type { DataSize } from "./DataSize.ts"
import { defaults, type Stage } from "./Recipe.ts"

/** Measured on one core of a common server (2.1 GHz), over data of twelve shapes; see `npm run bench -- estimates`. */
const nanos = {
  /** Per character: normalized, split and hashed. */
  read: 90,
  /** Per feature: put in order, weighed. */
  arrange: 40,
  /** Per feature and epoch, and the same for each label. */
  learn: 3,
  learnLabel: 3.9,
  /** An answer: per row, per character, per feature, per feature and label. */
  answer: 8_000,
  answerCharacter: 60,
  answerFeature: 12,
  answerLabel: 0.6
}
/** Before the code is warm. */
const startupSeconds = 0.01
/** Of the rows, those that are not kept for validation. */
const learntShare = 0.9
/** Where nobody has counted them. */
const usualLabels = 8
const charactersPerToken = 4
/** Of a request: features of a character, and from where they grow slower than it does, by which power. */
const language = { features: 2, longCharacters: 400, power: 0.8 }
/** The context's words are features too; a system prompt that all rows share is none. */
const contextFeatures = 0.1

/** Different features of a set, by how many it has in all: words come again. No more than there are places. */
const different = { factor: 75, power: 0.46, most: 2 ** 18 }
/** Weights beyond these bytes are not at hand in a processor's caches: each doubling costs so much more. */
const nearby = { bytes: 8e6, bytesPerWeight: 8, share: 0.25 }

/** How much longer a weight takes in so large a model. */
const distance = (features: number, labels: number): number => {
  const weights = Math.min(different.most, different.factor * features ** different.power) * labels
  return 1 + nearby.share * Math.max(0, Math.log2((weights * nearby.bytesPerWeight) / nearby.bytes))
}

interface RowWork {
  readonly characters: number
  readonly features: number
}

const rowWork = ({ promptTokens, requestTokens = promptTokens }: DataSize, sequence: number): RowWork => {
  const request = Math.min(requestTokens, sequence) * charactersPerToken
  const context = Math.min(promptTokens - requestTokens, sequence) * charactersPerToken
  const short = Math.min(request, language.longCharacters)
  const features = language.features * short * Math.max(1, request / language.longCharacters) ** language.power
  return { characters: request + context, features: features + contextFeatures * context }
}

/** The student halves its sample of the rows until it is within bounds. */
const learntRows = (rows: number, { features }: RowWork): number => {
  const most = Math.min(Limits.builtinRowsMax, Limits.builtinFeaturesMax / Math.max(1, features))
  return rows <= most ? rows : rows / 2 ** Math.ceil(Math.log2(rows / most))
}

const learnSeconds = (stage: Extract<Stage, { kind: "sft" }>, data: DataSize, labels: number): number => {
  const { epochs, max_seq_len: sequence } = { ...defaults.sft, ...stage.config }
  const row = rowWork(data, sequence)
  const rows = learntRows(data.trainRows, row)
  const perFeature = (nanos.learn + nanos.learnLabel * labels) * distance(rows * row.features, labels)
  const learn = row.features * epochs * perFeature * learntShare
  return (data.trainRows * row.characters * nanos.read + rows * (row.features * nanos.arrange + learn)) / 1e9
}

const answerSeconds = (stage: Extract<Stage, { kind: "eval" }>, data: DataSize, labels: number): number => {
  const row = rowWork(data, defaults.sft.max_seq_len)
  const rows = Math.min(data.holdoutRows, stage.config.sample ?? defaults.eval.sample)
  const features = row.features * (nanos.answerFeature + nanos.answerLabel * labels)
  return (rows * (nanos.answer + row.characters * nanos.answerCharacter + features)) / 1e9
}

const round = (value: number): number => Math.round(value * 100) / 100

/** `speed`: of this machine against the one that was measured. */
export const estimate = (stages: ReadonlyArray<Stage>, data: DataSize, speed: number) => {
  const labels = data.labels ?? usualLabels
  const seconds = stages.reduce((sum, stage) => {
    if (stage.kind === "sft") return sum + learnSeconds(stage, data, labels)
    return stage.kind === "eval" ? sum + answerSeconds(stage, data, labels) : sum
  }, startupSeconds)
  return {
    seconds: seconds / speed,
    assumptions: {
      startup_seconds: startupSeconds,
      machine_speed: speed,
      labels,
      request_tokens_per_row: round(data.requestTokens ?? data.promptTokens),
      features_per_row: round(rowWork(data, defaults.sft.max_seq_len).features),
      read_nanoseconds_per_character: nanos.read,
      arrange_nanoseconds_per_feature: nanos.arrange,
      learnt_share: learntShare,
      learn_nanoseconds_per_feature: nanos.learn,
      learn_nanoseconds_per_feature_and_label: nanos.learnLabel,
      nearby_weight_bytes: nearby.bytes,
      distance_share_per_doubling: nearby.share,
      answer_nanoseconds_per_row: nanos.answer,
      answer_nanoseconds_per_character: nanos.answerCharacter,
      answer_nanoseconds_per_feature: nanos.answerFeature,
      answer_nanoseconds_per_feature_and_label: nanos.answerLabel
    }
  }
}
