/** The order of checks (contract 15.8), and the name of the first wrong field (contract 1). */
import { assert, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import { dryRun, freshKey } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"

const runs = "/v1/distill/runs"
const json = { "content-type": "application/json" }
const huge = { body: "x".repeat(1024 * 1024 + 1), headers: json }

onMemory("the order of checks", (house) => {
  const reader = async () => {
    const { live } = await house.workspace()
    const made = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "reader", scopes: ["events:read"] })
    return house.client(expectStatus(made, 201).secret)
  }

  it("the token, the scope and the key come before the body's size (P127)", async () => {
    assertRefused(await house.client(null).send("POST", runs, huge), 401, "authentication_error")
    assertRefused(await (await reader()).send("POST", runs, huge), 403, "permission_error")
    const { live } = await house.workspace()
    assertInvalid(await live.send("POST", runs, huge), "Idempotency-Key")
    const keyed = { ...huge, headers: { ...json, ...freshKey() } }
    assertRefused(await live.send("POST", runs, keyed), 413, "invalid_request_error")
  })

  it("the token comes before scope, version, key and body (P37)", async () => {
    const anybody = house.client(null)
    const answer = await anybody.send("POST", runs, { body: "{", headers: { "service-version": "1" } })
    assertRefused(answer, 401, "authentication_error")
  })

  it("the scope comes before version, key and body", async () => {
    const answer = await (await reader()).send("POST", runs, { body: "{", headers: { "service-version": "1" } })
    assertRefused(answer, 403, "permission_error")
  })

  it("the scope comes before whether a thing exists", async () => {
    assertRefused(await (await reader()).get(`${runs}/run_none`), 403, "permission_error")
  })

  it("the key comes before the body", async () => {
    const { live } = await house.workspace()
    assertInvalid(await live.send("POST", runs, { body: "{", headers: json }), "Idempotency-Key")
  })

  it("the body's shape comes before whether a thing exists", async () => {
    const { live } = await house.workspace()
    assertInvalid(await live.post(`${runs}/run_none/retry`, { from_stage: "two" }), "from_stage")
    assertRefused(await live.post(`${runs}/run_none/retry`, { from_stage: 2 }), 404, "not_found_error")
    assertInvalid(await live.post(runs, { ...dryRun("dsv_none"), dry_run: 1 }, freshKey()), "dry_run")
  })
})

onMemory("a value that is none of those that there are", (house) => {
  const said = async (path: string, body?: unknown) => {
    const { live } = await house.workspace()
    const answer = await (body === undefined ? live.get(path) : live.post(path, body, freshKey()))
    assert.strictEqual(answer.status, 400, answer.text)
    const { message, param } = (answer.body as ErrorEnvelope).error
    return `${param}: ${message}`
  }

  it("is told which there are (P129)", async () => {
    const stages = [{ kind: "train", config: {} }]
    const recipe = { student_model: "builtin/text-classifier", stages, rewards: [] }
    const kinds = 'Expected "sft" | "grpo" | "eval" | "publish"'
    assert.strictEqual(await said(runs, dryRun("dsv_none", { recipe })), `recipe.stages[0].kind: ${kinds}`)
    const rewards = 'Expected "exact_match" | "contains" | "regex" | "json_schema" | "numeric" | "llm_judge" | "http"'
    assert.strictEqual(await said("/v1/distill/rewards", { name: "a", kind: "x", config: {} }), `kind: ${rewards}`)
    const token = { name: "a", scopes: ["events:read"], environment: "x" }
    assert.strictEqual(await said("/v1/tokens", token), 'environment: Expected "test" | "live"')
    assert.match(await said("/v1/tokens", { name: "a", scopes: ["x"] }), /^scopes\[0\]: Expected "distill:read" \| /)
    assert.match(await said(`${runs}?status=x`), /^status: Expected "queued" \| /)
    assert.match(await said("/v1/events?order=x"), /^order: Expected "asc"/)
  })
})

