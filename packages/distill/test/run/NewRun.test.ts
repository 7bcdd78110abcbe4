import { assert, describe, it } from "@effect/vitest"
import { Run } from "@limbeck/distill/run/Run"
import { render } from "@limbeck/distill/run/RunResource"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { newRun, recipe, version } from "@limbeck/testing/fixtures/Plans"
import * as Schema from "effect/Schema"

const make = (recipeAsSent: Schema.JsonObject) =>
  newRun(version(), { recipeAsSent, maxCostUsd: 2.5 }, { budgetMicros: 2_500_000 })

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
    assert.deepStrictEqual(shown.totals, { gpu_seconds: 0, judge_tokens: 0, cost_usd: 0 })
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
