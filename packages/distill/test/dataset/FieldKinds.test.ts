/** What the fields of JSON answers hold. */
import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"

const words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove"]
const wordOf = (n: number): string => words[n % words.length]!

/** A case of a support desk: each row has another customer and amount. */
const caseOf = (n: number) => ({
  topic: ["billing", "access", "delivery"][n % 3],
  priority: ["low", "medium", "high"][n % 3],
  stars: (n % 5) + 1,
  amount: n * 7 + 0.25,
  customer: { name: `${wordOf(n)} ${n}` },
  summary: `The ${wordOf(n + 1)} case of ${n * 13} days`
})
const requestOf = (n: number): string => `Dear desk, ${wordOf(n).toUpperCase()}  ${n} writes about the case.`
const rowOf = (n: number): Row => ({
  messages: [{ role: "user", content: requestOf(n) }],
  completion: JSON.stringify(caseOf(n))
})
const rows = (count: number, of = rowOf): ReadonlyArray<Row> => Array.from({ length: count }, (_, n) => of(n))
const profileOf = (all: ReadonlyArray<Row>) => RowProfiler.profileOf(all.reduce(RowProfiler.add, RowProfiler.begin()))
const kindsOf = (all: ReadonlyArray<Row>): Readonly<Record<string, string>> =>
  Object.fromEntries((profileOf(all).fieldKinds ?? []).map(({ kind, name }) => [name, kind]))

const callOf = (tool: string, args: object): NonNullable<Row["completion"]> => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify(args) } }]
})

describe("the kinds of fields", () => {
  const expected = {
    amount: "number",
    "customer/name": "span",
    priority: "ordered",
    stars: "ordered",
    summary: "free",
    topic: "closed"
  }

  it("are told by the values and the request, nested fields too, in any order of the rows (P1773)", () => {
    assert.deepStrictEqual(kindsOf(rows(120)), expected)
    assert.deepStrictEqual(profileOf(rows(120).toReversed()).fieldKinds, profileOf(rows(120)).fieldKinds)
  })

  it("say how many rows have the field and how many of these fit (P1773)", () => {
    const refusals: ReadonlyArray<Row> = rows(30, (n) => ({ ...rowOf(n), completion: "I cannot say." }))
    const odd = rows(4, (n) => ({ ...rowOf(n), completion: JSON.stringify({ ...caseOf(n), topic: `other ${n}` }) }))
    const kinds = profileOf([...refusals, ...rows(96), ...odd]).fieldKinds
    assert.deepInclude(
      kinds?.find(({ name }) => name === "summary"),
      { rows: 100, share: 1 }
    )
    const span = kinds?.find(({ name }) => name === "customer/name")
    assert.deepStrictEqual(span, { name: "customer/name", kind: "span", rows: 100, share: 1 })
  })

  it("of long values, of maps and of other answers are free or none (P1773)", () => {
    const long = rows(60, (n) => ({ ...rowOf(n), completion: JSON.stringify({ note: "x".repeat(101 + (n % 2)) }) }))
    assert.deepStrictEqual(kindsOf(long), { note: "free" })
    const map = rows(60, (n) => ({
      ...rowOf(n),
      completion: JSON.stringify({ a: 1, b: 2, [`own ${n}`]: 1, [`other ${n}`]: 2 })
    }))
    assert.notProperty(profileOf(map), "fieldKinds")
    assert.notProperty(profileOf(rows(60, (n) => ({ ...rowOf(n), completion: wordOf(n) }))), "fieldKinds")
  })

  it("are those of the arguments where all calls are of one tool (P1773)", () => {
    const called = rows(120, (n) => ({ ...rowOf(n), completion: callOf("open_case", caseOf(n)) }))
    assert.deepStrictEqual(kindsOf(called), expected)
    const several = rows(120, (n) => ({ ...rowOf(n), completion: callOf(wordOf(n % 2), caseOf(n)) }))
    assert.notProperty(profileOf(several), "fieldKinds")
  })
})
