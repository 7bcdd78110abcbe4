/** What the page asks its worker, and what the worker answers. */
import { callPart, moreMessages, moreText, type TextPlace } from "./CallParts.ts"
import { isObject } from "./Objects.ts"
import { callsPage, rowsPage } from "./Openings.ts"

export type AnswerKind = "call" | "calls" | "rows"

/** The bytes of an API response, to be reduced for drawing; a call's rest is requested later. */
export interface ReadRequest {
  readonly kind: AnswerKind
  readonly bytes: ArrayBuffer
}

export type Question =
  | ReadRequest
  | { readonly kind: "messages"; readonly body: "request" | "response"; readonly from: number }
  | { readonly kind: "text"; readonly place: TextPlace; readonly from: number }

const reducers = { call: callPart, calls: callsPage, rows: rowsPage } as const

/** Answers questions; keeps the last call read. */
export const makeAnswers = () => {
  let call: Readonly<Record<string, unknown>> = {}
  const read = ({ bytes, kind }: ReadRequest): string => {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const answer = isObject(value) ? value : {}
    if (kind === "call") call = answer
    return JSON.stringify(reducers[kind](answer))
  }
  return (question: Question): unknown => {
    if (question.kind === "messages") return moreMessages(call, question.body, question.from)
    if (question.kind === "text") return moreText(call, question.place, question.from)
    return read(question)
  }
}
