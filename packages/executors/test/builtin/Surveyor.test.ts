import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import type { Survey } from "@limbeck/distill/dataset/Survey"
import * as StudentWork from "@limbeck/distill/recipe/StudentWork"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import { exampleOf } from "@limbeck/executors/builtin/BuiltinExecutor"
import * as Surveyor from "@limbeck/executors/builtin/Surveyor"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { setOf, settings } from "./Sets.ts"

const ofDesk = (rows: number): ReadonlyArray<Row> =>
  tickets({ rows, seed: 3 }).map(({ completion, messages }) => ({
    messages: [{ role: "system", content: "Sort the ticket." }, ...messages.map((one) => ({ ...one }))],
    completion
  }))

const next = SeededRandom.make(5)
const word = () => String.fromCharCode(...Array.from({ length: 6 }, () => 97 + (next() % 26)))
const ofLuck = (rows: number): ReadonlyArray<Row> =>
  Array.from({ length: rows }, (_, row) => ({
    messages: [{ role: "user", content: Array.from({ length: 20 }, word).join(" ") }],
    completion: `label ${row % 3}`
  }))

const surveyOf = (rows: ReadonlyArray<Row>): Survey => {
  const surveyor = Surveyor.make()
  for (const row of rows) surveyor.add(row)
  return surveyor.survey()
}

const learntOf = ({ different, everywhere, single }: Survey) => different - single - everywhere

describe("a survey", () => {
  it("counts the features that a training then learns from", () => {
    for (const rows of [ofDesk(600), ofLuck(600)]) {
      const survey = surveyOf(rows)
      const { labels, offsets, places } = setOf(rows.map(exampleOf), settings({ bits: 18, validationFraction: 0 }))
      assert.strictEqual(survey.labels, labels.length)
      assert.strictEqual(learntOf(survey), places.length)
      const learnt = survey.features - survey.single - survey.everywhere * survey.rows
      // A feature whose signs add up to nothing in a row is counted, and not learnt from.
      assert.approximately(offsets.at(-1)! / learnt, 1, 0.02)
    }
  })

  it("is the same in any order of rows, and has fewer features beyond more of the frequent ones", () => {
    const rows = ofDesk(500)
    const survey = surveyOf(rows)
    assert.deepStrictEqual(surveyOf(rows.toReversed()), survey)
    assert.deepStrictEqual(
      survey.beyond,
      survey.beyond.toSorted((a, b) => b - a)
    )
    assert.isAbove(survey.beyond[0]!, 0)
    assert.strictEqual(survey.beyond.at(-1), 0)
  })

  it("of a part of the rows tells what all of them have, be they language or luck", () => {
    for (const rows of [ofDesk(6_000), ofLuck(6_000)]) {
      const of = (survey: Survey) =>
        StudentWork.of(
          { trainRows: 6_000, holdoutRows: 0, promptTokens: 40, completionTokens: 2, labels: 3, survey },
          4_096
        )
      const [all, part] = [of(surveyOf(rows)), of(surveyOf(rows.slice(0, 1_000)))]
      assert.approximately(part.different / all.different, 1, 0.3)
      assert.approximately(part.features / all.features, 1, 0.05)
      assert.approximately(part.learnt / all.learnt, 1, 0.15)
    }
  })

  it("of luck finds more features that have to be waited for than one of language", () => {
    const beyond = (rows: ReadonlyArray<Row>) => {
      const { beyond: of, features } = surveyOf(rows)
      return of[4]! / features
    }
    assert.isAbove(beyond(ofLuck(2_000)), 5 * beyond(ofDesk(2_000)))
  })
})
