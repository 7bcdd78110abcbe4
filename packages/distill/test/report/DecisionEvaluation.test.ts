/** What an evaluation of decisions tells of each question and of requests, against counts made by hand. */
import type { RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import type { DecidedRow } from "@limbeck/distill/report/DecidedRow"
import * as DecisionEvaluation from "@limbeck/distill/report/DecisionEvaluation"
import { describe, expect, it } from "vitest"
import * as RequestCosts from "../../src/report/RequestCosts.ts"

const idOf = (letter: string) => `qst_${letter.repeat(26)}` as const

const angry = {
  question: idOf("a"),
  name: "angry",
  kind: "predicate" as const,
  // 18 characters, and 9 of the options.
  instructions: "Is anybody angry ?",
  options: [{ value: false }, { value: true }],
  rows: 5
}
const topic = {
  question: idOf("b"),
  name: null,
  kind: "choice" as const,
  // 6 characters, and 21 of the options.
  instructions: "About?",
  options: [{ value: "bill", description: "of money" }, { value: "tech" }, { value: "other" }],
  rows: 5
}

const decision = (
  { kind, name, question }: typeof angry | typeof topic,
  probabilities: ReadonlyArray<number> | null,
  source: RowDecision["source"] = "teacher"
): RowDecision => ({ question, name, kind, probabilities, refusal: probabilities === null, source })

const answer = (
  { question }: typeof angry | typeof topic,
  threshold: number | null,
  probabilities: ReadonlyArray<number>
) => ({ question, threshold, probabilities })

/** 46 characters of evidence: with both questions 100. */
const messages = [{ role: "user" as const, content: "m".repeat(46) }] as const

const decided = (decisions: ReadonlyArray<RowDecision>, answers: DecidedRow["answers"], isNew = false): DecidedRow => ({
  row: { messages, completion: null, decisions },
  answers,
  isNew
})

const billed = [0.8, 0.1, 0.1]

/** In order: answered whole, answered together, nobody sure, unlike the training, a refusal of the teacher. */
const rows = [
  decided(
    [decision(angry, [0.1, 0.9]), decision(topic, [1, 0, 0])],
    [answer(angry, 0.8, [0.2, 0.8]), answer(topic, 0.7, billed)]
  ),
  decided(
    [decision(angry, [0.9, 0.1]), decision(topic, [0, 1, 0], "feedback")],
    [answer(angry, 0.8, [0.7, 0.3]), answer(topic, 0.7, billed)]
  ),
  decided(
    [decision(angry, [0.6, 0.4]), decision(topic, [0.5, 0.3, 0.2], "feedback")],
    [answer(angry, 0.8, [0.6, 0.4]), answer(topic, 0.7, [0.6, 0.3, 0.1])]
  ),
  decided(
    [decision(angry, [0, 1]), decision(topic, [0, 0, 0])],
    [answer(angry, 0.8, [0.05, 0.95]), answer(topic, 0.7, billed)],
    true
  ),
  decided([decision(angry, null)], [answer(angry, 0.8, [0.9, 0.1])])
]

describe("an evaluation of decisions", () => {
  it("has the figures of each question, its refusals, the truth and what the student answers alone (P1360)", () => {
    const { questions } = DecisionEvaluation.summarize(rows, [angry, topic], RequestCosts.make(null, []))
    const [first, second] = questions
    expect(first).toMatchObject({ question: angry.question, name: "angry", rows: 4, refusals: 1, threshold: 0.8 })
    expect(first).toMatchObject({ truth: null, agreement: { value: 1 }, mean_absolute_error: null })
    expect(first?.brier).toBeCloseTo((0.01 + 0.04 + 0 + 0.0025) / 4, 12)
    // Of the four rows one is sure enough, and the surest is unlike the training.
    expect(first).toMatchObject({ coverage: 0.25, alone: { compared: 1, agreed: 1 } })
    // Half of .1² + .1².
    expect(first?.alone.difference).toBeCloseTo(0.01, 12)
    expect(first?.curve.at(-1)).toEqual({ threshold: 0.8, answered: 1, agreed: 1 })
    // A distribution of zeros is no answer to compare with.
    expect(second).toMatchObject({ name: null, rows: 4, refusals: 0, threshold: 0.7, auc: null })
    expect(second?.agreement?.value).toBeCloseTo(2 / 3, 12)
    expect(second?.truth).toEqual({ rows: 2, accuracy: 0.5 })
    expect(second?.alone).toMatchObject({ compared: 2, agreed: 1 })
    expect(second?.alone.difference).toBeCloseTo((0.04 + 0.01 + 0.01) / 2 + (0.64 + 0.81 + 0.01) / 2, 12)
    expect(second?.coverage).toBeCloseTo(2 / 3, 12)
  })

  it("has the teacher's agreement with itself; a refusal is another answer, and feedback no first one (P1554, P1556)", () => {
    const [whole, reviewed, unsure, ...others] = rows
    const again = (mood: ReadonlyArray<number> | null, subject: ReadonlyArray<number>) => [
      { question: angry.question, probabilities: mood },
      { question: topic.question, probabilities: subject }
    ]
    const repeated = [
      { ...whole!, again: again([0.3, 0.7], [0.2, 0.7, 0.1]) },
      { ...reviewed!, again: again(null, [0, 1, 0]) },
      { ...unsure!, again: again([0.8, 0.2], [1, 0, 0]) },
      ...others
    ]
    const evaluation = DecisionEvaluation.summarize(repeated, [angry, topic], RequestCosts.make(null, []))
    const [first, second] = evaluation.questions
    expect(first?.teacher_itself).toMatchObject({ value: 2 / 3, rows: 3, method: "asked_again" })
    expect(second?.teacher_itself).toMatchObject({ value: 0, rows: 1 })
    expect([first?.recommendation, second?.recommendation]).toEqual([null, null])
    expect(first?.confusions).toEqual([])
    expect(second?.confusions).toEqual([{ teacher: "tech", student: "bill", count: 1 }])
    const unasked = DecisionEvaluation.summarize(rows, [angry], RequestCosts.make(null, [])).questions[0]
    expect(unasked).toMatchObject({ teacher_itself: null, recommendation: null })
  })

  it("takes the threshold of second answers where it is below that of the training, and the teacher mostly agrees with itself (P1555)", () => {
    /** The teacher errs in one of `every` answers, each time in others; the student is always right. */
    const found = (every: number, threshold: number | null) => {
      const held = Array.from({ length: 400 }, (_, index) => {
        const isWrong = (time: number) => index % every === time
        const said = (time: number) => (isWrong(time) ? [1, 0] : [0, 1])
        const row = decided([decision(angry, said(0))], [answer(angry, threshold, [0.1, 0.9])])
        return { ...row, again: [{ question: angry.question, probabilities: said(1) }] }
      })
      return DecisionEvaluation.summarize(held, [angry], RequestCosts.make(null, []))
    }
    const { questions, requests } = found(10, null)
    expect(questions[0]).toMatchObject({ threshold: 0, coverage: 1, agreement: { value: 0.9 } })
    expect(questions[0]?.recommendation).toMatchObject({ threshold: 0, error: 0.1, share: { value: 1 } })
    expect(questions[0]?.recommendation?.target).toBeCloseTo(0.8 - 0.02, 12)
    expect(questions[0]?.alone).toMatchObject({ compared: 400, agreed: 360 })
    expect(requests?.answered_here).toBe(1)
    // A teacher that contradicts itself too often is no reference.
    expect(found(9, null).questions[0]).toMatchObject({ threshold: null, recommendation: null })
    expect(found(9, 0.95).questions[0]).toMatchObject({ threshold: 0.95, coverage: 0 })
  })

  it("tells by whom requests would have been answered; a partial request saves its questions alone (P1361)", () => {
    const { requests } = DecisionEvaluation.summarize(rows, [angry, topic], RequestCosts.make(0.002, []))
    // The first and the last row whole (100 and 73 characters), of the second the 27 characters of the topic: 200 of 473.
    expect(requests).toEqual({
      answered_here: 0.4,
      mixed: 0.2,
      upstream: 0.4,
      saved_usd_per_1000: Math.round(((2 * 200) / 473) * 1e6) / 1e6,
      saved_estimated_share: 1
    })
    expect(
      DecisionEvaluation.summarize(rows, [angry, topic], RequestCosts.make(null, [])).requests?.saved_usd_per_1000
    ).toBeNull()
    expect(DecisionEvaluation.summarize([], [angry], RequestCosts.make(1, []))).toMatchObject({
      rows: 0,
      requests: null
    })
  })

  it("counts what the upstream charged for whole and partial requests where both are known (P1549, P1557)", () => {
    const whole = { questions: [topic.question, angry.question], costUsd: 0.003 }
    const half = { questions: [angry.question], costUsd: 0.001 }
    const alone = { questions: [angry.question], costUsd: 0.002 }
    const requestsOf = (callUsd: number | null, requests: Parameters<typeof RequestCosts.make>[1]) =>
      DecisionEvaluation.summarize(rows.slice(0, 2), [angry, topic], RequestCosts.make(callUsd, requests)).requests
    const savedOf = (...known: Parameters<typeof requestsOf>) => requestsOf(...known)?.saved_usd_per_1000
    const estimatedOf = (...known: Parameters<typeof requestsOf>) => requestsOf(...known)?.saved_estimated_share
    // The first row is answered whole; of the second the upstream answers the other question, for .0015 on average.
    expect(savedOf(0.002, [whole, half, alone])).toBeCloseTo((1_000 * (0.003 + 0.0015)) / 2, 9)
    expect(savedOf(null, [whole, half])).toBeCloseTo((1_000 * (0.003 + 0.002)) / 2, 9)
    // Without a part that is known, the second saves its share of the text: 27 of 200 characters of two requests.
    expect(savedOf(0.002, [whole])).toBeCloseTo((1_000 * (0.003 + (0.002 * 27 * 2) / 200)) / 2, 9)
    expect(savedOf(null, [whole])).toBeNull()
    expect([estimatedOf(null, [whole, half]), estimatedOf(0.002, [whole]), estimatedOf(null, [whole])]).toEqual([
      0,
      0.5,
      null
    ])
  })

  it("lists questions that the student does not know, without figures (P1360)", () => {
    const unknown = rows.map((row) => ({ ...row, answers: [] }))
    const { questions, requests } = DecisionEvaluation.summarize(unknown, [topic], RequestCosts.make(1, []))
    expect(questions[0]).toMatchObject({
      rows: 4,
      agreement: null,
      brier: null,
      threshold: null,
      coverage: 0,
      curve: []
    })
    expect(requests).toMatchObject({ answered_here: 0, mixed: 0, upstream: 1, saved_usd_per_1000: 0 })
  })

  it("is shown with shares in place of counts, in a bounded number of points (P1360)", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => {
      const sure = 0.5 + at / 10_001
      return decided([decision(angry, [1, 0])], [answer(angry, 0.8, [sure, 1 - sure])])
    })
    const asked = Array.from({ length: 80 }, (_, at) => ({ ...angry, question: at === 0 ? angry.question : idOf("c") }))
    const shown = DecisionEvaluation.renderFigures(
      DecisionEvaluation.summarize(many, asked, RequestCosts.make(null, []))
    )
    expect(shown[0]).not.toHaveProperty("alone")
    expect(shown[0]?.curve).toHaveLength(50)
    expect(shown[0]?.curve[0]).toEqual({ threshold: 0, coverage: 1, agreement: 1 })
    expect(shown[0]?.curve.at(-1)?.coverage).toBeLessThan(0.01)
  })
})
