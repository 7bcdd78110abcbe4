import { assert, describe, it } from "@effect/vitest"
import { defaults } from "@limbeck/executors/builtin/Settings"
import { type Ticket, tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Reference from "../../../workshop/reference/LogisticRegression.ts"
import * as Evaluation from "../../src/builtin/internal/Evaluation.ts"
import { exampleOf, modelOf } from "./Sets.ts"

/**
 * It may be two points below the reference. Measured, the reference second: on the holdout 0.880 and 0.875, on fresh rows
 * 0.873 and 0.874. Sets of seeds 2 and 3 gave 0.930 and 0.925, 0.890 and 0.900 on their holdouts, 0.878 and 0.879, 0.874 and
 * 0.874 on fresh rows: 200 rows alone tell no two points apart.
 */
const slack = 0.02

const all = tickets({ rows: 2_000, seed: 1 })
const train = all.slice(0, 1_800)
const holdout = all.slice(1_800)
/** Rows of the same generator, unseen in training and in the choice of settings: enough to tell two points apart. */
const fresh = tickets({ rows: 4_000, seed: 101 })

const model = modelOf(train.map(exampleOf), { ...defaults, epochs: 10 })
const reference = Reference.train(train)

const summaryOn = (rows: ReadonlyArray<Ticket>) =>
  Evaluation.summarize(rows.map((row) => Evaluation.answer(model, exampleOf(row))))

const referenceOn = (rows: ReadonlyArray<Ticket>): number => {
  const answers = reference(rows)
  return rows.filter(({ completion }, index) => answers[index] === completion).length / rows.length
}

describe("accuracy on the 2,000 tickets", () => {
  it("the tickets are the same each time, uneven, and not easily told apart", () => {
    assert.deepStrictEqual(tickets({ rows: 2_000, seed: 1 }), all)
    const counts = new Map<string, number>()
    for (const { completion } of all) counts.set(completion, (counts.get(completion) ?? 0) + 1)
    assert.strictEqual(counts.size, 8)
    assert.isBelow(Math.min(...counts.values()), 60)
    assert.isAbove(Math.max(...counts.values()), 400)
    assert.isTrue(referenceOn(fresh) > 0.82 && referenceOn(fresh) < 0.92, `${referenceOn(fresh)}`)
  })

  it("on the holdout it is within two points of plain logistic regression (P49)", () => {
    assert.isAtLeast(summaryOn(holdout).accuracy, referenceOn(holdout) - slack)
  })

  it("so it is on 4,000 fresh rows, where luck has less say", () => {
    assert.isAtLeast(summaryOn(fresh).accuracy, referenceOn(fresh) - slack)
  })

  it("so it is with whatever epochs and rate a recipe is likely to name", () => {
    const least = referenceOn(fresh) - slack
    for (const over of [
      { epochs: 3, learningRate: 0.0002 },
      { epochs: 20, learningRate: 0.0002 },
      { epochs: 10, learningRate: 0.1 },
      { epochs: 10, learningRate: 1 }
    ]) {
      const other = modelOf(train.map(exampleOf), { ...defaults, ...over })
      const { accuracy } = Evaluation.summarize(fresh.map((row) => Evaluation.answer(other, exampleOf(row))))
      assert.isAtLeast(accuracy, least, JSON.stringify(over))
    }
  })

  it("its confidence is calibrated: on average within six points of its accuracy", () => {
    assert.isBelow(summaryOn(fresh).calibrationError, 0.06)
    const { high, low } = summaryOn(holdout).interval
    assert.isTrue(low < summaryOn(holdout).accuracy && summaryOn(holdout).accuracy < high)
  })
})
