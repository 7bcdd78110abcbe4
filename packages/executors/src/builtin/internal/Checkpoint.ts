/**
 * A training at a moment, as bytes: weights, the optimizer's sums, epoch and position. The order of an epoch follows from the
 * seed and the epoch's number, so no generator has a state besides.
 */
import * as Container from "./Container.ts"
import type { TrainingSet } from "./TrainingSet.ts"
import type { State } from "./WeightTrainer.ts"

const kind = "limbeck-text-classifier-checkpoint/7"

export const encode = (set: TrainingSet, state: State): Uint8Array<ArrayBuffer> => {
  const { bias, biasSquares, learnt, ...progress } = state
  return Container.encode({
    kind,
    about: { fingerprint: set.fingerprint, progress },
    arrays: { learnt, bias, biasSquares }
  })
}

/** Refuses a checkpoint of other rows or settings: its weights would mean something else. */
export const decode = (set: TrainingSet, bytes: Uint8Array): State | Container.Unreadable => {
  const content = Container.decode(bytes, kind)
  if (content instanceof Container.Unreadable) return content
  // Kind, version and digest have shown that `encode` wrote this.
  const about = content.about as { readonly fingerprint: string; readonly progress: Omit<State, ArrayNames> }
  if (about.fingerprint !== set.fingerprint) return new Container.Unreadable("it was made of other rows or settings")
  return { ...about.progress, ...(content.arrays as Pick<State, ArrayNames>) }
}

type ArrayNames = "learnt" | "bias" | "biasSquares"

/** Rows trained on so far, counting repeats. Depends only on the position of the training. */
export const examplesOf = (set: TrainingSet, { epoch, position }: Pick<State, "epoch" | "position">): number =>
  epoch * set.training.length + position
