import { assert, describe, it } from "@effect/vitest"
import type { Census } from "@limbeck/distill/dataset/Census"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as StudentWork from "@limbeck/distill/recipe/StudentWork"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import * as CensusTaker from "@limbeck/executors/builtin/CensusTaker"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
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

const censusOf = (rows: ReadonlyArray<Row>): Census => {
  const censusTaker = CensusTaker.make()
  for (const row of rows) censusTaker.add(row)
  return censusTaker.census()
}

const learntOf = ({ different, everywhere, single }: Census) => different - single - everywhere

describe("a census", () => {
  it("counts the features that a training then learns from (P98)", () => {
    for (const rows of [ofDesk(600), ofLuck(600)]) {
      const census = censusOf(rows)
      const { labels, offsets, places } = setOf(rows.map(exampleOf), settings({ bits: 18, validationFraction: 0 }))
      assert.strictEqual(census.labels, labels.length)
      assert.strictEqual(learntOf(census), places.length)
      const learnt = census.features - census.single - census.everywhere * census.rows
      // A feature whose signs add up to nothing in a row is counted, and not learnt from.
      assert.approximately(offsets.at(-1)! / learnt, 1, 0.02)
    }
  })

  it("is the same in any order of rows, and has fewer features beyond more of the frequent ones (P98)", () => {
    const rows = ofDesk(500)
    const census = censusOf(rows)
    assert.deepStrictEqual(censusOf(rows.toReversed()), census)
    assert.deepStrictEqual(
      census.beyond,
      census.beyond.toSorted((a, b) => b - a)
    )
    assert.isAbove(census.beyond[0]!, 0)
    assert.strictEqual(census.beyond.at(-1), 0)
  })

  it("of a part of the rows tells what all of them have, be they language or luck (P98)", () => {
    for (const rows of [ofDesk(6_000), ofLuck(6_000)]) {
      const of = (census: Census) =>
        StudentWork.of(
          { trainRows: 6_000, holdoutRows: 0, promptTokens: 40, completionTokens: 2, labels: 3, census },
          4_096
        )
      const [all, part] = [of(censusOf(rows)), of(censusOf(rows.slice(0, 1_000)))]
      assert.approximately(part.different / all.different, 1, 0.3)
      assert.approximately(part.features / all.features, 1, 0.05)
      assert.approximately(part.learnt / all.learnt, 1, 0.15)
    }
  })

  it("of luck finds more features that have to be waited for than one of language", () => {
    const beyond = (rows: ReadonlyArray<Row>) => {
      const { beyond: of, features } = censusOf(rows)
      return of[4]! / features
    }
    assert.isAbove(beyond(ofLuck(2_000)), 5 * beyond(ofDesk(2_000)))
  })
})
