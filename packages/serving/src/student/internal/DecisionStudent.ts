/** What a student of this process answers to the questions of a request for decisions (contract 16.22, 16.25). */
import type { DecisionRequest, ReadQuestion } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as EvidenceRules from "@limbeck/capture/dialect/decisions/EvidenceRules"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Effect from "effect/Effect"
import type { LoadedStudent, Prediction } from "./Student.ts"
import type { StudentFailed } from "./StudentResponse.ts"

/** The answer to a question that the student knows. */
interface KnownAnswer {
  /** In the order of the question's sorted options. */
  readonly distribution: ReadonlyArray<number>
  readonly confidence: number
  /** The least confidence with which it may be given in the upstream's place; null: it may not. */
  readonly threshold: number | null
  /** Whether the guard leaves the question to the fallback. Absent: it does not. */
  readonly isGuarded?: boolean
}

export interface StudentDecisions {
  /** By question; null for a question that the student does not know. */
  readonly answers: ReadonlyArray<KnownAnswer | null>
  /** Null where the student knows no question. */
  readonly prediction: Prediction | null
}

/** Where the answer to a question stands in a prediction. */
interface Place {
  /** By option. */
  readonly positions: ReadonlyArray<number>
  readonly threshold: number | null
  /** Whether the prediction's own confidence is that of the answer. */
  readonly isWhole: boolean
}

/** `id`: the identity of the question. */
type Finder = (question: ReadQuestion, id: string | null) => Place | null

/** A choice whose values equal the labels. */
const amongLabels = (labels: ReadonlyArray<string>): Finder => {
  const known = new Map(labels.map((label, position) => [LabelRules.formOf(label), position]))
  return ({ kind, options }) => {
    if (kind !== "choice" || options.length !== known.size) return null
    const positions = options.flatMap(({ value }) =>
      typeof value === "string" ? (known.get(LabelRules.formOf(value)) ?? []) : []
    )
    return new Set(positions).size === known.size ? { positions, threshold: 0, isWhole: true } : null
  }
}

const amongQuestions = ({ questions }: LoadedStudent): Finder => {
  const known = new Map(questions.map((question) => [question.question, question]))
  return (_, id) => {
    const head = id === null ? undefined : known.get(id)
    if (head === undefined) return null
    const positions = Array.from({ length: head.to - head.from }, (_, option) => head.from + option)
    return { positions, threshold: head.threshold, isWhole: false }
  }
}

/** `all`: the distribution of the prediction, which makes it anew each time. */
const answerOf = (confidence: number, all: ReadonlyArray<number>, { isWhole, positions, threshold }: Place) => {
  const distribution = positions.map((position) => all[position] ?? 0)
  return { distribution, confidence: isWhole ? confidence : Math.max(...distribution), threshold }
}

export const knowsNothing = ({ questions }: DecisionRequest): StudentDecisions => ({
  answers: questions.map(() => null),
  prediction: null
})

/** Predicts once, if any question is known. `ids`: the identities of the questions; null for those that are not read. */
export const decide = Effect.fnUntraced(function* (
  student: LoadedStudent,
  request: DecisionRequest,
  ids: ReadonlyArray<string | null>
): Effect.fn.Return<StudentDecisions, StudentFailed> {
  if (EvidenceRules.hasImage(request)) return knowsNothing(request)
  const find = student.questions.length > 0 ? amongQuestions(student) : amongLabels(student.labels ?? [])
  const places = request.questions.map(({ question }, at) => question && find(question, ids[at] ?? null))
  if (places.every((place) => place === null)) return knowsNothing(request)
  const prediction = yield* student.predict(EvidenceRules.messagesOf(request))
  const { confidence, distribution } = prediction
  return { answers: places.map((place) => place && answerOf(confidence, distribution, place)), prediction }
})

/** The same decisions, with these questions left to the fallback. */
export const leaveToFallback = (
  decided: StudentDecisions,
  isGuarded: (position: number) => boolean
): StudentDecisions => ({
  ...decided,
  answers: decided.answers.map((answer, at) => (answer === null ? null : { ...answer, isGuarded: isGuarded(at) }))
})

/** Whether the student answers in the upstream's place. */
export const isSure = (
  { answers, prediction }: StudentDecisions,
  position: number,
  belowConfidence: number
): boolean => {
  const answer = answers[position] ?? null
  if (
    answer === null ||
    answer.isGuarded === true ||
    answer.threshold === null ||
    prediction === null ||
    prediction.isNew
  )
    return false
  return answer.confidence >= Math.max(answer.threshold, belowConfidence)
}
