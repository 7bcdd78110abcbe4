/** Creating runs: refusals, their order, and the new run (service-api 2.5, 4.1; contract 5, 14.22). */
import { assert, it } from "@effect/vitest"
import type { Run } from "@limbeck/api/RunsApi"
import { createRun, dryRun, endedRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const sft = { kind: "sft", config: {} }
const recipe = (stages: ReadonlyArray<unknown>, fields = {}) => ({
  recipe: { student_model: "builtin/text-classifier", stages, rewards: [], ...fields }
})
const live = { dry_run: false }

onEachStorage("a new run", (house) => {
  it("says all about itself", async () => {
    const { live } = await house.workspace()
    const { id: version } = await ticketsVersion(live)
    const body = dryRun(version, { name: "first", student_model_name: "tickets" })
    const run = expectStatus(await createRun(live, body), 201)
    assert.match(run.id, /^run_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.match(run.plan_hash, /^[0-9a-f]{64}$/)
    assert.deepInclude(run, {
      object: "distill_run",
      livemode: true,
      status: "queued",
      dry_run: true,
      dataset_version: version,
      name: "first",
      student_model_name: "tickets",
      recipe: body.recipe,
      validated_dry_run: null,
      executor: "stub",
      report: null,
      student_model: null,
      loop: null,
      error: null,
      started_at: null,
      finished_at: null
    })
    assert.deepStrictEqual(run.totals, { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 })
    assert.deepStrictEqual(run.budget, { max_cost_usd: 5 })
    assert.deepInclude(run.compute, { profile: "local" })
    assert.deepStrictEqual(run.current_stage, { seq: 1, kind: "materialize", status: "pending" })
    assert.deepStrictEqual(
      run.stages.map(({ attempt, kind, seq, status }) => [seq, kind, status, attempt]),
      [
        [1, "materialize", "pending", 0],
        [2, "sft", "pending", 0],
        [3, "grpo", "skipped", 0],
        [4, "eval", "skipped", 0],
        [5, "publish", "skipped", 0]
      ]
    )
  })

  it("of a test token is a dry run, whatever it asks for", async () => {
    const { test } = await house.workspace()
    const { id } = await ticketsVersion(test)
    assert.deepInclude(expectStatus(await createRun(test, dryRun(id, live)), 201), { dry_run: true, livemode: false })
  })

  it("has the plan hash of its data, recipe, budget and compute, and of nothing else (P31)", async () => {
    const { live } = await house.workspace()
    const { id } = await ticketsVersion(live)
    const hash = async (fields = {}) => expectStatus(await createRun(live, dryRun(id, fields)), 201).plan_hash
    const plain = await hash()
    for (const fields of [{}, { name: "b" }, { student_model_name: "s" }]) assert.strictEqual(await hash(fields), plain)
    const { id: sameRows } = await ticketsVersion(live)
    assert.strictEqual(expectStatus(await createRun(live, dryRun(sameRows)), 201).plan_hash, plain)
    const reordered = { recipe: { rewards: [], stages: [sft], student_model: "builtin/text-classifier" } }
    assert.strictEqual(await hash(reordered), plain)
    const others = [{ budget: { max_cost_usd: 6 } }, recipe([{ kind: "sft", config: { epochs: 3 } }])]
    for (const fields of others) assert.notStrictEqual(await hash(fields), plain)
  })

  it("is in the list, by status, kind and version", async () => {
    const { live } = await house.workspace()
    const { id: version } = await ticketsVersion(live)
    const { id } = expectStatus(await createRun(live, dryRun(version)), 201)
    await endedRun(live, id)
    const found = async (query: string) =>
      (await live.get<ListOf<typeof Run.Type>>(`/v1/distill/runs?${query}`)).body.data.map((run) => run.id)
    for (const query of [
      "status=succeeded",
      "dry_run=true",
      `dataset_version=${version}`,
      `dry_run=true&status=succeeded`
    ]) {
      assert.deepStrictEqual(await found(query), [id])
    }
    for (const query of ["status=queued", "dry_run=false", "dataset_version=dsv_none"])
      assert.deepStrictEqual(await found(query), [])
    const wrong = [
      ["status", "done"],
      ["status", ""],
      ["dry_run", "yes"],
      ["dry_run", ""],
      ["dataset_version", ""]
    ] as const
    for (const [name, value] of wrong) assertInvalid(await live.get(`/v1/distill/runs?${name}=${value}`), name)
    assertInvalid(await live.get("/v1/distill/runs?status=queued&status=failed"), "status")
  })

  it("needs a recipe that trains, in order, once each, without materialize", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const evaluation = { kind: "eval", config: {} }
    const publish = { kind: "publish", config: {} }
    const cases = [
      [[], "recipe.stages"],
      [[evaluation, publish], "recipe.stages"],
      [[sft, sft], "recipe.stages[1].kind"],
      [[sft, publish, evaluation], "recipe.stages[2].kind"],
      [[{ kind: "materialize", config: {} }, sft], "recipe.stages[0].kind"],
      [[sft, { kind: "grpo", config: {} }], "recipe.stages[1].kind"]
    ] as const
    for (const [stages, param] of cases) assertInvalid(await createRun(caller, dryRun(id, recipe(stages))), param)
    expectStatus(await createRun(caller, dryRun(id, recipe([sft, evaluation, publish]))), 201)
  })

  it("needs a budget: above 0 when live, in micro-dollars", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const withBudget = (max_cost_usd: number, fields = {}) =>
      createRun(caller, dryRun(id, { budget: { max_cost_usd }, ...fields }))
    expectStatus(await withBudget(0), 201)
    for (const amount of [-0.01, 0.0000001, 1e300]) assertInvalid(await withBudget(amount), "budget.max_cost_usd")
    assertInvalid(await withBudget(0, live), "budget.max_cost_usd")
    assert.strictEqual(expectStatus(await withBudget(0.000001), 201).budget.max_cost_usd, 0.000001)
  })

  it("names validated_dry_run and plan_hash together or not at all", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const hash = "0".repeat(64)
    assertInvalid(await createRun(caller, dryRun(id, { plan_hash: hash })), "validated_dry_run")
    assertInvalid(await createRun(caller, dryRun(id, { validated_dry_run: "run_none" })), "plan_hash")
    for (const plan_hash of ["", "0".repeat(63), "G".repeat(64), 1]) {
      assertInvalid(await createRun(caller, dryRun(id, { validated_dry_run: "run_none", plan_hash })), "plan_hash")
    }
  })

  it("that is live needs somebody to train it, and the refusal says what to install", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const model = await createRun(
      caller,
      dryRun(id, { ...live, ...recipe([sft], { student_model: "Qwen/Qwen3-0.6B" }) })
    )
    assertRefused(model, 409, "conflict_error", "recipe.student_model")
    assert.include(model.text, "TRAINER_COMMAND")
    const rehearsal = dryRun(id, recipe([sft], { student_model: "Qwen/Qwen3-0.6B" }))
    assert.strictEqual(expectStatus(await createRun(caller, rehearsal), 201).executor, "stub")
    assertRefused(await createRun(caller, dryRun(id, live)), 409, "conflict_error", "recipe.student_model")
  })
})
