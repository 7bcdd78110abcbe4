/** What a student of this process answers to the questions of a request for decisions (contract 16.22, 16.25). Pure. */
import type { DecisionRequest, ReadQuestion } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as EvidenceRules from "@limbeck/capture/dialect/decisions/EvidenceRules"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import type { LoadedStudent, Prediction } from "./Student.ts"

export interface StudentDecisions {
  /** By question, in the order of its sorted options; null for a question that the student does not know. */
  readonly distributions: ReadonlyArray<ReadonlyArray<number> | null>
  /** Null where the student knows no question. */
  readonly prediction: Prediction | null
}

type LabelPositions = ReadonlyMap<string, number>

const positionsOf = (labels: ReadonlyArray<string>): LabelPositions =>
  new Map(labels.map((label, position) => [LabelRules.formOf(label), position]))

/** For each option its label's position; null unless the values of a choice are the labels, one for one. */
const labelsOf = (question: ReadQuestion | null, known: LabelPositions): ReadonlyArray<number> | null => {
  if (question?.kind !== "choice" || question.options.length !== known.size) return null
  const positions = question.options.flatMap(({ value }) =>
    typeof value === "string" ? (known.get(LabelRules.formOf(value)) ?? []) : []
  )
  return new Set(positions).size === known.size ? positions : null
}

/** Predicts once, if any question is known. */
export const decide = (student: LoadedStudent, request: DecisionRequest): StudentDecisions => {
  const known = positionsOf(student.labels ?? [])
  const isReadable = known.size > 0 && !EvidenceRules.hasImage(request)
  const positions = request.questions.map(({ question }) => (isReadable ? labelsOf(question, known) : null))
  if (positions.every((labels) => labels === null)) return { distributions: positions, prediction: null }
  const prediction = student.predict(EvidenceRules.messagesOf(request))
  const { distribution } = prediction
  return {
    distributions: positions.map((labels) =>
      labels === null ? null : labels.map((position) => distribution[position] ?? 0)
    ),
    prediction
  }
}
