import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Container from "../../src/builtin/internal/Container.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
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
