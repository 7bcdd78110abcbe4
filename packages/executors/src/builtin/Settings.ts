/** What decides how the builtin student learns, and every bound of it. The same settings and rows give the same weights. */
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import type { FeatureSettings } from "./internal/Features.ts"
import * as Reading from "./internal/Reading.ts"

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
  /** Share of each label's rows that is kept from training, to measure by and to calibrate with. */
  readonly validationFraction: number
  /** Rows of the validation part, about, however many there are. */
  readonly validationMax: number
  /** A closed set has no more labels; what is rarer than the first so many is outside of it. */
  readonly labelsMax: number
  /** Characters of a label; a longer completion is outside of the set. */
  readonly labelCharactersMax: number
  /** Above this share of rows outside of the set, it is not closed, and training is refused. */
  readonly outsideMax: number
  /** Rows, and features of all rows together, that are held in memory; above it, an even sample of the rows is. */
  readonly rowsMax: number
  readonly featuresMax: number
  /** Weights of a model: features times labels. Of more features, the most frequent are learnt. */
  readonly weightsMax: number
  /** Whether other epochs and rates are tried before; see `Course`. */
  readonly tries: boolean
  /** What the rows say alike; see `Reading`. */
  readonly template: Reading.Template
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
  // 8 bytes each, twice, as counted and as weighted: half a gigabyte at most, at about 80,000 rows of 200 characters.
  featuresMax: 2 ** 25,
  // 8 bytes each while they are learnt, 4 in the model's file: 33,554 features at 1,000 labels.
  weightsMax: 2 ** 25,
  tries: false,
  template: Reading.nothing
}
