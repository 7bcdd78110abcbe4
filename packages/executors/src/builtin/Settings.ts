/** The settings and bounds of the builtin student's training. The same settings and rows give the same weights. */
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import type { FeatureSettings } from "./internal/Features.ts"
import * as Reading from "./internal/Reading.ts"
import type { LearntQuestion } from "./internal/Targets.ts"
import type { TableReference } from "./tables/Tables.ts"

/** A model of a source that embeds texts. */
export interface EmbeddingReference {
  /** The id of the source. */
  readonly source: string
  readonly model: string
}

export interface Settings extends FeatureSettings {
  readonly seed: number
  /** Passes over the training part. */
  readonly epochs: number
  /** In (0, 1]; falls linearly to a tenth of itself at the end of the last epoch. */
  readonly learningRate: number
  /** Decoupled weight decay: within an epoch weights shrink by about this times the step size, however many rows there are. */
  readonly decay: number
  /** Stop after so many epochs in which the loss on the validation part did not fall; null: never before the last. */
  readonly patience: number | null
  /** The share of each label's rows that is held back from training, for validation and calibration. */
  readonly validationFraction: number
  /** The approximate maximum of rows in the validation part. */
  readonly validationMax: number
  /** The maximum of labels in a closed set. Rarer labels are outside of the set. */
  readonly labelsMax: number
  /** The maximum of characters in a label; longer completions are outside of the set. */
  readonly labelCharactersMax: number
  /** With a greater share of rows outside, the set is not closed, and training is refused. */
  readonly outsideMax: number
  /**
   * The maximum of rows in memory. `featuresMax` bounds the features of all rows together. Above either, the set is an
   * even sample.
   */
  readonly rowsMax: number
  readonly featuresMax: number
  /**
   * The maximum of weights (features times labels) of a model. Above it, the model learns the most frequent features.
   */
  readonly weightsMax: number
  /** Whether the training first tries other epoch counts and rates; see `Course`. */
  readonly tries: boolean
  /** Whether the training may add word vectors of its own, learnt from all texts; see `WordVectors`. Absent: no. */
  readonly wordVectors?: boolean
  /** The static embeddings that the training may add, instead of word vectors of its own. Absent: none. */
  readonly table?: TableReference
  /** Whether the training may begin with label names as weights; see `LabelNames`. Absent: no. */
  readonly names?: boolean
  /** The model of a source that embeds each row's text, by the id of the source; features instead of word vectors. Absent: none. */
  readonly embeddings?: EmbeddingReference
  /** Whether the training only looks for suspects: it holds back every part in turn, and makes no model. Absent: false. */
  readonly isExamination?: boolean
  /** The text that all rows share; see `Reading`. */
  readonly template: Reading.Template
  /** The ids of the prompts that the student learns; see `Templates`. Absent: prompts are not told apart. */
  readonly templates?: ReadonlyArray<string>
  /** Tool sets in training rows; see `OfferedTools`. Absent without tools. */
  readonly tools?: ReadonlyArray<string>
  /** `closed_only`: the training reads the closed fields of answers; see `ClosedFields`. Absent: whole answers. */
  readonly fields?: "closed_only"
  /** The questions of decisions, one head each; absent for labels. */
  readonly questions?: ReadonlyArray<LearntQuestion>
}

export const defaults: Settings = {
  bits: 18,
  // 4,096 tokens of about four characters.
  charactersMax: 16_384,
  seed: 0,
  epochs: 10,
  learningRate: 0.0002,
  decay: 1,
  patience: null,
  validationFraction: 0.2,
  validationMax: 5_000,
  ...LabelRules.bounds,
  rowsMax: 100_000,
  // 8 bytes each, stored twice (counted and weighted): half a gigabyte at most, for about 80,000 rows of 200
  // characters.
  featuresMax: 2 ** 25,
  // 8 bytes each during the training and 4 in the file: 33,554 features at 1,000 labels.
  weightsMax: 2 ** 25,
  tries: false,
  template: Reading.nothing
}
