/** A run's totals include judges' tokens, for any outcome of the attempt (contract 5, 14.19). */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { RewardCreated } from "@limbeck/api/RewardsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { Progress } from "@limbeck/distill/run/Executor"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, readUntil, ticketsVersion } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { ScriptedExecutor, saying } from "./support/ScriptedExecutor.ts"

const rows = 3
/** A judge is asked twice of each of two completions, and counts 14 tokens each time. */
const callTokens = 14
const callsOfRow = 4

const script = new ScriptedExecutor()
script.stages.set("eval", () =>
  saying(
    ...Array.from({ length: rows }, (_, index) =>
      Progress.Answer({
        row: {
          key: `row_${index}`,
          row: { messages: [{ role: "user", content: `question ${index}` }], completion: "yes" }
        },
        completion: "no",
        latencyMillis: 1,
        confidence: null
      })
    )
  )
)

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

/** A judge that fails its `failing`th call, if any; `asked` collects the requested models. */
const judgeOf = async (caller: Client, failing: number | null, asked: Array<string> = []) => {
  const said = { choices: [{ message: { role: "assistant", content: '{"score": 3}' } }] }
  const body = JSON.stringify({ ...said, usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 } })
  let calls = 0
  const base_url = models.base((request, response) => {
    calls++
    asked.push(JSON.parse((request as IncomingMessage & { readonly sent: string }).sent).model) // The server has read it.
    response.writeHead(calls === failing ? 500 : 200, { "content-type": "application/json" }).end(body)
  })
  await createSource(caller, { base_url, default: true })
  const config = { rubric: "Is it right?", model: "gpt", scale: { min: 1, max: 5 } }
  const created = await caller.post<typeof RewardCreated.Type>("/v1/distill/rewards", {
    name: "judge",
    kind: "llm_judge",
    config
  })
  return expectStatus(created, 201).id
}

onOneStorage(
  "a run whose judge fails and is asked again",
  (house) => {
    it("counts the tokens of both attempts, and of the row that could not be scored (P48)", async () => {
      const { live } = await house.workspace()
      const { id: version } = await ticketsVersion(live)
      const reward = await judgeOf(live, callsOfRow + 1)
      const recipe = {
        student_model: "builtin/text-classifier",
        stages: ["sft", "eval"].map((kind) => ({ kind, config: {} })),
        rewards: [reward]
      }
      const body = { dataset_version: version, recipe, budget: { max_cost_usd: 5 }, dry_run: false }
      const { id } = expectStatus(await createRun(live, body), 201)
      const read = () => live.get<typeof Run.Type>(`/v1/distill/runs/${id}`)
      const first = (2 * callsOfRow - 1) * callTokens
      const broken = await readUntil(read, ({ totals }) => totals.judge_tokens >= first)
      assert.strictEqual(broken.totals.judge_tokens, first)
      house.passTime(5_000)
      const run = await readUntil(read, ({ status }) => status === "succeeded" || status === "failed")
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      assert.strictEqual(run.totals.judge_tokens, first + rows * callsOfRow * callTokens)
      assert.isAbove(run.totals.cost_usd, 0)
    })

    it("asks the judge_model of its eval stage, and the reward's own where it names none (P175)", async () => {
      const { live } = await house.workspace()
      const { id: version } = await ticketsVersion(live)
      const asked: Array<string> = []
      const reward = await judgeOf(live, null, asked)
      for (const [config, model] of [
        [{ judge_model: "other" }, "other"],
        [{}, "gpt"]
      ] as const) {
        asked.length = 0
        const recipe = {
          student_model: "builtin/text-classifier",
          stages: [
            { kind: "sft", config: {} },
            { kind: "eval", config }
          ],
          rewards: [reward]
        }
        const body = { dataset_version: version, recipe, budget: { max_cost_usd: 5 }, dry_run: false }
        const { id } = expectStatus(await createRun(live, body), 201)
        const read = () => live.get<typeof Run.Type>(`/v1/distill/runs/${id}`)
        const run = await readUntil(read, ({ status }) => status === "succeeded" || status === "failed")
        assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
        assert.deepStrictEqual([...new Set(asked)], [model])
        assert.lengthOf(asked, rows * callsOfRow)
      }
    })
  },
  { builtin: script.executor, egressAllow: ["127.0.0.0/8"] }
)
