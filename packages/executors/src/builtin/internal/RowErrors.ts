/** The errors of a row's probabilities, which a training descends along. */

import { unasked } from "@limbeck/distill/dataset/AnswerRules"
import { greatest, softmax } from "./Softmax.ts"
import type { Targets } from "./Targets.ts"
import { headsIn, type TrainingSet } from "./TrainingSet.ts"

export interface RowErrors {
  /** In nats. */
  readonly loss: number
  /** Whether each head's most probable label is right. */
  readonly isRight: boolean
}

type Part = Float64Array

/** Against a distribution: the error is the difference of both. */
const towards = (part: Part, target: ReadonlyArray<number>): RowErrors => {
  softmax(part)
  const isRight = greatest(part) === greatest(Float64Array.from(target))
  let loss = 0
  for (const [option, wanted] of target.entries()) {
    if (wanted > 0) loss -= wanted * Math.log(Math.max(part[option]!, Number.MIN_VALUE))
    part[option] = part[option]! - wanted
  }
  return { loss, isRight }
}

/** Heads without a target have no error. */
const ofTargets = (parts: ReadonlyArray<Part>, targets: Targets): RowErrors => {
  const asked = new Map(targets.map(({ head, probabilities }) => [head, probabilities]))
  let loss = 0
  let isRight = true
  for (const [head, part] of parts.entries()) {
    const target = asked.get(head)
    if (target === undefined) part.fill(0)
    else {
      const errors = towards(part, target)
      loss += errors.loss
      isRight &&= errors.isRight
    }
  }
  return { loss, isRight }
}

const ofLabels = (parts: ReadonlyArray<Part>, labelOf: (head: number) => number): RowErrors => {
  let loss = 0
  let isRight = true
  for (const [head, part] of parts.entries()) {
    const label = labelOf(head)
    if (label === unasked) {
      part.fill(0)
      continue
    }
    softmax(part)
    loss -= Math.log(Math.max(part[label]!, Number.MIN_VALUE))
    isRight &&= greatest(part) === label
    part[label] = part[label]! - 1
  }
  return { loss, isRight }
}

/** Turns the scores of a row of the set, which stand in `scores`, into its errors, in place. */
export const of = (set: TrainingSet, scores: Float64Array): ((row: number) => RowErrors) => {
  const parts = headsIn(set).map(({ from, to }) => scores.subarray(from, to))
  const rows = set.offsets.length - 1
  const { questions } = set
  return questions === null
    ? (row) => ofLabels(parts, (head) => set.labelOf[head * rows + row]!)
    : (row) => ofTargets(parts, questions.targets[row]!)
}
