import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import { generator, shuffle } from "../../src/builtin/internal/Hashing.ts"
import { isRefusal } from "../../src/builtin/internal/TrainingSet.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { attempt, digestOf, examples, finish, said, setOf, settings } from "./Sets.ts"

const permuted = (from: ReadonlyArray<Example>, seed: number): ReadonlyArray<Example> =>
  Array.from(shuffle(Uint32Array.from(from.keys()), generator(seed)), (index) => from[index]!)

const refusalOf = (from: Iterable<Example>, over = {}): string => {
  const made = attempt(from, settings(over))
  return isRefusal(made) ? made.code : "none"
}

/** `count` rows of a label, each with words of its own. */
const rowsOf = (label: string | null, count: number): ReadonlyArray<Example> =>
  Array.from({ length: count }, (_, index) => said(`${label} number ${index}`, label))

describe("TrainingSet", () => {
  it.prop("the order in which rows come changes nothing: the model is the same (P49)", [Schema.Int], ([seed]) => {
    const given = settings({ epochs: 1 })
    const rows = examples(60)
    const digest = (from: ReadonlyArray<Example>) => {
      const set = setOf(from, given)
      return digestOf(set, given, finish(WeightTrainer.make(set, given)))
    }
    assert.strictEqual(digest(permuted(rows, seed)), digest(rows))
  })

  it("validates with a fifth of each label's rows, and trains on the rest", () => {
    const { labelOf, labels, training, validation } = setOf([...rowsOf("a", 100), ...rowsOf("b", 40)], settings())
    const countOf = (part: Uint32Array, label: string) =>
      [...part].filter((row) => labels[labelOf[row]!] === label).length
    assert.deepStrictEqual([countOf(training, "a"), countOf(validation, "a")], [80, 20])
    assert.deepStrictEqual([countOf(training, "b"), countOf(validation, "b")], [32, 8])
    assert.strictEqual(new Set([...training, ...validation]).size, 140)
  })

  it("trains on the only row of a label", () => {
    const { labelOf, labels, training } = setOf([...rowsOf("often", 200), said("seldom seen", "once")], settings())
    assert.deepStrictEqual(labels, ["often", "once"])
    assert.isTrue([...training].some((row) => labels[labelOf[row]!] === "once"))
  })

  it("orders labels by how often they are, then by their text", () => {
    const rows = [...rowsOf("b", 3), ...rowsOf("a", 3), ...rowsOf("c", 5)]
    assert.deepStrictEqual(setOf(rows, settings()).labels, ["c", "a", "b"])
  })

  it("leaves out a few rows that are outside of the labels, and counts them", () => {
    const rows = [...rowsOf("a", 100), ...rowsOf("x".repeat(101), 2), ...rowsOf(null, 1), ...rowsOf("rare", 1)]
    const { counts, labels } = setOf(rows, settings({ labelsMax: 1 }))
    assert.deepStrictEqual(labels, ["a"])
    assert.deepStrictEqual(counts, { offered: 104, unsampled: 0, outside: 4, variants: 0, cut: 0 })
  })

  it("refuses rows whose completions are no closed set, and says so", () => {
    const texts = Array.from({ length: 300 }, (_, index) => said(`question ${index}`, `answer ${index}`))
    assert.strictEqual(refusalOf(texts), "labels_not_closed")
    assert.strictEqual(refusalOf(rowsOf(null, 10)), "labels_not_closed")
    assert.strictEqual(refusalOf([...rowsOf("a", 94), ...rowsOf("b", 6)], { labelsMax: 1 }), "labels_not_closed")
    assert.strictEqual(refusalOf([...rowsOf("a", 95), ...rowsOf("b", 5)], { labelsMax: 1 }), "none")
  })

  it("refuses a set without rows", () => assert.strictEqual(refusalOf([]), "no_training_rows"))

  it("above its bounds, keeps a sample that is the same in whatever order rows come", () => {
    const rows = examples(400)
    for (const over of [{ rowsMax: 100 }, { featuresMax: 20_000 }]) {
      const given = settings(over)
      const set = setOf(rows, given)
      const kept = set.labelOf.length
      assert.isTrue(kept > 20 && kept <= 200, `${kept}`)
      assert.strictEqual(set.counts.unsampled, 400 - kept)
      assert.strictEqual(setOf(permuted(rows, 5), given).fingerprint, set.fingerprint)
    }
  })

  it("reads no more of a text than its bound, so what is cut before changes nothing", () => {
    const set = (text: string) =>
      setOf([said(text, "a"), said("other", "b")], settings({ charactersMax: 20 })).fingerprint
    assert.strictEqual(set(`twenty characters ok${" and more".repeat(50)}`), set("twenty characters ok"))
    assert.notStrictEqual(set("twenty characters o"), set("twenty characters ok"))
  })

  it("reads writings of the same text as one: compatibility forms, case and spaces", () => {
    const set = (text: string) => setOf([said(text, "a"), said("something else", "b")], settings()).fingerprint
    assert.strictEqual(set("ＦＵＬＬ  Width\n①"), set("full width 1"))
    assert.notStrictEqual(set("full width 2"), set("full width 1"))
  })
})
