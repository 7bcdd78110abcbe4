/**
 * Splits a request for decisions between a student and an upstream, and merges their answers in the caller's order (contract
 * 16.22, 16.23). Positions are those of the questions in the caller's request. Pure.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { DecisionRequest } from "./DecisionRequest.ts"

/** Who answers which positions; each position stands in one of the two, in ascending order. */
export interface Split {
  readonly student: ReadonlyArray<number>
  readonly upstream: ReadonlyArray<number>
}

/** The split by whether the student answers a position. */
export const of = ({ questions }: DecisionRequest, isStudents: (position: number) => boolean): Split => {
  const positions = questions.map((_, position) => position)
  return { student: positions.filter(isStudents), upstream: positions.filter((position) => !isStudents(position)) }
}

/** The same request with only the questions at these positions. */
export const partOf = (request: DecisionRequest, positions: ReadonlyArray<number>): DecisionRequest => ({
  ...request,
  questions: positions.map((position) => request.questions[position]!)
})

/** The response's members in the order of the request's questions; undefined unless every question has exactly one. */
export const membersOf = (
  { dialect, questions }: DecisionRequest,
  response: unknown
): ReadonlyArray<Schema.JsonObject> | undefined => {
  const answers = isObject(response) ? response["answers"] : undefined
  if (dialect === "openai") {
    return Array.isArray(answers) && answers.length === questions.length && answers.every(isObject)
      ? answers
      : undefined
  }
  if (!isObject(answers)) return undefined
  const members = questions.flatMap(({ name }) => {
    const member = name !== null && Object.hasOwn(answers, name) ? answers[name] : undefined
    return isObject(member) ? [member] : []
  })
  return members.length === questions.length ? members : undefined
}

/** The members of all positions: those of `student` from one list, the others from the other, both in ascending order. */
export const mergeMembers = (
  { student, upstream }: Split,
  students: ReadonlyArray<Schema.JsonObject>,
  upstreams: ReadonlyArray<Schema.JsonObject>
): ReadonlyArray<Schema.JsonObject> => {
  const members = new Map<number, Schema.JsonObject>()
  for (const [at, position] of student.entries()) members.set(position, students[at]!)
  for (const [at, position] of upstream.entries()) members.set(position, upstreams[at]!)
  return Array.from({ length: members.size }, (_, position) => members.get(position)!)
}

/** The header value with the positions or fields of each responder: `student=0,2; upstream=1`. */
export const headerOf = ({
  student,
  upstream
}: {
  readonly student: ReadonlyArray<number | string>
  readonly upstream: ReadonlyArray<number | string>
}): string =>
  Object.entries({ student, upstream })
    .filter(([, positions]) => positions.length > 0)
    .map(([name, positions]) => `${name}=${positions.map((one) => encodeURIComponent(one)).join(",")}`)
    .join("; ")
