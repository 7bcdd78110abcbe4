import { assert, describe, it } from "@effect/vitest"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Result from "effect/Result"

const seenOf = (completions: ReadonlyArray<string | null>): LabelRules.LabelCounts => {
  const counter = LabelRules.counter()
  for (const completion of completions) counter.add(completion)
  return counter.counts()
}
const times = <A>(count: number, of: A): ReadonlyArray<A> => Array.from({ length: count }, () => of)
const closed = (completions: ReadonlyArray<string | null>) =>
  Result.getOrUndefined(
    Result.map(LabelRules.close(seenOf(completions)), ({ labels, odd }) => ({
      labels: labels.map(({ text }) => text),
      odd
    }))
  )

describe("LabelRules", () => {
  it("writings that differ in case, spaces and end punctuation are one label, as it is written most often (P200)", () => {
    const set = closed([...times(5, "ham"), "HAM", "ham.", " ham ", ...times(3, "Spam!"), "spam", "not ham"])
    assert.deepStrictEqual(set, { labels: ["ham", "Spam!", "not ham"], odd: 0 })
    for (const [one, other] of [
      ["Très bien", "très  bien…"],
      ["ＯＫ", "ok"],
      ["?", "? "]
    ] as const) {
      assert.isTrue(LabelRules.isSame(one, other), one)
    }
    for (const [one, other] of [
      ["?", "!"],
      ["a b", "ab"],
      ["1.5", "15"],
      ["", null]
    ] as const) {
      assert.isFalse(LabelRules.isSame(one, other), one)
    }
  })

  it("writings of one JSON value are one label, and may be longer than others (P201)", () => {
    const set = closed([...times(4, '{"label":"ham"}'), '{ "label": "Ham" }', ...times(4, '{"label":"spam"}')])
    assert.deepStrictEqual(set, { labels: ['{"label":"ham"}', '{"label":"spam"}'], odd: 0 })
    assert.isTrue(LabelRules.isSame('{"a":1,"b":"x"}', '{"b": "x", "a": 1}'))
    assert.isFalse(LabelRules.isSame('{"a":"1"}', '{"a":1}'))
    const long = JSON.stringify({ intent: "i".repeat(80), urgency: "high", language: "en" })
    assert.deepStrictEqual([LabelRules.canBeLabel(long), LabelRules.canBeLabel("i".repeat(101))], [true, false])
  })

  it("up to 5 % odd answers change nothing: empty, too long, refusals, sentences that were said once (P200)", () => {
    const labels = [...times(100, "ham"), ...times(90, "spam")]
    const odd = [
      null,
      null,
      "I'm sorry, but I cannot help with that.",
      "I'm sorry, but I cannot help with that.",
      "That depends on whom you ask."
    ]
    assert.deepStrictEqual(closed([...labels, ...odd]), { labels: ["ham", "spam"], odd: 5 })
    assert.isUndefined(closed([...labels, ...times(11, null)]))
  })

  it("many refusals are a label like others, and a rare label is one", () => {
    const refusals = times(40, "I'm sorry, but I cannot help with that.")
    assert.deepStrictEqual(closed([...times(100, "ham"), ...refusals])?.labels, ["ham", refusals[0]])
    assert.deepStrictEqual(closed([...times(100, "ham"), "seldom seen"])?.labels, ["ham", "seldom seen"])
  })

  it("up to 1,000 labels are a closed set where they come again and again (P200)", () => {
    const many = (count: number, each: number) =>
      Array.from({ length: count * each }, (_, index) => `label ${index % count}`)
    assert.strictEqual(closed(many(1_000, 4))?.labels.length, 1_000)
    assert.strictEqual(closed(many(64, 1))?.labels.length, 64)
    assert.isUndefined(closed(many(65, 3)))
    assert.isUndefined(closed(many(1_100, 10)))
  })

  it("lists of few labels are told from labels", () => {
    assert.strictEqual(LabelRules.multipleOf(["a", "a, b", "b", "b, c", "c, a"]), 3)
    assert.strictEqual(LabelRules.multipleOf(['["a"]', '["a","b"]', '["b"]']), 2)
    assert.isNull(LabelRules.multipleOf(["billing", "refund", "other, please say"]))
    assert.isNull(LabelRules.multipleOf(["yes, sir", "no, sir"]))
    assert.isNull(LabelRules.multipleOf(['{"label":"ham"}', '{"label":"spam"}', '{"label":"eggs"}']))
  })
})
