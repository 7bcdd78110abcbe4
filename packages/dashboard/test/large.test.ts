/** Parts of texts and lists of any size: work in proportion to the drawn part, and a complete whole. */
import { assert, describe, it } from "@effect/vitest"
import { largeMessages, textOf } from "@limbeck/testing/fixtures/LargeMessages"
import { callPart, moreText } from "../src/large/CallParts.ts"
import { withOptions } from "../src/large/DecisionParts.ts"
import { DrawingLimits } from "../src/large/Limits.ts"
import { messagesPart } from "../src/large/MessageParts.ts"
import { callsPage, openingOf } from "../src/large/Openings.ts"
import { partOf } from "../src/large/TextPart.ts"

const values: ReadonlyArray<unknown> = [
  null,
  1.5,
  true,
  "",
  [],
  {},
  [[], {}, [{}]],
  { a: [1, { b: null }], 'with "quotes"': "and\nlines" },
  { text: textOf(2_000, "😀"), more: textOf(900, "a\u0301") },
  Array.from({ length: 50 }, (_, number) => ({ number, text: `text ${number}` }))
]

/** All parts of a value, from its first to its last. */
const parts = (value: unknown, length: number): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (let from: number | null = 0; from !== null; ) {
    const { next, text } = partOf(value, from, length)
    texts.push(text)
    from = next
  }
  return texts
}

/** An array that counts reads of its items. */
const counted = (items: ReadonlyArray<unknown>) => {
  const reads = { count: 0 }
  const array = new Proxy(items, {
    get: (target, name, receiver) => {
      if (typeof name === "string" && /^\d+$/.test(name)) reads.count++
      return Reflect.get(target, name, receiver)
    }
  })
  return { array, reads }
}

describe("a part of a text", () => {
  it("is joined with the others to the whole, and splits no character (P903)", () => {
    for (const value of values) {
      const whole = typeof value === "string" ? value : JSON.stringify(value, null, 2)
      for (const length of [7, 100, DrawingLimits.textMax]) {
        const texts = parts(value, length)
        assert.strictEqual(texts.join(""), whole)
        assert.isTrue(texts.every((text) => text.length <= length && text.isWellFormed()))
      }
    }
  })

  it("reads as many items as it draws, however many there are (P903)", () => {
    const { array, reads } = counted(Array.from({ length: 200_000 }, (_, number) => number))
    const { text } = partOf(array, 0, DrawingLimits.textMax)
    assert.isAbove(text.length, (3 * DrawingLimits.textMax) / 4)
    assert.isAtMost(reads.count, DrawingLimits.textMax)
    openingOf(array)
    assert.isAtMost(reads.count, 2 * DrawingLimits.textMax)
  })

  it("ends at a line break where one is near its end", () => {
    assert.strictEqual(partOf(`${"a".repeat(90)}\n${"b".repeat(90)}`, 0, 100).text, `${"a".repeat(90)}\n`)
    assert.strictEqual(partOf(`${"a".repeat(10)}\n${"b".repeat(190)}`, 0, 100).text.length, 100)
  })

  it("of deep JSON is not mostly blanks", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`)
    assert.isAtMost(parts(deep, DrawingLimits.textMax).join("").length, 2 * 900 * (2 * DrawingLimits.indentsMax + 3))
  })
})

describe("the parts of a captured call", () => {
  const drawnIn = (part: unknown) => JSON.stringify(part).length

  it("are bounded, whatever the messages (P903)", () => {
    for (const [name, messages] of Object.entries(largeMessages)) {
      const { messages: drawn, total } = messagesPart(messages, 0)
      assert.strictEqual(total, messages.length, name)
      assert.isAtMost(drawn.length, DrawingLimits.itemsMax, name)
      const texts = drawn.flatMap(({ content, rest }) => [content.text, rest?.text ?? ""])
      // Half of the total for each body, and a little of every text beyond.
      const charactersMax = DrawingLimits.textsMax / 2 + texts.length * DrawingLimits.textMin
      assert.isAtMost(texts.join("").length, charactersMax, name)
      const call = { request: { messages }, response: messages, shadow_results: [{ message: messages }] }
      // Escaped, a character has six at most.
      assert.isAtMost(drawnIn(callPart(call)), 6 * 2 * DrawingLimits.textsMax, name)
      assert.isAtMost(
        drawnIn(callsPage({ data: [{ request: { messages } }, { response: { messages } }] })),
        6 * 4 * DrawingLimits.openingMax,
        name
      )
    }
  })

  it("go on where the part before has ended, of a body, a message and a shadow", () => {
    const content = textOf(10_000, "0123456789")
    const call = { request: { messages: [{ role: "user", content }] }, shadow_results: [{ message: content }] }
    const place = { body: "request", message: 0, part: "content" } as const
    assert.deepStrictEqual(moreText(call, place, 8_000), { text: content.slice(8_000), next: null })
    assert.strictEqual(moreText(call, { shadow: 0 }, 5).text, content.slice(5, 5 + DrawingLimits.textMax))
    assert.strictEqual(
      moreText(call, { body: "request" }, 20).text,
      JSON.stringify(call.request, null, 2).slice(20, 20 + DrawingLimits.textMax)
    )
  })
})

describe("the decisions of a call", () => {
  const probabilities = [0.1, 0.2, 0.7]
  const decision = (kind: string, name: string | null, count: number) => ({
    kind,
    name,
    probabilities: probabilities.slice(0, count)
  })

  it("have their options in the order of the probabilities, in both dialects (P1371)", () => {
    const list = {
      questions: [
        { type: "box", name: "where" },
        { type: "choice", name: "team", choices: [{ value: "tech" }, { value: "Billing" }, { value: true }] },
        { type: "predicate" },
        { type: "score", name: "haste", levels: [{ label: "low" }, { label: "high" }] }
      ]
    }
    const map = {
      questions: {
        angry: { type: "noul", instructions: "?" },
        team: { type: "choice", criteria: { tech: null, "2": "x", billing: "money" } },
        haste: { type: "score", criteria: ["low", { of: 1 }] }
      }
    }
    const optionsOf = (decisions: ReadonlyArray<object>, request: unknown) =>
      (withOptions(decisions, request) as ReadonlyArray<{ readonly options: unknown }>).map(({ options }) => options)
    assert.deepStrictEqual(
      optionsOf([decision("choice", "team", 3), decision("predicate", null, 2), decision("score", "haste", 2)], list),
      [
        ["true", "Billing", "tech"],
        ["false", "true"],
        ["low", "high"]
      ]
    )
    assert.deepStrictEqual(
      optionsOf([decision("predicate", "angry", 2), decision("choice", "team", 3), decision("score", "haste", 2)], map),
      [
        ["false", "true"],
        ["2", "billing", "tech"],
        ["low", '{"of":1}']
      ]
    )
    assert.deepStrictEqual(optionsOf([decision("choice", "team", 2)], list), [null])
    assert.deepStrictEqual(withOptions(undefined, null), [])
  })
})
