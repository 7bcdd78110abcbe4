import { assert, describe, it } from "@effect/vitest"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Container from "../../src/builtin/internal/Container.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import * as RowErrors from "../../src/builtin/internal/RowErrors.ts"
import * as TrainingSet from "../../src/builtin/internal/TrainingSet.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { attempt, encoded, finish, modelOf, resumed, said, setOf, settings } from "./Sets.ts"

const topics = ["parcel", "refund", "login", "invoice"]
const moods = ["calm", "angry", "glad"]
const answerOf = (topic: number, mood: number) =>
  `{\n  "mood": "${moods[mood]}",\n  "about": { "topic": "${topics[topic]}", "known": true }\n}`
const textOf = (topic: number, mood: number, index: number) =>
  `my ${topics[topic]} number ${index} and I am ${moods[mood]} today`

/** Every combination but those in which both have the same number. */
const examples = (rows: number): ReadonlyArray<Example> =>
  Array.from({ length: rows }, (_, index) => ({ topic: index % 4, mood: Math.floor(index / 4) % 3, index }))
    .filter(({ mood, topic }) => mood !== topic)
    .map(({ index, mood, topic }) => said(textOf(topic, mood, index), answerOf(topic, mood)))

const given = settings({ epochs: 10 })
const rows = examples(600)

/** The places of a set in binary. */
const placesOf = (set: number): ReadonlyArray<number> => [0, 1, 2, 3].filter((place) => (set >> place) % 2 === 1)
const listOf = (set: number): string => JSON.stringify(placesOf(set).map((place) => topics[place]))
const listedText = (set: number, index: number): string =>
  `number ${index}: ${placesOf(set)
    .map((place) => `about my ${topics[place]}`)
    .join(" and ")} please`

describe("Lists of labels", () => {
  const missing = 13
  const rows = Array.from({ length: 640 }, (_, index) => ({ index, set: index % 16 }))
    .filter(({ set }) => set !== missing)
    .map(({ index, set }) => said(listedText(set, index), listOf(set)))

  it("each label is learnt as present or not: a combination that no row has is answered (P1529)", () => {
    const model = modelOf(rows, given)
    for (const set of [0, 1, 6, missing, 15]) {
      const { confidence, text } = model.predict([{ role: "user", text: listedText(set, 7_000) }])
      assert.strictEqual(text, listOf(set))
      assert.isTrue(confidence > 0 && confidence <= 1)
    }
    assert.strictEqual(model.about.fields?.heads.length, topics.length)
  })

  it("a file of them is none to readers from before (P1529)", () => {
    const set = setOf(rows, given)
    const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))
    for (const format of Model.formats.filter((one) => one !== "limbeck-text-classifier/6")) {
      assert.instanceOf(Container.decode(bytes, format), Container.Unreadable)
    }
  })
})

describe("Calls of several tools", () => {
  const callOf = (name: string, args: object) =>
    ToolAnswers.labelOf({ role: "assistant", tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] }) ??
    ""
  const sendOf = (topic: number, mood: number) => callOf("send", { about: topics[topic], mood: moods[mood] })
  const sendText = (topic: number, mood: number, index: number) =>
    `${index} write them about the ${topics[topic]}, sound ${moods[mood]}`
  const colours = ["red", "green", "blue", "white"]
  const paintOf = (at: number) => callOf("paint", { colour: colours[at % 4], coats: (at % 3) + 1 })
  const paintText = (at: number, index: number) =>
    `${index} the wall should become ${colours[at % 4]}, brush it ${["once", "twice", "thrice"][at % 3]}`
  const question = "What do you mean?"
  const rows = Array.from({ length: 900 }, (_, index): ReadonlyArray<Example> => {
    const at = Math.floor(index / 3)
    const [topic, mood] = [at % 4, Math.floor(at / 4) % 3]
    if (index % 3 === 0) return topic === mood ? [] : [said(sendText(topic, mood, index), sendOf(topic, mood))]
    if (index % 3 === 1) return at % 12 === 5 ? [] : [said(paintText(at, index), paintOf(at))]
    return at % 4 === 0 ? [said(`${index} hm, er, something`, question)] : []
  }).flat()

  it("the tool is learnt, and its arguments from its rows: a combination that no row has is answered (P1701)", () => {
    const model = modelOf(rows, given)
    const answer = (text: string) => model.predict([{ role: "user", text }])
    for (const [text, wanted] of [
      [sendText(1, 1, 7_000), sendOf(1, 1)],
      [sendText(3, 0, 7_001), sendOf(3, 0)],
      [paintText(5, 7_002), paintOf(5)],
      [paintText(2, 7_003), paintOf(2)],
      ["7004 hm, er, something", question]
    ] as const) {
      const { confidence, text: answered } = answer(text)
      assert.strictEqual(answered, wanted)
      assert.isTrue(confidence > 0.5 && confidence <= 1)
    }
    const heads = model.about.fields?.heads.map(({ from, name, to, when }) => [name, to - from, when])
    assert.deepStrictEqual(heads?.slice(0, 1), [["$tool_call/name", 3, undefined]])
    assert.sameDeepMembers(heads?.slice(1) ?? [], [
      ["paint/coats", 3, 0],
      ["paint/colour", 4, 0],
      ["send/about", 4, 1],
      ["send/mood", 3, 1]
    ])
  })

  it("confidence is of the whole answer: the arguments of tools that are not called count for nothing (P1701)", () => {
    const model = modelOf(rows, given)
    const confidences = [0, 1, 2, 3].map((at) => model.predict([{ role: "user", text: paintText(at, at) }]).confidence)
    const vague = model.predict([{ role: "user", text: "9 the wall should become red, brush it" }]).confidence
    assert.isBelow(vague, Math.min(...confidences))
    const quality = model.about.quality ?? { rows: 0, accuracy: 0, calibrationError: 1 }
    assert.isAbove(quality.accuracy, 0.9)
    assert.isBelow(quality.calibrationError, 0.1)
  })

  it("a tool's arguments learn nothing from the rows of other tools (P1701)", () => {
    const set = setOf(rows, given)
    const errors = new Float64Array(set.labels.length)
    const errorsOf = RowErrors.of(set, errors)
    const heads = TrainingSet.headsIn(set)
    for (const row of [0, 1, 2, 3, 4, 5]) {
      errors.fill(0.5)
      errorsOf(row)
      const asked = heads.map(({ from, to }) => errors.subarray(from, to).some((error) => error !== 0))
      assert.deepStrictEqual(
        asked,
        heads.map(({ when = set.labelOf[row] }) => when === set.labelOf[row])
      )
    }
  })

  it("a training that is broken off ends with the same student, whose file is none to readers from before (P1701)", () => {
    const set = setOf(rows, given)
    const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))
    const broken = WeightTrainer.make(set, given)
    broken.advance(100)
    assert.deepStrictEqual(encoded(set, given, finish(resumed(set, given, broken))), bytes)
    for (const format of Model.formats.filter((one) => one !== "limbeck-text-classifier/7")) {
      assert.instanceOf(Container.decode(bytes, format), Container.Unreadable)
    }
  })
})

