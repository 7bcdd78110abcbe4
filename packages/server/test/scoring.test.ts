/** Completions of a trainer, scored by the rewards of its run's recipe: over HTTP, by a capability of the run's attempt. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import type { Score } from "@limbeck/api/RewardsApi"
import type { ScoringResponse } from "@limbeck/api/ScoringApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
import { eventually } from "@limbeck/testing/Eventually"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { rewardOf } from "./support/LiveRuns.ts"

const trainer = fileURLToPath(new URL("../../executors/test/process/reference-trainer.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "scoring-"))
const models = new Models()
let origin = ""
beforeAll(() => models.open())
afterAll(() => {
  models.close()
  rmSync(folder, { recursive: true, force: true })
})

const llm = ProcessExecutor.make({
  folder,
  server: () => origin,
  command: `"${process.execPath}" "${trainer}"`,
  environment: { PATH: process.env["PATH"] ?? "", TRAINER_STEP_MS: "20" }
})

/** What each row is asked, and says: a JSON text with a number. */
const rows = Array.from({ length: 40 }, (_, index) => ({
  messages: [{ role: "user", content: `How many are ${index} and one?` }],
  completion: `{"sum":${index + 1}}`
}))

/** A judge that takes so many tokens for each answer; each answers the mean of its scale. */
const judgeOf = async (caller: Client, tokens: number) => {
  const said = { choices: [{ message: { role: "assistant", content: '{"score": 3}' } }] }
  const usage = { prompt_tokens: tokens - 3, completion_tokens: 3, total_tokens: tokens }
  const asked = { times: 0 }
  const base_url = models.base((_, response) => {
    asked.times++
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...said, usage }))
  })
  await createSource(caller, { base_url, default: true })
  const config = { rubric: "Is it right?", model: "gpt", scale: { min: 1, max: 5 } }
  return { asked, reward: await rewardOf(caller, "llm_judge", config) }
}

const begun = async (caller: Client, rewards: ReadonlyArray<string>, fields: object = {}, steps = 100_000) => {
  const { id: version } = await versionOf(caller, rows, { holdout_fraction: 0.25, seed: 1 })
  const body = {
    dataset_version: version,
    recipe: { student_model: "Qwen/Qwen3-0.6B", stages: [{ kind: "grpo", config: { steps } }], rewards },
    budget: { max_cost_usd: 5 },
    dry_run: false,
    ...fields
  }
  return expectStatus(await createRun(caller, body), 201).id
}

/** The trainer's scoring access, once written. */
const access = (run: string): Promise<{ readonly url: string; readonly token: string }> =>
  eventually("the trainer is told where to ask", async () => {
    try {
      return JSON.parse(readFileSync(join(folder, run, "3-grpo", "scoring.json"), "utf8"))
    } catch {
      return undefined
    }
  })