onMemory("the first field that is wrong", (house) => {
  const refused = async (body: unknown) => {
    const { live } = await house.workspace()
    const answer = await live.post<{ readonly error: { readonly param: string } }>(runs, body, freshKey())
    assert.strictEqual(answer.status, 400, answer.text)
    return answer.body.error.param
  }

  const recipe = (stages: unknown, more = {}) =>
    dryRun("dsv_none", { recipe: { student_model: "builtin/text-classifier", stages, rewards: [], ...more } })

  const cases: ReadonlyArray<readonly [body: unknown, param: string]> = [
    [{}, "dataset_version"],
    [dryRun("dsv_none", { surprise: 1 }), "surprise"],
    [dryRun("dsv_none", { budget: { max_cost_usd: 5, max_cost: 1 } }), "budget.max_cost"],
    [dryRun("dsv_none", { budget: { max_cots_usd: 5 } }), "budget.max_cots_usd"],
    [dryRun("dsv_none", { budget: { max_cost_usd: "5" } }), "budget.max_cost_usd"],
    [dryRun("dsv_none", { budget: null }), "budget"],
    [dryRun("dsv_none", { budget: {} }), "budget.max_cost_usd"],
    [dryRun("dsv_none", { compute: { profile: "local", machine: "x" } }), "compute.machine"],
    [dryRun("dsv_none", { name: "" }), "name"],
    [dryRun("dsv_none", { dry_run: "true" }), "dry_run"],
    [dryRun("dsv_none", { dry_run: "yes" }), "dry_run"],
    [recipe([{ kind: "sft", config: {} }], { surprise: 1 }), "recipe.surprise"],
    [recipe("sft"), "recipe.stages"],
    [recipe([], { rewards: [1] }), "recipe.rewards[0]"],
    [
      recipe([
        { kind: "sft", config: {} },
        { kind: "train", config: {} }
      ]),
      "recipe.stages[1].kind"
    ],
    [recipe([{ kind: "sft", config: {} }, { config: {} }]), "recipe.stages[1].kind"],
    [recipe([{ kind: "sft" }]), "recipe.stages[0].config"],
    [recipe([{ kind: "sft", config: {}, note: "a" }]), "recipe.stages[0].note"],
    [recipe([{ kind: "sft", config: { epoch: 1 } }]), "recipe.stages[0].config.epoch"],
    [recipe([{ kind: "sft", config: { epochs: 0 } }]), "recipe.stages[0].config.epochs"],
    [recipe([{ kind: "sft", config: { epochs: 101 } }]), "recipe.stages[0].config.epochs"],
    [recipe([{ kind: "sft", config: { epochs: 1.5 } }]), "recipe.stages[0].config.epochs"],
    [recipe([{ kind: "sft", config: { lora_rank: 1025 } }]), "recipe.stages[0].config.lora_rank"],
    [recipe([{ kind: "sft", config: { lora_alpha: 0 } }]), "recipe.stages[0].config.lora_alpha"],
    [recipe([{ kind: "sft", config: { lora_dropout: 1 } }]), "recipe.stages[0].config.lora_dropout"],
    [recipe([{ kind: "sft", config: { target_modules: [] } }]), "recipe.stages[0].config.target_modules"],
    [
      recipe([{ kind: "sft", config: { target_modules: ["q_proj", "a b"] } }]),
      "recipe.stages[0].config.target_modules[1]"
    ],
    [recipe([{ kind: "sft", config: { quantization: "2bit" } }]), "recipe.stages[0].config.quantization"],
    [recipe([{ kind: "sft", config: { learning_rate: 0 } }]), "recipe.stages[0].config.learning_rate"],
    [recipe([{ kind: "sft", config: { learning_rate: 1.01 } }]), "recipe.stages[0].config.learning_rate"],
    [recipe([{ kind: "sft", config: { max_seq_len: 15 } }]), "recipe.stages[0].config.max_seq_len"],
    [recipe([{ kind: "sft", config: { max_seq_len: 1048577 } }]), "recipe.stages[0].config.max_seq_len"],
    [
      recipe([
        { kind: "sft", config: {} },
        { kind: "eval", config: { rewards: ["rwd_a", 1] } }
      ]),
      "recipe.stages[1].config.rewards[1]"
    ],
    [
      recipe([
        { kind: "sft", config: {} },
        { kind: "grpo", config: { kl: 1 } }
      ]),
      "recipe.stages[1].config.kl"
    ],
    [
      recipe([
        { kind: "sft", config: {} },
        { kind: "publish", config: { merge_adapter: 1 } }
      ]),
      "recipe.stages[1].config.merge_adapter"
    ]
  ]

  for (const [body, param] of cases) {
    it(`${param} of ${JSON.stringify(body).slice(0, 160)}`, async () => {
      assert.strictEqual(await refused(body), param)
    })
  }
})