describe("Fields", () => {
  it("each is learnt by itself: a combination that no row has is answered, in the writing of the rows (P355)", () => {
    const model = modelOf(rows, given)
    for (const number of [0, 1, 2]) {
      const { confidence, text } = model.predict([{ role: "user", text: textOf(number, number, 7_000) }])
      assert.strictEqual(text, answerOf(number, number))
      assert.isTrue(confidence > 0 && confidence <= 1)
    }
    const { fields, labels } = model.about
    assert.strictEqual(labels.length, topics.length + moods.length)
    assert.deepStrictEqual(
      fields?.heads.map(({ from, name, to }) => [name, to - from]),
      [
        ["mood", moods.length],
        ["about/topic", topics.length]
      ]
    )
  })

  it("a file of them is none to readers from before, and one from before is read (P355)", () => {
    const set = setOf(rows, given)
    const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))
    assert.instanceOf(Container.decode(bytes, Model.format), Container.Unreadable)
    const plain = setOf([said("a b", "yes"), said("c d", "no"), said("a e", "yes"), said("c f", "no")], given)
    const before = encoded(plain, given, finish(WeightTrainer.make(plain, given)))
    assert.notInstanceOf(Container.decode(before, Model.format), Container.Unreadable)
  })

  it("a training that is broken off ends with the same student as one that was left alone (P49, P355)", () => {
    const set = setOf(rows, given)
    const whole = encoded(set, given, finish(WeightTrainer.make(set, given)))
    const broken = WeightTrainer.make(set, given)
    broken.advance(100)
    assert.deepStrictEqual(encoded(set, given, finish(resumed(set, given, broken))), whole)
  })

  it("each may have as many labels as a set, and all together more (P355)", () => {
    const many = (labels: number) =>
      Array.from({ length: labels * 5 }, (_, index) =>
        said(`row ${index}`, JSON.stringify({ a: `a${index % labels}`, b: `b${(index * 7) % labels}` }))
      )
    const three = settings({ labelsMax: 100 })
    const set = attempt(many(100), three)
    assert.isTrue("labels" in set && set.labels.length === 200)
    assert.deepInclude(attempt(many(110), three), { code: "labels_not_closed" })
  })
})

describe("Closed fields beside free ones", () => {
  const reasons = (index: number) => `case ${index * 7_919} of a customer, as told on page ${index}`
  const answerWith = (topic: number, mood: number, index: number) =>
    JSON.stringify({
      topic: topics[topic],
      reason: reasons(index),
      mood: moods[mood],
      steps: { first: reasons(index + 1) }
    })
  const partly = (rows: number) =>
    Array.from({ length: rows }, (_, index) => ({ topic: index % 4, mood: Math.floor(index / 4) % 3, index })).map(
      ({ index, mood, topic }) => said(textOf(topic, mood, index), answerWith(topic, mood, index))
    )
  const closedOnly = { ...given, fields: "closed_only" as const }

  it("the closed ones are learnt, and the answer leaves the others out (P1760)", () => {
    const model = modelOf(partly(480), closedOnly)
    assert.deepStrictEqual(model.about.free, ["reason", "steps"])
    for (const [topic, mood] of [
      [0, 1],
      [3, 2]
    ] as const) {
      const { text } = model.predict([{ role: "user", text: textOf(topic, mood, 9_000) }])
      assert.strictEqual(text, JSON.stringify({ topic: topics[topic], mood: moods[mood] }))
    }
  })

  it("long free texts do not count against the closed set (P1760)", () => {
    const long = partly(480).map((one, index) => ({
      ...one,
      label: answerWith(index % 4, Math.floor(index / 4) % 3, index).replace("case", "case ".repeat(200))
    }))
    assert.deepStrictEqual(modelOf(long, closedOnly).about.free, ["reason", "steps"])
  })

  it("a file of a part of the answer is none to readers from before (P1760)", () => {
    const set = setOf(partly(480), closedOnly)
    const bytes = encoded(set, closedOnly, finish(WeightTrainer.make(set, closedOnly)))
    for (const format of Model.formats.filter((one) => one !== "limbeck-text-classifier/8")) {
      assert.instanceOf(Container.decode(bytes, format), Container.Unreadable)
    }
  })
})
