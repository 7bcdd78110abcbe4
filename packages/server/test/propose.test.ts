/** Proposals, the student catalog and the compute profiles (service-api 2.3, 4.1; contract 5, 14.12, 14.17). */
import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { ComputeProfile, Proposal, StudentBase } from "@limbeck/api/RecipesApi"
import { writeModel } from "@limbeck/testing/fixtures/Tokenizers"
import { createRun, dryRun, proposalOf, row, ticketsVersion, versionOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"

const proposals = "/v1/distill/recipes/propose"

/** Only the smallest language model has a tokenizer here, with one token per word. */
const modelsDir = path.join(tmpdir(), `limbeck-models-${randomUUID()}`)
beforeAll(() => writeModel(path.join(modelsDir, "Qwen/Qwen3-0.6B")))
afterAll(() => rm(modelsDir, { recursive: true }))

const request = (version: string, fields = {}) => ({
  dataset_version: version,
  objective: "cost",
  max_cost_usd: 5,
  ...fields
})

const propose = async (caller: Client, version: string, fields = {}) =>
  expectStatus(await caller.post<typeof Proposal.Type>(proposals, request(version, fields)), 200)

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    messages: [{ role: "user", content: `tell me about ${index}` }],
    completion: `A long and quite different story, number ${index}, that has no label at all. ${"word ".repeat(index % 17)}`
  }))

