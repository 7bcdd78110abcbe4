/** Students of decisions: heads on shared features, learnt from whole distributions. */
import { assert, describe, it } from "@effect/vitest"
import type { DecisionRow } from "@limbeck/distill/dataset/Row"
import * as DecisionEvaluation from "@limbeck/distill/report/DecisionEvaluation"
import * as AgreementThreshold from "@limbeck/distill/report/statistics/AgreementThreshold"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as DecidedRow from "../../src/builtin/internal/DecidedRow.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import * as Questions from "../../src/builtin/internal/Questions.ts"
import * as Session from "../../src/builtin/internal/Session.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { attempt, encoded, finish, resumed, setOf, settings } from "./Sets.ts"

const idOf = (letter: string) => `qst_${letter.repeat(26)}` as const
const options = (...values: ReadonlyArray<string | boolean>) => values.map((value) => ({ value }))
const topic = {
  question: idOf("a"),
  name: "topic",
  kind: "choice" as const,
  options: options("login", "parcel", "refund")
}
const angry = { question: idOf("b"), name: "angry", kind: "predicate" as const, options: options(false, true) }
/** Nothing in a row says it. */
const luck = { question: idOf("c"), name: "luck", kind: "predicate" as const, options: options(false, true) }
const learnt = [topic, angry, luck]

const topics = ["login", "parcel", "refund"]
const moods = ["thank you", "this is a scandal"]

const decision = (head: (typeof learnt)[number], probabilities: ReadonlyArray<number> | null, refusal = false) => ({
  question: head.question,
  name: head.name,
  kind: head.kind,
  probabilities,
  refusal,
  source: "teacher" as const
})

const targetsOf = Questions.targetsOf(learnt)

/** A sure teacher; every third row leaves the mood out, and every fifth refuses the topic. */
const decisionRows = (count: number): ReadonlyArray<DecisionRow> => {
  const { below } = Generator.make(7)
  return Array.from({ length: count }, (_, index) => {
    const [subject, mood] = [below(3), below(2)]
    const distribution = [0.05, 0.05, 0.05]
    distribution[subject] = 0.9
    const decisions = [
      index % 5 === 4 ? decision(topic, null, true) : decision(topic, distribution),
      ...(index % 3 === 2 ? [] : [decision(angry, mood === 1 ? [0.1, 0.9] : [0.85, 0.15])]),
      decision(luck, below(2) === 0 ? [0.2, 0.8] : [0.8, 0.2])
    ]
    const content = `my ${topics[subject]} number ${below(100_000)}, ${moods[mood]}`
    return { messages: [{ role: "user", content }], completion: null, decisions }
  })
}

const rows = (count: number): ReadonlyArray<Example> =>
  decisionRows(count).map((row) => ({ ...exampleOf(row), targets: targetsOf(row.decisions) }))

const given = settings({ epochs: 8, questions: learnt })
const set = setOf(rows(1_500), given)
const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))

const engine = Effect.runSync(
  Effect.provide(
    Effect.map(StudentEngine, (engine) => engine),
    BuiltinEngine.layer
  )
)

