/** Whether a race of hosted models finds the cheapest good one, judged by accuracies and prices that the test plants. */
import { assert, describe, it } from "@effect/vitest"
import { luck } from "@limbeck/testing/random/Luck"
import * as RaceRules from "../../src/race/RaceRules.ts"

interface PlantedModel {
  readonly name: string
  /** The probability of an answer that agrees. */
  readonly accuracy: number
  /** Micro-dollars of a token. */
  readonly price: number
}

const seeds = Array.from({ length: 100 }, (_, index) => 20_261_200 + index)
const rows = 600
/** How often the teacher gives its own answer again, and the cost of its calls. */
const teacher = { teacherItself: 0.97, teacherCostPer1000Usd: 3 }

/** Answers of some 300 tokens; two models write the same answer with up to a tenth more or fewer. */
const itemsOf = ({ accuracy, price }: PlantedModel, next: () => number, tokens: ReadonlyArray<number>) =>
  tokens.map(
    (count): RaceRules.CandidateItem => ({
      isAnswered: true,
      agrees: next() < accuracy,
      latencyMillis: Math.round(100 + 900 * next()),
      costMicros: Math.round(count * (0.9 + 0.2 * next()) * price),
      scores: []
    })
  )

const raceOf = (seed: number, models: ReadonlyArray<PlantedModel>, teacherPer1000Usd: number | null = 3) => {
  const next = luck(seed)
  const tokens = Array.from({ length: rows }, () => Math.round(100 + 400 * next()))
  const results = models.map((model) =>
    RaceRules.resultOf({ source: "host", model: model.name }, itemsOf(model, next, tokens), [])
  )
  return RaceRules.cheapest(results, { ...teacher, student: null, teacherCostPer1000Usd: teacherPer1000Usd })
}

const found = (models: ReadonlyArray<PlantedModel>, isRight: (race: ReturnType<typeof raceOf>) => boolean): number =>
  seeds.filter((seed) => isRight(raceOf(seed, models))).length

const dear: PlantedModel = { name: "dear", accuracy: 0.99, price: 5 }
const good: PlantedModel = { name: "good", accuracy: 0.98, price: 2 }
/** Its agreement is less than the reference by 3 points. */
const near: PlantedModel = { name: "near", accuracy: 0.94, price: 1 }
const poor: PlantedModel = { name: "poor", accuracy: 0.8, price: 0.1 }

describe("a race of planted models", () => {
  it("finds the cheapest that is good enough with 95 of 100 seeds (P1390)", () => {
    assert.isAtLeast(
      found([dear, near, good, poor], (race) => race?.name === "host/good" && race.tied_with.length === 0),
      95
    )
    // Without it the dear one wins, and a worse one does not take its place.
    assert.isAtLeast(
      found([dear, near, poor], (race) => race?.name === "host/dear"),
      95
    )
  })

  it("calls models of equal price and accuracy tied, and no others, with 95 of 100 seeds (P1390)", () => {
    const twin = { ...good, name: "twin" }
    const dearer = { ...good, name: "dearer", price: 1.03 * good.price }
    const isTie = (race: ReturnType<typeof raceOf>) => {
      const names = [race?.name, ...(race?.tied_with ?? [])].toSorted()
      return names.join(" ") === "host/good host/twin"
    }
    assert.isAtLeast(found([dear, good, near, twin, dearer, poor], isTie), 95)
  })

  it("keeps the teacher where no model is good enough or cheaper (P1390)", () => {
    assert.isAtLeast(
      found([near, poor], (race) => race?.kind === "teacher" && race.name === "teacher"),
      95
    )
    assert.isAtLeast(
      found([{ ...dear, price: 50 }], (race) => race?.kind === "teacher"),
      95
    )
    // Nobody is the cheapest of models without a price.
    assert.isNull(raceOf(1, [near, poor], null))
  })

  it("never calls a model without a price the cheapest (P1391)", () => {
    const answers = itemsOf(
      good,
      luck(1),
      Array.from({ length: rows }, () => 300)
    )
    const unpriced = RaceRules.resultOf(
      { source: "host", model: "unpriced" },
      answers.map((item) => ({ ...item, agrees: true, costMicros: null })),
      []
    )
    assert.isNull(unpriced.cost_per_1000_calls_usd)
    assert.strictEqual(unpriced.agreement?.value, 1)
    const priced = RaceRules.resultOf({ source: "host", model: "dear" }, answers, [])
    const race = RaceRules.cheapest([unpriced, priced], { ...teacher, student: null })
    assert.strictEqual(race?.name, "host/dear")
    assert.notInclude(race?.tied_with ?? [], "host/unpriced")
    assert.isNull(RaceRules.cheapest([unpriced], { ...teacher, student: null, teacherCostPer1000Usd: null }))
  })
})
