import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Schema from "effect/Schema"
import { Unreadable } from "../../src/builtin/internal/Container.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { encoded, examples, finish, modelOf, said, setOf, settings } from "./Sets.ts"

const given = settings()
const model = modelOf(examples(300), given)
const ask = (text: string, of = model) => of.predict([{ role: "user", text }])

const checkPrediction = ({ confidence, distribution, text }: Model.Prediction) => {
  const sum = distribution.reduce((total, { probability }) => total + probability, 0)
  assert.closeTo(sum, 1, 1e-9)
  for (const { probability } of distribution) assert.isTrue(probability >= 0 && probability <= 1)
  assert.strictEqual(confidence, Math.max(...distribution.map(({ probability }) => probability)))
  assert.isTrue(distribution.some((one) => one.text === text && one.probability === confidence))
}

describe("Model", () => {
  it.prop("is sure between 0 and 1, over labels that sum to 1, whatever it is asked", [Schema.String], ([text]) =>
    checkPrediction(ask(text))
  )

  it.prop("answers the same when it is asked again", [Schema.String, Schema.String], ([text, other]) => {
    const first = ask(text)
    ask(other)
    assert.deepStrictEqual(ask(text), first)
  })

  it("answers an empty text, no message at all, and 100 KiB", () => {
    for (const text of ["", " \n ", "word ".repeat(20_480), "a".repeat(102_400), "😀".repeat(51_200), "\ud800"]) {
      checkPrediction(ask(text))
    }
    checkPrediction(model.predict([]))
  })

  it("answers without a word of a label when it saw one label alone", () => {
    const single = modelOf(
      Array.from({ length: 30 }, (_, index) => said(`row ${index}`, "only")),
      given
    )
    assert.deepStrictEqual(ask("anything", single), {
      text: "only",
      confidence: 1,
      isNew: false,
      distribution: [{ text: "only", probability: 1 }]
    })
  })

  it("can be made of a single row", () => checkPrediction(ask("hello", modelOf([said("hello", "greeting")], given))))

  it("can give a label that was seen once", () => {
    const rows = [
      ...Array.from({ length: 30 }, (_, index) => said(`a matter of money ${index}`, "money")),
      said("zebra crossing", "animal")
    ]
    assert.strictEqual(ask("zebra crossing", modelOf(rows, settings({ epochs: 20 }))).text, "animal")
  })

  it("reads what the user said last, and before it by who said it", () => {
    const turns = (last: string, before: string) => [
      { role: "assistant", text: before },
      { role: "user", text: last }
    ]
    const rows = Array.from({ length: 60 }, (_, index) => {
      const side = index % 2 ? "left" : "right"
      return { turns: turns(`yes please ${index}`, `shall we go ${side}`), label: side }
    })
    const own = modelOf(rows, settings({ epochs: 10 }))
    assert.strictEqual(own.predict(turns("yes please", "shall we go left")).text, "left")
    assert.strictEqual(own.predict(turns("yes please", "shall we go right")).text, "right")
  })

  it("has the same bytes for the same rows and settings, and says what it is", () => {
    const set = setOf(examples(300), given)
    const bytes = () => encoded(set, given, finish(WeightTrainer.make(set, given)))
    assert.deepStrictEqual(bytes(), bytes())
    const { labels, madeOf, quality, trainingRows } = model.about
    assert.strictEqual(madeOf, set.fingerprint)
    assert.deepStrictEqual(labels, set.labels)
    assert.strictEqual(trainingRows, set.training.length)
    assert.strictEqual(quality?.rows, set.validation.length)
  })

  it("is not loaded from bytes that are cut, changed anywhere, or of something else", () => {
    const set = setOf(examples(60), given)
    const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))
    assert.notInstanceOf(Model.load(bytes), Unreadable)
    for (const length of [0, 8, 40, bytes.length - 1])
      assert.instanceOf(Model.load(bytes.subarray(0, length)), Unreadable)
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = bytes.slice()
      damaged[at] = damaged[at]! ^ 0x10
      assert.instanceOf(Model.load(damaged), Unreadable, `${at}`)
    }
    assert.instanceOf(Model.load(new TextEncoder().encode("x".repeat(200))), Unreadable)
  })
})
