/** A student of several system prompts over the same messages. */
import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import * as TrainingThread from "@limbeck/executors/builtin/TrainingThread"
import { luck } from "@limbeck/testing/random/Luck"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Unreadable } from "../../src/builtin/internal/Container.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import * as Templates from "../../src/builtin/internal/Templates.ts"
import { settings } from "./Sets.ts"

const prompts = [
  "Is it about money? Answer yes or no.",
  "Is it urgent? Answer yes or no.",
  "Is it polite? Answer yes or no."
]
const idsOf = (count: number) => prompts.slice(0, count).map((prompt) => Templates.idOf(prompt))

/** Of a message the answer to prompt number `at`: whether most of its words have a bit of this number. */
const answerOf = (words: ReadonlyArray<number>, at: number): string =>
  words.filter((word) => (word >> at) & 1).length * 2 > words.length ? "yes" : "no"

const rowsOf = (seed: number, count: number, asked: ReadonlyArray<number>): ReadonlyArray<Example> => {
  const next = luck(seed)
  return Array.from({ length: count }, () => Array.from({ length: 9 }, () => Math.floor(next() * 64))).flatMap(
    (words) =>
      asked.map((at) => ({
        turns: [
          { role: "system", text: prompts[at]! },
          {
            role: "user",
            text: words.map((word) => `word${String.fromCharCode(97 + (word % 8), 97 + (word >> 3))}`).join(" ")
          }
        ],
        label: answerOf(words, at)
      }))
  )
}

const trained = Effect.fnUntraced(function* (rows: ReadonlyArray<Example>, templates: ReadonlyArray<string>) {
  const messages = yield* Stream.runCollect(
    TrainingThread.train<never, never>({
      plan: {
        settings: settings({ epochs: 10, ...(templates.length === 0 ? {} : { templates }) }),
        checkpoint: null,
        spentSeconds: 0,
        quantumSeconds: 1,
        checkpointSeconds: 60
      },
      examples: Stream.fromIterable(rows),
      grant: () => Effect.succeed(true)
    })
  )
  const last = messages.at(-1)
  if (last?.type !== "ended" || last.ending.type !== "finished") return assert.fail("the training did not finish")
  const model = Model.load(last.ending.model)
  return model instanceof Unreadable ? assert.fail(model.reason) : Templates.addressing(model)
})

const accuracyOf = ({ predict }: Templates.AddressedModel, rows: ReadonlyArray<Example>): number =>
  rows.filter(({ label, turns }) => predict(turns).text === label).length / rows.length

describe("the prompts of a student", () => {
  it.effect(
    "three prompts over the same messages are learnt within a point of three students on the mean, and not without their heads (P1335)",
    () =>
      Effect.gen(function* () {
        const mixed = yield* trained(rowsOf(1, 600, [0, 1, 2]), idsOf(3))
        const blind = yield* trained(rowsOf(1, 600, [0, 1, 2]), [])
        const means = { mixed: 0, blind: 0, alone: 0 }
        for (const at of [0, 1, 2]) {
          const alone = yield* trained(rowsOf(1, 600, [at]), [])
          const fresh = rowsOf(2, 2_000, [at])
          for (const [name, model] of Object.entries({ mixed, blind, alone }) as ReadonlyArray<
            [keyof typeof means, Templates.AddressedModel]
          >) {
            means[name] += accuracyOf(model, fresh) / 3
          }
        }
        assert.isAtLeast(means.mixed, means.alone - 0.01)
        assert.isBelow(means.blind, means.mixed - 0.2)
      })
  )

  it.effect("a prompt that was not learnt is told, and a known one in another writing is not (P1335)", () =>
    Effect.gen(function* () {
      const mixed = yield* trained(rowsOf(1, 200, [0, 1]), idsOf(2))
      const alone = yield* trained(rowsOf(1, 200, [0]), idsOf(1))
      const user = { role: "user", text: "wordaa wordbb wordcc" }
      const under = (model: Templates.AddressedModel, ...systems: ReadonlyArray<string>) =>
        model.predict([...systems.map((text) => ({ role: "system", text })), user])
      assert.isFalse(under(mixed, prompts[0]!).isUnknownTemplate)
      assert.isFalse(under(mixed, "IS IT URGENT?  answer: yes or no").isUnknownTemplate)
      assert.deepInclude(under(mixed, prompts[2]!), { isUnknownTemplate: true, isNew: true })
      assert.isTrue(under(mixed).isUnknownTemplate)
      assert.isTrue(under(alone, prompts[1]!).isUnknownTemplate)
      assert.isFalse(under(alone).isUnknownTemplate)
      const known = under(alone, "is it about money? answer YES or NO")
      assert.isFalse(known.isUnknownTemplate)
      assert.strictEqual(known.confidence, under(alone, prompts[0]!).confidence)
    })
  )

  it("are those with over 50 rows or most rows, where they are four of five rows (P1335)", () => {
    const template = (id: string, rows: number, share: number) => ({
      id: `tpl_${id}` as const,
      rows,
      share,
      sample: ""
    })
    assert.deepStrictEqual(Templates.learntOf([template("a", 60, 0.6), template("b", 40, 0.4)]), [])
    assert.deepStrictEqual(Templates.learntOf([template("a", 20, 0.9), template("b", 2, 0.1)]), ["tpl_a"])
    assert.deepStrictEqual(
      Templates.learntOf([template("a", 60, 0.5), template("b", 51, 0.43), template("c", 9, 0.07)]),
      ["tpl_a", "tpl_b"]
    )
    assert.deepStrictEqual(Templates.learntOf([template("a", 51, 0.01), template("b", 1, 0.001)]), [])
  })
})
