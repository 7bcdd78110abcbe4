/** The suspects among the rows of a training, by the probabilities of the models that had not learnt from them. */
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { Examination, Neighbour } from "@limbeck/distill/suspects/Examination"
import * as SuspectRules from "@limbeck/distill/suspects/SuspectRules"
import type { RowScores } from "./CalibrationFit.ts"
import { softmax } from "./Softmax.ts"
import { headsIn, type TrainingSet } from "./TrainingSet.ts"

/** Checkpoints hold the probabilities as text: more digits would decide nothing. */
const roundProbability = (probability: number): number => Math.round(probability * 1e6) / 1e6

const greatestOther = (probabilities: Float64Array, label: number): number => {
  let other = label === 0 ? 1 : 0
  for (let at = 0; at < probabilities.length; at++) {
    if (at !== label && probabilities[at]! > probabilities[other]!) other = at
  }
  return other
}

/** The held-back rows `validation` of a set by their scores. Decisions have distributions in place of answers, and no suspects. */
export const judge = (
  set: TrainingSet,
  validation: Uint32Array,
  scored: ReadonlyArray<RowScores>,
  temperature: number
): ReadonlyArray<SuspectRules.OutOfFold> => {
  if (set.questions !== null) return []
  const heads = headsIn(set)
  return scored.flatMap((row, at) =>
    row.flatMap(({ label, scores }, head) => {
      if (scores.length < 2 || label === AnswerRules.unasked) return []
      const { from } = heads[head]!
      const probabilities = scores.slice()
      softmax(probabilities, temperature)
      const other = greatestOther(probabilities, label)
      const [given, probability] = [roundProbability(probabilities[label]!), roundProbability(probabilities[other]!)]
      return [{ row: validation[at]!, label: from + label, given, other: from + other, probability }]
    })
  )
}

/** The label numbers of a row, one for each field; of an argument that the row's tool lacks, the most frequent one. */
const labelsOf = (set: TrainingSet, row: number): ReadonlyArray<number> => {
  const rows = set.offsets.length - 1
  return headsIn(set).map(({ from }, head) => {
    const label = set.labelOf[head * rows + row]!
    return label === AnswerRules.unasked ? from : from + label
  })
}

const answerOf = ({ fields, labels }: TrainingSet, numbers: ReadonlyArray<number>): string => {
  const texts = numbers.map((number) => labels[number]!)
  return fields === null ? texts[0]! : AnswerRules.write(fields, texts)
}

/** The rows with the greatest cosines, by one pass over all features. */
const nearest = (set: TrainingSet, row: number, dense: Float32Array): ReadonlyArray<Omit<Neighbour, "answer">> => {
  const { features, offsets, values } = set
  for (let k = offsets[row]!; k < offsets[row + 1]!; k++) dense[features[k]!] = values[k]!
  const best: Array<{ readonly row: number; readonly similarity: number }> = []
  for (let other = 0; other < offsets.length - 1; other++) {
    if (other === row) continue
    let similarity = 0
    // Word vectors stand behind the words, and are left out.
    for (let k = offsets[other]!; k < offsets[other + 1]!; k++) similarity += values[k]! * (dense[features[k]!] ?? 0)
    if (similarity <= 0 || similarity <= (best[DistillLimits.suspectNeighbours - 1]?.similarity ?? 0)) continue
    best.push({ row: other, similarity: roundProbability(Math.min(1, similarity)) })
    best.sort((a, b) => b.similarity - a.similarity || a.row - b.row)
    best.length = Math.min(best.length, DistillLimits.suspectNeighbours)
  }
  for (let k = offsets[row]!; k < offsets[row + 1]!; k++) dense[features[k]!] = 0
  return best
}

/** Null where no row was judged: a set of decisions, or one that is too small or too large for trials. */
export const find = (set: TrainingSet, judged: ReadonlyArray<SuspectRules.OutOfFold>): Examination | null => {
  if (judged.length === 0) return null
  const dense = new Float32Array(set.places.length)
  // A pass for each suspect: fewer of them have neighbours in a large set.
  const shown = Math.min(
    DistillLimits.suspectsWithNeighbours,
    Math.floor(DistillLimits.suspectNeighbourSteps / Math.max(1, set.features.length))
  )
  const neighboursOf = (row: number) =>
    nearest(set, row, dense).map(({ row: other, similarity }) => ({
      row: set.positions[other]!,
      answer: answerOf(set, labelsOf(set, other)),
      similarity
    }))
  const suspects = SuspectRules.rank(judged).slice(0, DistillLimits.suspectsMax)
  return {
    examined: new Set(judged.map(({ row }) => row)).size,
    suspects: suspects.map(({ isConfident, label, other, probability, row, score }, at) => {
      const numbers = labelsOf(set, row)
      const suggested = numbers.map((number) => (number === label ? other : number))
      return {
        row: set.positions[row]!,
        answer: answerOf(set, numbers),
        suggested: answerOf(set, suggested),
        confidence: probability,
        score: roundProbability(score),
        isConfident,
        neighbours: at < shown ? neighboursOf(row) : []
      }
    })
  }
}
