/** Students of decisions: heads on shared features, learnt from whole distributions. */
import { assert, describe, it } from "@effect/vitest"
import type { DecisionRow } from "@limbeck/distill/dataset/Row"
import * as DecisionEvaluation from "@limbeck/distill/report/DecisionEvaluation"
import * as AgreementThreshold from "@limbeck/distill/report/statistics/AgreementThreshold"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import type { Settings } from "@limbeck/executors/builtin/Settings"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as DecidedRow from "../../src/builtin/internal/DecidedRow.ts"
import * as DecisionFolds from "../../src/builtin/internal/DecisionFolds.ts"
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

/** Trains in a session that pays for everything. */
const finishSession = async (examples: ReadonlyArray<Example>, given: Settings) => {
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
  session.receive({ type: "examples", examples })
  session.receive({ type: "train" })
  const ending = await promise
  return ending.type === "finished" ? ending : assert.fail(ending.type)
}

/** A question with many options, each with words of its own, of which a text has some. */
const subjects = 30
const subject = {
  question: idOf("d"),
  name: "subject",
  kind: "choice" as const,
  options: options(...Array.from({ length: subjects }, (_, at) => `subject ${String(at).padStart(2, "0")}`))
}

const teacherOf = (at: number) => subject.options.map((_, option) => (option === at ? 0.9 : 0.1 / (subjects - 1)))

const subjectRows = (perSubject: number, seed: number) => {
  const { below } = Generator.make(seed)
  const word = (at: number) => `w${"abcdefghijklmnopqrstuvwxyz"[at % 26]}${(at * 7919) % 99_991}`
  return Array.from({ length: subjects * perSubject }, (_, row) => {
    const at = row % subjects
    const own = Array.from({ length: 2 }, () => word(at * 6 + below(6)))
    const others = Array.from({ length: 2 }, () => word(below(subjects) * 6 + below(6)))
    const example: Example = {
      turns: [{ role: "user", text: `${[...own, ...others].join(" ")} number ${below(100_000)}` }],
      label: null,
      targets: [{ head: 0, probabilities: teacherOf(at) }]
    }
    return { at, example }
  })
}

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
    const { questions = [], trainingRows } = (await finishSession(few, given)).about
    assert.strictEqual(trainingRows, 400)
    const [first, second, third] = questions
    assert.isNumber(first?.threshold)
    assert.isNumber(second?.threshold)
    assert.isNull(third?.threshold)
    // 320 of 400 rows ask for the topic, and all answers to them agree.
    const sure = Array.from({ length: 320 }, () => ({ agrees: true, confidence: 1 }))
    assert.deepStrictEqual(first?.agreement, AgreementThreshold.agreementOf(sure))
  })

  it("holds back as many rows of each answer in a part, each row once, and no answer's only row (P1720)", () => {
    const answers = [0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1]
    const targets = answers.map((answer) => [
      // The question with more options decides.
      { head: 0, probabilities: [0.7, 0.3] },
      { head: 1, probabilities: [0, 1, 2].map((option) => Number(option === answer)) }
    ])
    const heads = [
      { name: "a", from: 0, to: 2 },
      { name: "b", from: 2, to: 5 }
    ]
    const bounds = { validationFraction: 0.25, validationMax: 100 }
    assert.strictEqual(DecisionFolds.count({ heads, targets }, bounds), 4)
    const held = [0, 1, 2, 3].map((part) => {
      const { training, validation } = DecisionFolds.carve({ heads, targets }, bounds, part)
      assert.deepStrictEqual(
        [...training, ...validation].toSorted((a, b) => a - b),
        [...answers.keys()]
      )
      return [...validation]
    })
    assert.deepStrictEqual(
      held.flat().toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]
    )
    const counts = held.map((rows) => [0, 1].map((answer) => rows.filter((row) => answers[row] === answer).length))
    assert.deepStrictEqual(counts, [
      [1, 2],
      [1, 2],
      [1, 2],
      [0, 2]
    ])
    const few = { heads, targets: targets.slice(0, 2) }
    assert.strictEqual(DecisionFolds.count(few, bounds), 2)
    assert.strictEqual(DecisionFolds.count({ heads, targets }, { ...bounds, validationMax: 2 }), 6)
  })

  it.each([3, 6])(
    "is as sure with %i rows of each answer as the teacher is of its answers (P1721)",
    async (perSubject) => {
      const examples = subjectRows(perSubject, 1).map(({ example }) => example)
      const { model: bytes } = await finishSession(examples, settings({ questions: [subject] }))
      const model = Model.load(bytes)
      if (!("about" in model)) throw new Error(model.reason)
      const fresh = subjectRows(20, 2).map(({ at, example }) => {
        const probabilities = model.predict(example.turns).distribution.map(({ probability }) => probability)
        const confidence = Math.max(...probabilities)
        return { confidence, teacher: teacherOf(at)[probabilities.indexOf(confidence)]! }
      })
      const meanOf = (key: "confidence" | "teacher") => fresh.reduce((sum, one) => sum + one[key], 0) / fresh.length
      assert.isAbove(meanOf("teacher"), 0.4)
      assert.closeTo(meanOf("confidence"), meanOf("teacher"), 0.06)
    }
  )

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
