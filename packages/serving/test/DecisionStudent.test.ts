/** The questions that a student knows and answers alone (contract 16.22, 16.25). */
import { assert, describe, it } from "@effect/vitest"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as Effect from "effect/Effect"
import * as DecisionStudent from "../src/student/internal/DecisionStudent.ts"
import type { LoadedStudent } from "../src/student/internal/Student.ts"

let predictions = 0

const decide = (...asked: Parameters<typeof DecisionStudent.decide>) => Effect.runSync(DecisionStudent.decide(...asked))

const predicting = (about: Partial<LoadedStudent>, distribution: ReadonlyArray<number>, isNew = false) => ({
  labels: null,
  free: [],
  knowsTools: () => false,
  questions: [],
  predict: () =>
    Effect.sync(() => {
      predictions++
      return { text: "", confidence: 0.7, isNew, distribution, inputTokens: 3, outputTokens: 0 }
    }),
  ...about
})

const request = (questions: ReadonlyArray<object>, input: unknown = "My card was charged twice.") =>
  DecisionRules.read({ model: "m", input, questions })!

const angry = { type: "predicate", instructions: "Angry?" }
const choice = (...values: ReadonlyArray<string | boolean>) => ({
  type: "choice",
  instructions: "Which?",
  choices: values.map((value) => ({ value }))
})
const [sure, unsure, unlearnt] = ["qst_a", "qst_b", "qst_c"]
const questions = [
  { question: sure, from: 0, to: 2, threshold: 0.8 },
  { question: unsure, from: 2, to: 4, threshold: 0.8 },
  { question: unlearnt, from: 4, to: 6, threshold: null }
]
const distribution = [0.1, 0.9, 0.5, 0.5, 0, 1]

describe("a student of decisions", () => {
  it("makes the distribution of a prediction once, however many questions are asked (P1552)", () => {
    let made = 0
    const prediction = {
      text: "",
      confidence: 0.7,
      isNew: false,
      inputTokens: 3,
      outputTokens: 0,
      get distribution() {
        made++
        return distribution
      }
    }
    const student: LoadedStudent = {
      ...predicting({ questions }, distribution),
      predict: () => Effect.succeed(prediction)
    }
    decide(student, request([angry, angry, angry]), [sure, unsure, unlearnt])
    assert.strictEqual(made, 1)
  })

  it("knows questions by their identity, and is sure of those at their threshold (P1273)", () => {
    const asked = request([angry, angry, angry, angry])
    const decided = decide(predicting({ questions }, distribution), asked, [sure, unsure, unlearnt, "qst_d"])
    assert.deepStrictEqual(decided.answers, [
      { distribution: [0.1, 0.9], confidence: 0.9, threshold: 0.8 },
      { distribution: [0.5, 0.5], confidence: 0.5, threshold: 0.8 },
      { distribution: [0, 1], confidence: 1, threshold: null },
      null
    ])
    const sureAt = (below: number) => [0, 1, 2, 3].filter((at) => DecisionStudent.isSure(decided, at, below))
    // A lower bound of the deployment lowers no threshold.
    assert.deepStrictEqual([sureAt(0), sureAt(0.95)], [[0], []])
    const strange = decide(predicting({ questions }, distribution, true), asked, [sure, null, null, null])
    assert.isFalse(DecisionStudent.isSure(strange, 0, 0))
    assert.isNotNull(strange.answers[0])
  })

  it("knows the choice among its labels, whatever their order, and predicts only for what it knows (P1273)", () => {
    const student = predicting({ labels: ["Refund.", "other", "login"] }, [0.7, 0.2, 0.1])
    const [known, ...others] = decide(
      student,
      request([choice("login", "REFUND", "other"), choice("login", "refund"), choice("refund", "login", true), angry]),
      []
    ).answers
    // By the sorted options: REFUND, login, other.
    assert.deepStrictEqual(known, { distribution: [0.7, 0.1, 0.2], confidence: 0.7, threshold: 0 })
    assert.deepStrictEqual(others, [null, null, null])
    const before = predictions
    const image = [{ role: "user", content: [{ type: "input_image", image_url: "https://example.com/a.png" }] }]
    const all = choice("login", "refund", "other")
    assert.isNull(decide(student, request([all], image), []).prediction)
    assert.isNull(decide(student, request([angry]), []).prediction)
    assert.isNull(decide(predicting({}, []), request([all]), []).prediction)
    assert.isNull(decide(student, request([choice("login", "refund", "Refund!")]), []).prediction)
    assert.strictEqual(predictions, before)
  })
})