const trainRows = (run: string): ReadonlyArray<{ readonly key: string; readonly completion: { content: string } }> =>
  readFileSync(join(folder, run, "train.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const ofRun = (run: string) => `/trainer/runs/${run}/scores`
type Answer = typeof ScoringResponse.Type & typeof ErrorEnvelope.Type

onPostgres(
  "completions that a trainer has scored",
  (house) => {
    const asking = (token: string, run: string, completions: ReadonlyArray<unknown>) =>
      house.client(token).post<Answer>(ofRun(run), { completions })
    beforeAll(() => {
      origin = house.origin
    })

    it("have the scores that the rewards themselves give, and their mean (P371)", async () => {
      const { live } = await house.workspace()
      const { reward: judge } = await judgeOf(live, 14)
      const scorer = models.base((_, response) => response.end('{"score": 0.25}'))
      const made = [
        await rewardOf(live, "exact_match"),
        await rewardOf(live, "contains", { value: "sum" }),
        await rewardOf(live, "regex", { pattern: "^\\{" }),
        await rewardOf(live, "json_schema", { schema: { type: "object", required: ["sum"] } }),
        await rewardOf(live, "numeric", { tolerance: 0.5 }),
        judge,
        await rewardOf(live, "http", { url: `${scorer}/score` })
      ]
      const run = await begun(live, made)
      const { token, url } = await access(run)
      assert.strictEqual(url, house.origin + ofRun(run))
      const [first] = trainRows(run)
      assert.isDefined(first)
      for (const completion of [first.completion.content, "none", { role: "assistant", content: '{"sum": "?"}' }]) {
        const { data } = expectStatus(await asking(token, run, [{ row: first.key, completion }]), 200)
        const row = rows.find(({ completion: own }) => own === first.completion.content)
        const own = await Promise.all(
          made.map(async (id) => {
            const { body } = await live.post<typeof Score.Type>(`/v1/distill/rewards/${id}/score`, { row, completion })
            return { reward: id, score: body.score, error: body.detail.error, message: body.detail.message }
          })
        )
        const [shown] = data
        assert.deepStrictEqual(
          shown?.rewards.map(({ retryable: _, ...one }) => one),
          own
        )
        const given = own.map(({ score }) => score).filter((score) => score !== null)
        assert.closeTo(shown?.score ?? Number.NaN, given.reduce((sum, score) => sum + score, 0) / given.length, 1e-9)
      }
      expectStatus(await live.post(`/v1/distill/runs/${run}/cancel`, {}), 200)
    })

    it("are scored by the capability of this run alone, which is good for nothing else, until the run ends (P372)", async () => {
      const { live, liveToken } = await house.workspace()
      const reward = await rewardOf(live, "exact_match")
      const run = await begun(live, [reward])
      const other = await begun(live, [reward])
      const [{ token }, { token: foreign }] = [await access(run), await access(other)]
      const [first] = trainRows(run)
      const completions = [{ row: first?.key, completion: "x" }]
      for (const wrong of [foreign, liveToken, `${token.slice(1)}0`, "x"]) {
        const refused = await asking(wrong, run, completions)
        assert.deepStrictEqual([refused.status, refused.body.error.code], [401, "authentication_error"])
      }
      assert.strictEqual((await house.client(null).post(ofRun(run), { completions })).status, 401)
      const absent = await asking(token, run, [...completions, { row: "absent", completion: "x" }])
      assert.deepStrictEqual([absent.status, absent.body.error.param], [400, "completions[1].row"])
      const many = Array.from({ length: DistillLimits.scoredMax + 1 }, () => completions[0])
      assert.deepStrictEqual((await asking(token, run, many)).body.error.param, "completions")
      assert.strictEqual(
        (await asking(token, run, [{ ...completions[0], completion: "x".repeat(5_000_000) }])).status,
        413
      )
      // No token of the API, and readable by its user alone.
      assert.strictEqual((await house.client(token).get("/v1/whoami")).status, 401)
      assert.strictEqual(statSync(join(folder, run, "3-grpo", "scoring.json")).mode & 0o777, 0o600)
      const told = await eventually("what the trainer is given is written", () => {
        const input = join(folder, run, "3-grpo", "1", "input.json")
        const given = existsSync(input) ? readFileSync(input, "utf8") : ""
        return given.includes("scoring.json") && given
      })
      assert.notInclude(told, token)
      assert.strictEqual((await asking(token, run, completions)).status, 200)
      expectStatus(await live.post(`/v1/distill/runs/${run}/cancel`, {}), 200)
      const over = await asking(token, run, completions)
      assert.deepStrictEqual([over.status, over.body.error.code], [410, "gone"])
      expectStatus(await live.post(`/v1/distill/runs/${other}/cancel`, {}), 200)
    })

    it("are paid for by the run where judges score them, to the token (P373)", async () => {
      const { live } = await house.workspace()
      const { asked, reward } = await judgeOf(live, 14)
      const run = await begun(live, [reward], {}, 3)
      const ended = await endedRun(live, run)
      assert.strictEqual(ended.status, "succeeded", JSON.stringify(ended.error))
      assert.strictEqual(asked.times, 3 * 8 * 2)
      assert.strictEqual(ended.totals.judge_tokens, 14 * asked.times)
    })

    it("end the run where its budget holds no more of them (P373)", async () => {
      const { live } = await house.workspace()
      const { asked, reward } = await judgeOf(live, 1_000)
      const poor = await begun(live, [reward], { budget: { max_cost_usd: 0.01 } })
      const refused = await endedRun(live, poor)
      assert.strictEqual(refused.error?.code, "budget_exceeded")
      assert.strictEqual(asked.times, 0)
      const run = await begun(live, [reward], { budget: { max_cost_usd: 0.1 } })
      const { error, totals } = await endedRun(live, run)
      assert.strictEqual(error?.code, "budget_exceeded")
      assert.isAbove(asked.times, 0)
      assert.strictEqual(totals.judge_tokens, 1_000 * asked.times)
      assert.isAtMost(totals.cost_usd, 0.1)
    })

    it("are scored in a rehearsal without asking anybody outside (P373)", async () => {
      const { live } = await house.workspace()
      const { asked, reward } = await judgeOf(live, 14)
      const run = await begun(live, [reward, await rewardOf(live, "exact_match")], { dry_run: true }, 2)
      const ended = await endedRun(live, run)
      assert.strictEqual(ended.status, "succeeded", JSON.stringify(ended.error))
      const { metrics } = ended.stages.find(({ kind }) => kind === "grpo") ?? assert.fail("no grpo")
      assert.deepStrictEqual([metrics["reward_mean"], asked.times, ended.totals.judge_tokens], [1, 0, 0])
    })
  },
  { llm, rehearses: llm, egressAllow: ["127.0.0.0/8"] }
)
