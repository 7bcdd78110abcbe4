/** Requests that ask a teacher of decisions about rows again. */
import type { RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import * as RepeatedDecisions from "@limbeck/distill/race/RepeatedDecisions"
import { describe, expect, it } from "vitest"

const idOf = (letter: string) => `qst_${letter.repeat(26)}` as const
const angry = {
  question: idOf("a"),
  name: "mood",
  kind: "predicate" as const,
  instructions: "Angry?",
  options: [{ value: false }, { value: true }],
  rows: 2
}
const paid = {
  question: idOf("b"),
  name: "mood",
  kind: "choice" as const,
  instructions: "Paid?",
  options: [{ value: false }, { value: "later" }],
  rows: 1
}
const unlisted = { ...angry, question: idOf("c") }

const said = (
  { kind, name, question }: typeof angry | typeof paid,
  probabilities: RowDecision["probabilities"],
  source: RowDecision["source"] = "teacher"
): RowDecision => ({ question, name, kind, probabilities, refusal: probabilities === null, source })

const row = (...decisions: ReadonlyArray<RowDecision>) => ({
  messages: [{ role: "user" as const, content: "Hi" }] as const,
  completion: null,
  decisions
})

const version = { questions: [angry, paid] }

describe("the request that asks a teacher of decisions again", () => {
  it("has each question that the teacher answered under a name of its own, as far as the dialect expresses it (P1652)", () => {
    const both = row(said(angry, [0.2, 0.8]), said(paid, [1, 0]), said(unlisted, [1, 0]))
    const openai = RepeatedDecisions.requests("openai", version)(both)
    expect(openai.request).toEqual({
      input: "Hi",
      questions: [
        { type: "predicate", name: "mood", instructions: "Angry?" },
        { type: "choice", name: paid.question, instructions: "Paid?", choices: paid.options }
      ]
    })
    // System One has no boolean values.
    const systemone = RepeatedDecisions.requests("systemone", version)(both)
    expect(systemone.request).toEqual({ state: "Hi", questions: { mood: { type: "noul", instructions: "Angry?" } } })
    expect(systemone.questions.map(({ question }) => question)).toEqual([angry.question])
    const unanswered = row(said(angry, null), said(paid, [0, 1], "feedback"))
    expect(RepeatedDecisions.requests("openai", version)(unanswered).questions).toEqual([])
  })

  it("is answered by question: a refusal has no distribution, and what cannot be read is left out (P1652)", () => {
    const asked = RepeatedDecisions.requests("openai", version)(row(said(angry, [0.2, 0.8]), said(paid, [1, 0])))
    const answersOf = (...answers: ReadonlyArray<Readonly<Record<string, string | number | null>>>) =>
      RepeatedDecisions.answersOf(asked, { answers })
    expect(answersOf({ type: "refusal", name: "mood" }, { type: "choice", name: null, choice: "later" })).toEqual([
      { question: angry.question, probabilities: null },
      { question: paid.question, probabilities: [0, 1] }
    ])
    expect(answersOf({ type: "predicate", probability: 2 })).toEqual([])
  })
})
