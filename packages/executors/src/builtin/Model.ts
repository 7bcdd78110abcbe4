/** The trained student: a small file that answers a conversation with one of its labels and says how sure it is. */
import * as Calibration from "./internal/Calibration.ts"
import * as Container from "./internal/Container.ts"
import * as Features from "./internal/Features.ts"
import { greatest, score, softmax } from "./internal/Softmax.ts"
import type { Turn } from "./internal/Text.ts"
import * as Trainer from "./internal/Trainer.ts"
import { numbersOf, type TrainingSet, weigh } from "./internal/TrainingSet.ts"
import type { Settings } from "./Settings.ts"

/** How it did on the validation part, which it was not trained on; null where there was none. */
interface Quality {
  readonly rows: number
  readonly accuracy: number
  /** After the temperature was fitted, on the same rows: the holdout tells the truth. */
  readonly calibrationError: number
}

export interface About {
  readonly labels: ReadonlyArray<string>
  readonly bits: number
  readonly charactersMax: number
  /** Scores are divided by it before the softmax. */
  readonly temperature: number
  readonly trainingRows: number
  readonly quality: Quality | null
  /** SHA-256 of the rows and settings that it was made of. */
  readonly madeOf: string
}

export interface Prediction {
  readonly text: string
  /** Probability of `text`, from 0 to 1. */
  readonly confidence: number
  /** Every label, the most frequent of the training first; probabilities sum to 1. */
  readonly distribution: ReadonlyArray<{ readonly text: string; readonly probability: number }>
}

export interface Model {
  readonly about: About
  readonly predict: (turns: ReadonlyArray<Turn>) => Prediction
}

/** Names the format of the file for its readers. */
export const format = "limbeck-text-classifier/1"

/** The file of what a trainer has learnt, with a temperature fitted on its validation part. */
export const encode = (
  set: TrainingSet,
  settings: Settings,
  trainer: Trainer.Trainer
): { readonly about: About; readonly bytes: Uint8Array<ArrayBuffer> } => {
  const { bias, scale } = trainer.state
  const scored = trainer.validate()
  const temperature = Calibration.fitTemperature(scored)
  const judged = scored.map((one) => Calibration.judge(one, temperature))
  const about: About = {
    labels: set.labels,
    bits: settings.bits,
    charactersMax: settings.charactersMax,
    temperature,
    trainingRows: set.training.length,
    quality:
      judged.length === 0
        ? null
        : {
            rows: judged.length,
            accuracy: judged.filter(({ isRight }) => isRight).length / judged.length,
            calibrationError: Calibration.calibrationError(judged)
          },
    madeOf: set.fingerprint
  }
  const scaled = Trainer.weightsOf(set, trainer.state).map((weight) => weight * scale)
  const arrays = { places: set.places, rarity: set.rarity, weights: scaled, bias }
  return { about, bytes: Container.encode({ kind: format, about, arrays }) }
}

interface Arrays {
  readonly places: Uint32Array
  readonly rarity: Float32Array
  readonly weights: Float32Array
  readonly bias: Float32Array
}

const predictor = (about: About, { bias, places, rarity, weights }: Arrays): Model["predict"] => {
  const { labels, temperature } = about
  const featurizer = Features.make(about)
  const numbers = numbersOf(places, about.bits)
  let row = { features: new Uint32Array(1024), values: new Float32Array(1024) }
  return (turns) => {
    const counts = featurizer.count(turns)
    if (counts.length > row.features.length) {
      row = { features: new Uint32Array(counts.length * 2), values: new Float32Array(counts.length * 2) }
    }
    const to = weigh({ ...counts, from: 0, to: counts.length }, numbers, rarity, row, 0)
    const probabilities = new Float64Array(labels.length)
    score({ ...row, from: 0, to }, { weights, stride: labels.length }, 1, bias, probabilities)
    softmax(probabilities, temperature)
    const best = greatest(probabilities)
    return {
      text: labels[best]!,
      confidence: probabilities[best]!,
      distribution: labels.map((text, label) => ({ text, probability: probabilities[label]! }))
    }
  }
}

export const load = (bytes: Uint8Array): Model | Container.Unreadable => {
  const content = Container.decode(bytes, format)
  if (content instanceof Container.Unreadable) return content
  // Kind, version and digest have shown that `encode` wrote this.
  const about = content.about as About
  return { about, predict: predictor(about, content.arrays as Record<keyof Arrays, never>) }
}
