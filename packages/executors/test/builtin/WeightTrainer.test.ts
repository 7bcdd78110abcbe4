import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { LabelScores } from "../../src/builtin/internal/CalibrationFit.ts"
import * as Checkpoint from "../../src/builtin/internal/Checkpoint.ts"
import { Unreadable } from "../../src/builtin/internal/Container.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { digestOf, examples, finish, resumed, said, setOf, settings } from "./Sets.ts"

const given = settings()
const set = setOf(examples(150), given)
const uninterrupted = digestOf(set, given, finish(WeightTrainer.make(set, given)))

const cut = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))

describe("WeightTrainer", () => {
  it("killed at any step and resumed from its checkpoint, it ends with the same model, bit by bit (P49)", () => {
    const total = given.epochs * set.training.length
    let steps = 0
    for (let boundary = 16; boundary < total; boundary += 16) {
      const trainer = WeightTrainer.make(set, given)
      while (Checkpoint.examplesOf(set, trainer.state) < boundary && !trainer.isDone()) trainer.advance(16)
      assert.strictEqual(digestOf(set, given, finish(resumed(set, given, trainer))), uninterrupted, `${boundary}`)
      steps++
    }
    assert.isAbove(steps, 20)
  })

  it.prop(
    "killed again and again after any number of rows, it ends with the same model",
    [Schema.Array(cut)],
    ([cuts]) => {
      let trainer = WeightTrainer.make(set, given)
      for (const rows of cuts) {
        if (trainer.isDone()) break
        trainer.advance(rows)
        trainer = resumed(set, given, trainer)
      }
      assert.strictEqual(digestOf(set, given, finish(trainer)), uninterrupted)
    }
  )

  it.prop("the size of its steps changes nothing", [cut], ([step]) => {
    assert.strictEqual(digestOf(set, given, finish(WeightTrainer.make(set, given), step)), uninterrupted)
  })

  it("another seed, rate, decay or number of epochs gives another model", () => {
    for (const over of [{ seed: 1 }, { learningRate: 0.01 }, { decay: 3 }, { epochs: 4 }]) {
      const other = settings(over)
      const otherSet = setOf(examples(150), other)
      assert.notStrictEqual(digestOf(otherSet, other, finish(WeightTrainer.make(otherSet, other))), uninterrupted)
    }
  })

  it("says metrics at the end of each epoch: losses fall, the rate falls to a tenth of what was asked for", () => {
    const trainer = WeightTrainer.make(set, given)
    const metrics = []
    while (!trainer.isDone()) {
      const said = trainer.advance(16).metrics
      if (said !== null) metrics.push(said)
    }
    assert.deepStrictEqual(
      metrics.map(({ epoch }) => epoch),
      [1, 2, 3]
    )
    const losses = metrics.map(({ trainLoss }) => trainLoss)
    assert.deepStrictEqual(
      losses,
      losses.toSorted((a, b) => b - a)
    )
    assert.closeTo(metrics.at(-1)?.learningRate ?? 0, given.learningRate / 10, 1e-12)
    for (const { trainAccuracy, validationAccuracy } of metrics) {
      assert.isTrue(trainAccuracy >= 0 && trainAccuracy <= 1)
      assert.isTrue(validationAccuracy !== null && validationAccuracy >= 0 && validationAccuracy <= 1)
    }
  })

  it("with patience, it stops once the loss on the validation part no longer falls, and so after a resume", () => {
    const patient = settings({ epochs: 100, patience: 2 })
    const own = setOf(examples(150), patient)
    const whole = finish(WeightTrainer.make(own, patient))
    assert.isBelow(whole.state.epoch, 100)
    const half = WeightTrainer.make(own, patient)
    while (half.state.epoch < whole.state.epoch - 1) half.advance(16)
    const rest = finish(resumed(own, patient, half))
    assert.strictEqual(digestOf(own, patient, rest), digestOf(own, patient, whole))
  })

  it("goes on from no checkpoint of other rows or settings, and from none that is damaged", () => {
    const bytes = Checkpoint.encode(set, WeightTrainer.start(set))
    assert.notInstanceOf(Checkpoint.decode(set, bytes), Unreadable)
    for (const other of [setOf(examples(151), given), setOf(examples(150), settings({ epochs: 4 }))]) {
      assert.instanceOf(Checkpoint.decode(other, bytes), Unreadable)
    }
    const damaged = bytes.slice()
    damaged[damaged.length >> 1] = damaged[damaged.length >> 1]! ^ 1
    assert.instanceOf(Checkpoint.decode(set, damaged), Unreadable)
  })

  it("learns with every rate that a recipe may name", () => {
    const rows = Array.from({ length: 40 }, (_, index) =>
      said(index % 2 ? `good ${index}` : `bad ${index}`, `${index % 2}`)
    )
    for (const learningRate of [1e-9, 0.0002, 0.1, 1]) {
      const own = settings({ learningRate, epochs: 10 })
      const trainer = finish(WeightTrainer.make(setOf(rows, own), own))
      const isRight = ({ label, scores }: LabelScores) => scores[label]! > scores[1 - label]!
      const right = trainer.validate().filter((row) => row.every(isRight))
      assert.strictEqual(right.length, trainer.validate().length, `${learningRate}`)
    }
  })
})
