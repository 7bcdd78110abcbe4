/** Compares a model's answers with the completions of held-out rows. */
import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Weights from "@limbeck/distill/report/statistics/Weights"
import type { Prediction } from "../Model.ts"
import { calibrationError, type JudgedAnswer } from "./CalibrationFit.ts"
import type { Example } from "./Examples.ts"
import { generator, shuffle } from "./Hashing.ts"

export interface Answer extends JudgedAnswer {
  readonly text: string
  readonly teacher: string
  /** The id of the row's prompt, as far as the student knows it. */
  readonly template?: string | undefined
  /** Whether a deployment would leave the row to its fallback, however sure the student is. */
  readonly isNew: boolean
}

/** Removes free properties from a completion. */
export const partOf = (text: string, free: ReadonlyArray<string> | undefined): string =>
  free === undefined ? text : (ClosedFields.without(text, free) ?? text)

/** A model, with or without knowledge of its prompts. */
interface Answering {
  readonly predict: (
    turns: Example["turns"]
  ) => Pick<Prediction, "confidence" | "isNew" | "text"> & { readonly template?: string | undefined }
}

/** Different spellings of a label count as the same answer. A completion without text counts as a wrong answer. */
export const answer = (model: Answering, { label, turns, weight = 1 }: Example): Answer => {
  const { confidence, isNew, template, text } = model.predict(turns)
  return { text, confidence, isNew, template, teacher: label ?? "", isRight: LabelRules.isSame(text, label), weight }
}

export interface Summary {
  readonly rows: number
  /** Rows answered as the teacher did. */
  readonly right: number
  /** The share of their weight. */
  readonly accuracy: number
  /** 95 %, by Wilson's score over the effective rows. */
  readonly interval: { readonly low: number; readonly high: number }
  readonly calibrationError: number
}

const z = 1.959963984540054

/** Wilson's 95 % score interval of a share; [0, 1] without rows. */
export const wilson = (right: number, rows: number): Summary["interval"] => {
  if (rows === 0) return { low: 0, high: 1 }
  const share = right / rows
  const middle = share + z ** 2 / (2 * rows)
  const half = z * Math.sqrt((share * (1 - share)) / rows + z ** 2 / (4 * rows ** 2))
  const whole = 1 + z ** 2 / rows
  return { low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) }
}

export const summarize = (answers: ReadonlyArray<JudgedAnswer>): Summary => {
  const rows = answers.length
  const right = answers.filter(({ isRight }) => isRight)
  const sums = Weights.sumsOf(answers)
  const weightRight = Weights.sumsOf(right).weights
  return {
    rows,
    right: right.length,
    accuracy: rows === 0 ? 0 : weightRight / sums.weights,
    interval: wilson(weightRight * Weights.evidenceOf(sums), Weights.effectiveRows(sums)),
    calibrationError: calibrationError(answers)
  }
}

/** A predicate for an even sample of `sample` rows, or of all rows. */
export const sampleOf = (rows: number, sample: number, seed: number): ((index: number) => boolean) => {
  if (rows <= sample) return () => true
  const order = shuffle(
    Uint32Array.from({ length: rows }, (_, index) => index),
    generator(seed)
  )
  const chosen = new Set(order.subarray(0, sample))
  return (index) => chosen.has(index)
}