onOneStorage(
  "proposals",
  (house) => {
    it("a proposal says all about itself", async () => {
      const { live } = await house.workspace()
      const { id } = await ticketsVersion(live)
      const proposal = await propose(live, id)
      assert.deepInclude(proposal, {
        object: "distill_recipe",
        case: "classification",
        student_model: "builtin/text-classifier",
        rewards: [],
        dataset_version: id,
        outcome: "deployable_student"
      })
      assert.match(proposal.plan_hash, /^[0-9a-f]{64}$/)
      const { assumptions, ...estimate } = proposal.estimate
      for (const [name, value] of Object.entries(estimate)) assert.isAbove(value, 0, name)
      assert.isNotEmpty(Object.keys(assumptions))
      assert.isNotEmpty(proposal.rationale)
    })

    it("the same input gives the same proposal", async () => {
      const { live, test } = await house.workspace()
      const { id } = await ticketsVersion(live)
      const first = await propose(live, id)
      house.passTime(3_600_000)
      assert.deepStrictEqual(await propose(live, id), first)
      const { id: inTest } = await ticketsVersion(test)
      assert.strictEqual((await propose(test, inTest)).plan_hash, first.plan_hash)
      assert.notStrictEqual((await propose(live, id, { max_cost_usd: 6 })).plan_hash, first.plan_hash)
    })

    it("its executable part makes a run of the same plan hash", async () => {
      const { live } = await house.workspace()
      const { id } = await ticketsVersion(live)
      const { plan_hash, rewards, stages, student_model } = await proposalOf(live, id)
      const run = await createRun(live, dryRun(id, { recipe: { student_model, stages, rewards } }))
      assert.strictEqual(expectStatus(run, 201).plan_hash, plan_hash)
    })

    it("a report alone is not published, and stages come in canonical order without materialize", async () => {
      const { live } = await house.workspace()
      const { id } = await ticketsVersion(live)
      const kinds = async (fields: object) => (await propose(live, id, fields)).stages.map(({ kind }) => kind)
      assert.notInclude(await kinds({ outcome: "report_only" }), "publish")
      const all = await kinds({ outcome: "deployable_student" })
      assert.include(all, "publish")
      assert.deepStrictEqual(
        all,
        ["sft", "grpo", "eval", "publish"].filter((kind) => all.includes(kind as "sft"))
      )
    })

    it("without holdout rows a student is published only when that is asked for (P391)", async () => {
      const { live } = await house.workspace()
      const rows = Array.from({ length: 60 }, (_, index) => row(index))
      const { id } = await versionOf(live, rows, { holdout_fraction: 0 })
      const { outcome, rationale, stages } = await propose(live, id, { outcome: undefined })
      assert.deepStrictEqual([outcome, stages.map(({ kind }) => kind)], ["report_only", ["sft"]])
      assert.include(rationale.join(" "), "no holdout rows")
      const asked = await propose(live, id, { outcome: "deployable_student" })
      assert.deepStrictEqual(
        [asked.outcome, asked.stages.map(({ kind }) => kind)],
        ["deployable_student", ["sft", "publish"]]
      )
    })

    it("work without labels goes to a language model", async () => {
      const { live } = await house.workspace()
      const { id } = await versionOf(live, texts(100))
      for (const objective of ["cost", "quality", "latency"]) {
        const proposal = await propose(live, id, { objective })
        assert.notStrictEqual(proposal.case, "classification")
        assert.notStrictEqual(proposal.student_model, "builtin/text-classifier")
      }
    })

    it("tokens are counted by a tokenizer where one is in MODELS_DIR, and the estimate says so (P414)", async () => {
      const { live } = await house.workspace()
      const rows = Array.from({ length: 30 }, (_, index) => ({
        messages: [{ role: "user", content: "tell me all" }],
        completion: `Long ago, on hill ${index}.`
      }))
      const { id } = await versionOf(live, rows)
      const { estimate, rationale, student_model } = await propose(live, id, { objective: "latency" })
      assert.strictEqual(student_model, "Qwen/Qwen3-0.6B")
      // The template adds the role and the end of each message, and a final line of the assistant.
      const told = {
        tokens_from: `tokenizer of ${student_model}`,
        prompt_tokens_per_row: 8,
        completion_tokens_per_row: 6
      }
      assert.deepInclude(estimate.assumptions, told)
      assert.include(rationale.join(" "), `counted by the tokenizer of ${student_model}`)
      // A larger model without a tokenizer uses the smaller one's counts.
      const other = await propose(live, id, { objective: "quality" })
      assert.notStrictEqual(other.student_model, student_model)
      assert.deepInclude(other.estimate.assumptions, told)
    })

    it("what is wrong with a request is named", async () => {
      const { live } = await house.workspace()
      const { id } = await ticketsVersion(live)
      const cases = [
        [{ objective: "cost", max_cost_usd: 5 }, "dataset_version"],
        [request(id, { objective: "speed" }), "objective"],
        [request(id, { max_cost_usd: -1 }), "max_cost_usd"],
        [request(id, { max_cost_usd: "5" }), "max_cost_usd"],
        [request(id, { max_cost_usd: 0.0000001 }), "max_cost_usd"],
        [request(id, { max_cots_usd: 5 }), "max_cots_usd"],
        [request(id, { outcome: "deployed_student" }), "outcome"],
        [request(id, { rewards: ["rwd_none"] }), "rewards[0]"],
        [request(id, { rewards: [1] }), "rewards[0]"]
      ] as const
      for (const [body, param] of cases) assertInvalid(await live.post(proposals, body), param)
    })

    it("the version must be there, ready and hold rows", async () => {
      const { live } = await house.workspace()
      assertRefused(await live.post(proposals, request("dsv_none")), 404, "not_found_error", "dataset_version")
      const empty = await versionOf(live, [])
      assert.deepInclude(empty, { status: "ready", rows: 0 })
      assertRefused(await live.post(proposals, request(empty.id)), 409, "conflict_error", "dataset_version")
      assertRefused(await createRun(live, dryRun(empty.id)), 409, "conflict_error", "dataset_version")
    })

    it("the builtin student and the local profile are always there", async () => {
      const { live } = await house.workspace()
      const students = await live.get<ListOf<typeof StudentBase.Type>>("/v1/distill/student_catalog")
      const builtin = expectStatus(students, 200).data.find(({ id }) => id === "builtin/text-classifier")
      assert.deepStrictEqual([builtin?.object, builtin?.engine], ["student_base", "builtin"])
      assert.include(builtin?.stages ?? [], "sft")
      assert.notInclude(builtin?.stages ?? ["grpo"], "grpo")
      const profiles = await live.get<ListOf<typeof ComputeProfile.Type>>("/v1/distill/compute_profiles")
      const { data } = expectStatus(profiles, 200)
      assert.isAtLeast(data.length, 2)
      assert.isTrue(data.every(({ price_per_gpu_second }) => price_per_gpu_second > 0))
      assert.include(
        data.map(({ id }) => id),
        "local"
      )
    })
  },
  { modelsDir }
)
