/** Creating runs: what is refused, in which order, and what a new run is (service-api 2.5, 4.1; contract 5, 14.22). */
import { assert, it } from "@effect/vitest"
import type { Run } from "@limbeck/api/RunsApi"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { createRun, dryRun, endedRun, freshKey, ticketsVersion } from "./support/Data.ts"
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
    assert.deepStrictEqual(run.totals, { gpu_seconds: 0, judge_tokens: 0, cost_usd: 0 })
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

  it("has the plan hash of its data, recipe, budget and compute, and of nothing else", async () => {
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
  })

  it("is refused for the first thing that is wrong, in the order of the contract", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const refused = async (status: number, param: string | null, fields: object) => {
      const code = status === 404 ? "not_found_error" : status === 409 ? "conflict_error" : "invalid_request_error"
      assertRefused(await createRun(caller, { ...dryRun(id), ...fields }), status, code, param)
    }
    const wrong = {
      ...recipe([{ kind: "eval", config: { rewards: ["rwd_none"] } }, sft], {
        rewards: ["rwd_none"],
        student_model: "none"
      }),
      compute: { profile: "none" },
      budget: { max_cost_usd: -1 },
      dataset_version: "dsv_none"
    }
    await refused(400, "surprise", { ...wrong, surprise: 1 })
    await refused(404, null, wrong)
    await refused(400, "recipe.student_model", { ...wrong, dataset_version: id })
    const known = { ...wrong.recipe, student_model: "builtin/text-classifier" }
    await refused(400, "compute.profile", { ...wrong, dataset_version: id, recipe: known })
    const computed = { budget: wrong.budget }
    await refused(400, "recipe.rewards[0]", { ...computed, recipe: known })
    await refused(400, "recipe.stages[0].config.rewards[0]", { ...computed, recipe: { ...known, rewards: [] } })
    await refused(400, "recipe.stages[1].kind", { ...computed, ...recipe([{ kind: "eval", config: {} }, sft]) })
    await refused(400, "budget.max_cost_usd", computed)
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

  it("that is live needs a trainer, and the refusal says what to set up", async () => {
    const { live: caller } = await house.workspace()
    const { id } = await ticketsVersion(caller)
    const answer = await createRun(caller, dryRun(id, live))
    assertRefused(answer, 409, "conflict_error", "recipe.student_model")
    assert.include(answer.text, "EXECUTOR")
  })
})

onEachStorage(
  "a live run",
  (house) => {
    const rehearsed = async (caller: Client, fields = {}) => {
      const { id: version } = await ticketsVersion(caller)
      const { id } = expectStatus(await createRun(caller, dryRun(version, fields)), 201)
      const { plan_hash } = await endedRun(caller, id)
      return { version, proof: { ...live, validated_dry_run: id, plan_hash } }
    }

    it("is the plan that was rehearsed", async () => {
      const { live: caller } = await house.workspace()
      const { proof, version } = await rehearsed(caller)
      const run = expectStatus(await createRun(caller, dryRun(version, proof)), 201)
      assert.deepInclude(run, {
        dry_run: false,
        validated_dry_run: proof.validated_dry_run,
        plan_hash: proof.plan_hash
      })
      assert.strictEqual((await endedRun(caller, run.id)).status, "succeeded")
      expectStatus(await createRun(caller, dryRun(version, live)), 201)
    })

    it("with another plan than its hash is refused, and so is the hash of another rehearsal", async () => {
      const { live: caller } = await house.workspace()
      const { proof, version } = await rehearsed(caller)
      const changed = dryRun(version, { ...proof, budget: { max_cost_usd: 6 } })
      assertRefused(await createRun(caller, changed), 409, "conflict_error", "plan_hash")
      const other = await rehearsed(caller, { budget: { max_cost_usd: 6 } })
      const mixed = dryRun(version, { ...proof, validated_dry_run: other.proof.validated_dry_run })
      assertRefused(await createRun(caller, mixed), 409, "conflict_error", "validated_dry_run")
    })

    it("cannot name a rehearsal that it cannot see, or that is none", async () => {
      const { live: caller, test } = await house.workspace()
      const [{ proof, version }, foreign] = [await rehearsed(caller), await rehearsed(test)]
      for (const validated_dry_run of ["run_none", foreign.proof.validated_dry_run]) {
        const answer = await createRun(caller, dryRun(version, { ...proof, validated_dry_run }))
        assertRefused(answer, 404, "not_found_error")
      }
      const { id } = expectStatus(await createRun(caller, dryRun(version, live)), 201)
      const answer = await createRun(caller, dryRun(version, { ...proof, validated_dry_run: id }), freshKey())
      assertRefused(answer, 409, "conflict_error", "validated_dry_run")
    })
  },
  { takesLiveRuns: true }
)
