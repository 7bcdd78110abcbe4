import { assert, describe, it } from "@effect/vitest"
import type { Recipe, Stage } from "@limbeck/distill/recipe/Recipe"
import { builtin, type StudentBase, standard } from "@limbeck/distill/recipe/StudentBase"
import * as Result from "effect/Result"
import * as RecipeRules from "../../src/recipe/internal/RecipeRules.ts"

const llm = standard.find(({ engine }) => engine === "llm")!

const sft: Stage = { kind: "sft", config: {} }
const grpo: Stage = { kind: "grpo", config: {} }
const evaluation: Stage = { kind: "eval", config: {} }
const publish: Stage = { kind: "publish", config: {} }
const materialize: Stage = { kind: "materialize", config: {} }

const paramOf = (recipe: Partial<Recipe>, student: StudentBase = llm, known: ReadonlySet<string> = new Set()) => {
  const whole = { student_model: student.id, stages: [sft], rewards: [], ...recipe }
  const checked = RecipeRules.check(whole, student, known)
  if (Result.isSuccess(checked)) return undefined
  return checked.failure._tag === "InvalidInput" ? checked.failure.param : checked.failure.field
}

describe("RecipeRules", () => {
  it("stages in canonical order, each at most once, are fine", () => {
    for (const stages of [
      [sft],
      [grpo],
      [sft, grpo],
      [sft, evaluation],
      [sft, publish],
      [sft, grpo, evaluation, publish]
    ]) {
      assert.isUndefined(paramOf({ stages }))
    }
  })

  it("the first stage out of order is named", () => {
    assert.strictEqual(paramOf({ stages: [grpo, sft] }), "recipe.stages[1].kind")
    assert.strictEqual(paramOf({ stages: [sft, publish, evaluation] }), "recipe.stages[2].kind")
    assert.strictEqual(paramOf({ stages: [publish, sft] }), "recipe.stages[1].kind")
  })

  it("a stage twice is named where it comes again, also when another is between", () => {
    assert.strictEqual(paramOf({ stages: [sft, sft] }), "recipe.stages[1].kind")
    assert.strictEqual(paramOf({ stages: [sft, evaluation, sft] }), "recipe.stages[2].kind")
  })

  it("materialize is never put in a recipe", () => {
    assert.strictEqual(paramOf({ stages: [materialize, sft] }), "recipe.stages[0].kind")
    assert.strictEqual(paramOf({ stages: [sft, materialize] }), "recipe.stages[1].kind")
  })

  it("a recipe trains", () => {
    for (const stages of [[], [evaluation], [evaluation, publish]]) {
      assert.strictEqual(paramOf({ stages }), "recipe.stages")
    }
  })

  it("a student takes only its own stages: the builtin one no grpo", () => {
    assert.strictEqual(paramOf({ stages: [sft, grpo] }, builtin), "recipe.stages[1].kind")
    assert.isUndefined(paramOf({ stages: [sft, evaluation, publish] }, builtin))
  })

  it("rewards exist, wherever they are named, and are looked at before the stages", () => {
    const rewards = ["rwd_1", "rwd_2"]
    assert.strictEqual(paramOf({ rewards }), "recipe.rewards[0]")
    assert.strictEqual(paramOf({ rewards, stages: [] }, llm, new Set(["rwd_1"])), "recipe.rewards[1]")
    assert.isUndefined(paramOf({ rewards }, llm, new Set(rewards)))
    const judged: Stage = { kind: "eval", config: { rewards } }
    const known = new Set(["rwd_1"])
    assert.strictEqual(paramOf({ stages: [sft, judged] }, llm, known), "recipe.stages[1].config.rewards[1]")
  })

  it("eval scores with rewards of the recipe; the first that is not one is named (P160)", () => {
    const known = new Set(["rwd_1", "rwd_2", "rwd_3"])
    const judgedBy = (rewards: ReadonlyArray<string>): Recipe["stages"] => [sft, { kind: "eval", config: { rewards } }]
    const rewards = ["rwd_1", "rwd_2"]
    for (const some of [[], ["rwd_2"], ["rwd_2", "rwd_1"]]) {
      assert.isUndefined(paramOf({ rewards, stages: judgedBy(some) }, llm, known))
    }
    const other = judgedBy(["rwd_1", "rwd_3", "rwd_2"])
    assert.strictEqual(paramOf({ rewards, stages: other }, llm, known), "recipe.stages[1].config.rewards[1]")
    assert.strictEqual(paramOf({ rewards: [], stages: other }, llm, known), "recipe.stages[1].config.rewards[0]")
    const outOfOrder = [...judgedBy(["rwd_3"]), sft]
    assert.strictEqual(paramOf({ rewards, stages: outOfOrder }, llm, known), "recipe.stages[1].config.rewards[0]")
  })

  it("a builtin student needs train rows, and completions that can be labels (P801)", () => {
    const counts = {
      rows: 40,
      multiTurn: 0,
      toolUse: 0,
      structured: 0,
      promptTokens: 9,
      completionTokens: 9,
      longestTokens: 9
    }
    const features = { requestCharacters: 9, contextCharacters: 0, features: 9, different: 9, single: 0, everywhere: 0 }
    const census = { ...features, rows: 36, beyond: [], labels: 0 }
    const faultOf = (trainRows: number, profile: object, student: StudentBase = builtin) => {
      const data = { trainRows, profile: { ...counts, labels: null, ...profile } }
      const checked = RecipeRules.checkData(student, data)
      return Result.isSuccess(checked) ? undefined : checked.failure.param
    }
    assert.strictEqual(faultOf(36, { census }), "recipe.student_model")
    assert.strictEqual(faultOf(0, { labels: ["yes", "no"] }), "dataset_version")
    assert.isUndefined(faultOf(36, { census }, llm))
    assert.isUndefined(faultOf(36, { census: { ...census, labels: 2 } }))
    assert.isUndefined(faultOf(36, {}))
  })

  it("candidates of a version of decisions are refused by their place (P1551)", () => {
    const evaluated: Stage = { kind: "eval", config: { candidates: [{ source: "main", model: "mini" }] } }
    const recipe: Recipe = { student_model: builtin.id, stages: [sft, evaluated], rewards: [] }
    const angry = {
      question: `qst_${"a".repeat(26)}`,
      name: "angry",
      kind: "predicate",
      instructions: "The customer is angry.",
      options: [{ value: false }, { value: true }],
      rows: 5
    } as const
    const refused = RecipeRules.checkConversations(recipe, { questions: [angry] })
    assert.strictEqual(Result.getOrThrow(Result.flip(refused)).param, "recipe.stages[1].config.candidates[0]")
    assert.isTrue(Result.isSuccess(RecipeRules.checkConversations(recipe, {})))
    assert.isTrue(
      Result.isSuccess(RecipeRules.checkConversations({ ...recipe, stages: [sft] }, { questions: [angry] }))
    )
  })
})
