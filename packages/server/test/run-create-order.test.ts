/** The checks on create, in the order of contract 5: each rule broken alone, and every two of them together. */
import { assert, it } from "@effect/vitest"
import { createRun, endedRun, ticketsVersion, versionOf } from "@limbeck/testing/http/Steps"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { done, ScriptedExecutor } from "./support/ScriptedExecutor.ts"

interface Body {
  readonly [field: string]: unknown
  readonly recipe: {
    readonly student_model: string
    readonly stages: ReadonlyArray<unknown>
    readonly rewards: unknown
  }
}

interface Rule {
  readonly name: string
  readonly breaks: (body: Body) => Body
  readonly refusal: readonly [status: number, param: string | null]
}

const withRecipe = (body: Body, fields: Partial<Body["recipe"]>): Body => ({
  ...body,
  recipe: { ...body.recipe, ...fields }
})

const field = (name: string, refusal: Rule["refusal"], fields: object): Rule => ({
  name,
  refusal,
  breaks: (body) => ({ ...body, ...fields })
})

const inRecipe = (name: string, refusal: Rule["refusal"], fields: Partial<Body["recipe"]>): Rule => ({
  name,
  refusal,
  breaks: (body) => withRecipe(body, fields)
})

const none = "rwd_00000000000000000000000000"
const noRun = { validated_dry_run: "run_00000000000000000000000000", plan_hash: "0".repeat(64) }
const sft = { kind: "sft", config: {} }
const evaluation = { kind: "eval", config: {} }

/** In the order of the checks. */
const rulesOf = (emptyVersion: string, reward: string): ReadonlyArray<Rule> => [
  field("an unknown field", [400, "surprise"], { surprise: 1 }),
  field("half a proof", [400, "plan_hash"], { validated_dry_run: noRun.validated_dry_run, plan_hash: undefined }),
  field("an unknown version", [404, "dataset_version"], { dataset_version: "dsv_00000000000000000000000000" }),
  field("a version without rows", [409, "dataset_version"], { dataset_version: emptyVersion }),
  inRecipe("an unknown student", [400, "recipe.student_model"], { student_model: "no/such" }),
  field("an unknown profile", [400, "compute.profile"], { compute: { profile: "moon" } }),
  inRecipe("an unknown reward", [400, "recipe.rewards[0]"], { rewards: [none] }),
  {
    name: "an unknown reward of the evaluation",
    refusal: [400, "recipe.stages[0].config.rewards[0]"],
    breaks: (body) => withRecipe(body, { stages: [{ kind: "eval", config: { rewards: [none] } }, sft] })
  },
  inRecipe("a reward of the evaluation that the recipe has not", [400, "recipe.stages[1].config.rewards[0]"], {
    stages: [sft, { kind: "eval", config: { rewards: [reward] } }]
  }),
  inRecipe("stages out of order", [400, "recipe.stages[1].kind"], { stages: [evaluation, sft] }),
  field("no budget", [400, "budget.max_cost_usd"], { budget: { max_cost_usd: 0 } }),
  field("an unknown rehearsal", [404, "validated_dry_run"], noRun),
  inRecipe("a student that nobody trains", [409, "recipe.student_model"], { student_model: "Qwen/Qwen3-0.6B" })
]

const codes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  404: "not_found_error",
  409: "conflict_error"
}

const scripted = new ScriptedExecutor()
scripted.stages.set("sft", () => done("nothing"))

onEachStorage(
  "a live run that breaks rules",
  (house) => {
    const setUp = async () => {
      const { live } = await house.workspace()
      const [version, empty] = [await ticketsVersion(live), await versionOf(live, [])]
      assert.deepInclude(empty, { status: "ready", rows: 0 })
      const match = { name: "match", kind: "exact_match", config: {} }
      const reward = expectStatus(await live.post<{ readonly id: string }>("/v1/distill/rewards", match), 201)
      const body: Body = {
        dataset_version: version.id,
        recipe: { student_model: "builtin/text-classifier", stages: [sft], rewards: [] },
        budget: { max_cost_usd: 1 },
        dry_run: false
      }
      return { live, body, rules: rulesOf(empty.id, reward.id) }
    }
    const assertBreaks = async (caller: Client, body: Body, rule: Rule, what: string) => {
      const [status, param] = rule.refusal
      const answer = await createRun(caller, body)
      assert.strictEqual(answer.status, status, `${what}: ${answer.text}`)
      assertRefused(answer, status, codes[status] ?? "", param)
    }

    it("is refused for each of them, and leaves nothing", async () => {
      const { body, live, rules } = await setUp()
      for (const rule of rules) await assertBreaks(live, rule.breaks(body), rule, rule.name)
      assert.isEmpty(expectStatus(await live.get<ListOf<unknown>>("/v1/distill/runs"), 200).data)
      assert.isEmpty(expectStatus(await live.get<ListOf<unknown>>("/v1/events?type=distill.run.*"), 200).data)
      const { id } = expectStatus(await createRun(live, body), 201)
      assert.strictEqual((await endedRun(live, id)).status, "succeeded")
    })

    it("is refused for the first of any two (P37)", async () => {
      const { body, live, rules } = await setUp()
      for (const [index, first] of rules.entries()) {
        for (const second of rules.slice(index + 1)) {
          // The first last, so that it stays broken if both concern one field.
          const broken = first.breaks(second.breaks(body))
          await assertBreaks(live, broken, first, `${first.name}, and ${second.name}`)
        }
      }
    })
  },
  { builtin: scripted.executor }
)

onEachStorage("a run on a version that is not ready", (house) => {
  it("is refused, and so is one on a version of another workspace or mode", async () => {
    const [{ live, test }, other] = [await house.workspace(), await house.workspace()]
    const { id } = await ticketsVersion(live)
    const body = {
      dataset_version: id,
      recipe: { student_model: "builtin/text-classifier", stages: [sft], rewards: [] },
      budget: { max_cost_usd: 1 },
      dry_run: true
    }
    for (const caller of [test, other.live])
      assertRefused(await createRun(caller, body), 404, "not_found_error", "dataset_version")
  })
})