describe("a student of decisions", () => {
  it("answers what it could learn with the teacher's distribution, and nothing alone that it could not (P1270)", () => {
    const student = Result.getOrThrow(engine.load("limbeck-text-classifier/4", bytes))
    assert.isUndefined(student.labels)
    const [first, second, third] = student.questions ?? []
    assert.deepStrictEqual(
      student.questions?.map(({ from, question, to }) => [question, from, to]),
      [
        [topic.question, 0, 3],
        [angry.question, 3, 5],
        [luck.question, 5, 7]
      ]
    )
    for (const [subject, word] of topics.entries()) {
      for (const [mood, phrase] of moods.entries()) {
        const content = `my ${word} number 123456, ${phrase}`
        const { distribution = [], isNew } = student.predict([{ role: "user", content }])
        assert.isFalse(isNew)
        assert.closeTo(distribution[subject] ?? 0, 0.9, 0.04)
        assert.closeTo(distribution[4] ?? 0, mood === 1 ? 0.9 : 0.15, 0.06)
        for (const { from, to } of student.questions ?? []) {
          const sum = distribution.slice(from, to).reduce((all, one) => all + one, 0)
          assert.closeTo(sum, 1, 1e-9)
        }
      }
    }
    assert.isNumber(first?.threshold)
    assert.isNumber(second?.threshold)
    assert.isNull(third?.threshold)
  })

  it("is the same student after a training that was broken off (P49, P1270)", () => {
    const broken = WeightTrainer.make(set, given)
    broken.advance(200)
    assert.deepStrictEqual(encoded(set, given, finish(resumed(set, given, broken))), bytes)
  })

  it("keeps agreement and threshold of each question, of rows that it did not learn from (P1271)", () => {
    const model = Model.load(bytes)
    assert.isTrue("about" in model)
    const [first, , third] = "about" in model ? (model.about.questions ?? []) : []
    assert.strictEqual(first?.agreement?.value, 1)
    assert.isAtLeast(first?.agreement?.low ?? 0, 0.98)
    assert.isBelow(third?.agreement?.value ?? 1, 0.65)
    assert.isEmpty([...set.validation].filter((row) => set.training.includes(row)))
  })

  it("has thresholds from few rows, held back in turn: each row is judged once, by a model of the others (P1271)", async () => {
    const few = rows(400)
    const { promise, resolve } = Promise.withResolvers<Session.SessionEnd>()
    const session = Session.make(
      {
        settings: { ...given, tries: true },
        checkpoint: null,
        spentSeconds: 0,
        quantumSeconds: 1e6,
        checkpointSeconds: 1e6
      },
      {
        breathe: () => Promise.resolve(),
        seconds: () => 0,
        say: (message) => {
          if (message.type === "ask") session.receive({ type: "answer", isGranted: true })
          if (message.type === "ended") resolve(message.ending)
        }
      }
    )
    session.receive({ type: "examples", examples: few })
    session.receive({ type: "train" })
    const ending = await promise
    const { questions = [], trainingRows } = ending.type === "finished" ? ending.about : assert.fail(ending.type)
    assert.strictEqual(trainingRows, 400)
    const [first, second, third] = questions
    assert.isNumber(first?.threshold)
    assert.isNumber(second?.threshold)
    assert.isNull(third?.threshold)
    // 320 of 400 rows ask for the topic, and all answers to them agree.
    const sure = Array.from({ length: 320 }, () => ({ agrees: true, confidence: 1 }))
    assert.deepStrictEqual(first?.agreement, AgreementThreshold.agreementOf(sure))
  })

  it("is set beside the teacher question by question, on rows of its own (P1274)", () => {
    const model = Model.load(bytes)
    if (!("about" in model)) throw new Error(model.reason)
    const { questions = [] } = model.about
    const decided = decisionRows(1_800)
      .slice(1_500)
      .map((row) => DecidedRow.of(model, questions, row))
    const asked = learnt.map((question) => ({ ...question, instructions: "", rows: 300 }))
    const { questions: found, requests } = DecisionEvaluation.summarize(decided, asked, {
      callUsd: null,
      costOf: () => null
    })
    const [first, second, third] = found
    assert.deepInclude(first, { question: topic.question, kind: "choice", rows: 240, refusals: 60, auc: null })
    // A fresh row may be less sure than all validation rows.
    assert.isAtLeast(first?.coverage ?? 0, 0.98)
    assert.strictEqual(first?.agreement?.value, 1)
    assert.isBelow(first?.brier ?? 1, 0.01)
    assert.deepInclude(second, { rows: 200, auc: 1, mean_absolute_error: null, ranked_probability_score: null })
    assert.deepInclude(third, {
      rows: 300,
      threshold: null,
      coverage: 0,
      alone: { compared: 0, agreed: 0, difference: 0 }
    })
    assert.isBelow(third?.auc ?? 1, 0.65)
    assert.deepInclude(first?.curve[0], { threshold: 0, answered: 240, agreed: 240 })
    // Nobody has learnt the draw, and every row asks it.
    assert.deepInclude(requests, { answered_here: 0, saved_usd_per_1000: null })
    assert.isAtLeast(requests?.mixed ?? 0, 0.98)
  })

  it("learns the questions with the most rows that fit, and no row without an answer (P1272)", () => {
    const instructions = ""
    const of = (question: string, rows: number, count: number) => ({
      ...topic,
      instructions,
      rows,
      question: idOf(question),
      options: options(...Array.from({ length: count }, (_, at) => `${at}`))
    })
    const { learnt: kept, left } = Questions.selectQuestions([of("a", 5, 600), of("b", 9, 500), of("c", 3, 500)], 1_000)
    assert.deepStrictEqual(
      [kept.map(({ question }) => question), left.map(({ question }) => question)],
      [[idOf("b"), idOf("c")], [idOf("a")]]
    )
    assert.deepStrictEqual(
      targetsOf([decision(topic, null, true), decision({ ...topic, question: idOf("z") }, [1, 0, 0])]),
      []
    )
    assert.deepStrictEqual(targetsOf([decision(topic, [1, 0])]), [])
    const bare = { turns: [{ role: "user", text: "hi" }], label: null }
    assert.deepInclude(attempt([bare], given), { code: "no_training_rows" })
  })
})
