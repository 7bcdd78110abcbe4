import { assert, describe, it } from "@effect/vitest"
import * as StudentBase from "@limbeck/distill/recipe/StudentBase"
import { Run } from "@limbeck/distill/run/Run"
import { render } from "@limbeck/distill/run/RunResource"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { llm, newRun, recipe, version } from "@limbeck/testing/fixtures/Plans"
import * as Schema from "effect/Schema"

const make = (recipeAsSent: Schema.JsonObject) =>
  newRun(version(), { recipeAsSent, maxCostUsd: 2.5 }, { budgetMicros: 2_500_000 })

const languageModel = StudentBase.standard.find(({ engine }) => engine === "llm") ?? StudentBase.builtin

describe("NewRun", () => {
  it("a new run has five stage rows, and those that its recipe leaves out are skipped", () => {
    const { stages, status } = make(recipe(["grpo", "publish"]))
    assert.strictEqual(status, "queued")
    assert.deepStrictEqual(
      stages.map(({ attempt, kind, seq, status }) => [seq, kind, status, attempt]),
      [
        [1, "materialize", "pending", 0],
        [2, "sft", "skipped", 0],
        [3, "grpo", "pending", 0],
        [4, "eval", "skipped", 0],
        [5, "publish", "pending", 0]
      ]
    )
  })

  it("a stage row shows its config with the defaults; the recipe is echoed as it was sent", () => {
    const sent = { student_model: "Qwen/Qwen3-0.6B", stages: [{ kind: "sft", config: { epochs: 9 } }], rewards: [] }
    const run = make(sent)
    assert.deepStrictEqual(run.recipe, sent)
    assert.deepStrictEqual(
      run.stages.map(({ config }) => config),
      [{}, { epochs: 9, lora_rank: 16, learning_rate: 0.0002, max_seq_len: 4096 }, {}, {}, {}]
    )
  })

  it("what its rehearsal has measured is its estimate, and a formula's only what was not measured (P375)", () => {
    const sent = recipe(["sft", "grpo", "eval"], llm)
    const counts = { rows: 100, multiTurn: 0, toolUse: 0, structured: 0, labels: null }
    const profile = { ...counts, promptTokens: 20_000, completionTokens: 5_000, longestTokens: 900 }
    const made = (details: Schema.JsonObject, student = languageModel) => {
      const rehearsed = make(sent)
      const stages = rehearsed.stages.map((row) => (row.kind === "sft" ? { ...row, result: { details } } : row))
      const rehearsal = { ...rehearsed, stages }
      return (
        newRun(version({ profile }), { recipeAsSent: sent, dryRun: false }, { rehearsal, student }).estimate
          ?.gpuSeconds ?? 0
      )
    }
    const measured = made({ seconds: 1_000, startup_seconds: 20 })
    assert.closeTo(made({ seconds: 5_000, startup_seconds: 20 }) - measured, 4_000, 1e-6)
    assert.isAbove(measured, 1_020)
    assert.strictEqual(made({ words: 3 }), made({}))
  })

  it("it is shown with every field of the contract, at its first stage, and survives storage as it is", () => {
    const run = make(recipe(["sft", "eval"]))
    const shown = render({ ...Fresh.partition(false) }, run)
    assert.deepInclude(shown, {
      id: run.id,
      object: "distill_run",
      livemode: false,
      name: "nightly",
      student_model_name: "triage",
      status: "queued",
      dry_run: true,
      validated_dry_run: null,
      report: null,
      student_model: null,
      loop: null,
      error: null,
      executor: "stub",
      started_at: null,
      finished_at: null,
      created_at: "2023-11-14T22:13:20.000Z",
      updated_at: "2023-11-14T22:13:20.000Z"
    })
    assert.deepStrictEqual(shown.totals, { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 })
    assert.deepStrictEqual(shown.budget, { max_cost_usd: 2.5 })
    assert.deepStrictEqual(shown.compute, { profile: "local", machine: "this-machine", spot: false, gpu: null })
    assert.deepStrictEqual(shown.current_stage, { seq: 1, kind: "materialize", status: "pending" })
    assert.hasAllKeys(shown.stages[0], [
      "seq",
      "kind",
      "status",
      "attempt",
      "config",
      "started_at",
      "finished_at",
      "metrics",
      "error",
      "logs_available"
    ])
    const encoded = JSON.parse(JSON.stringify(Schema.encodeSync(Run)(run)))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Run)(encoded), run)
  })
})
