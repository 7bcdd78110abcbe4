/**
 * A server is killed while a judge scores for a trainer, which survives and asks the next server; all judge tokens are paid
 * for.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Run } from "../Api.ts"
import { usedFolder } from "../DataFolder.ts"
import { liveToken, quiet, Server } from "../Server.ts"
import { heldModel } from "./HeldModel.ts"

const trainer = fileURLToPath(new URL("../../../executors/test/process/reference-trainer.mjs", import.meta.url))
const tokensOfOne = 1_000
const steps = 3
/** In each step, eight completions in two orders, all at once. */
const questionsOfStep = 8 * 2
/** In the middle of the second step. */
const answeredFirst = 20

const judge = () => ({
  choices: [{ index: 0, message: { role: "assistant", content: '{"score": 3}' } }],
  usage: { prompt_tokens: tokensOfOne - 4, completion_tokens: 4, total_tokens: tokensOfOne }
})

const planOf = async (api: Api, base_url: string) => {
  const rows = Array.from({ length: 30 }, (_, index) => ({
    messages: [{ role: "user", content: `question ${index}` }],
    completion: `answer ${index}`
  }))
  const upload = await api.upload(rows.map((row) => JSON.stringify(row)).join("\n"))
  await api.uploaded(upload)
  const version = await api.built(await api.build(upload))
  await api.create("/v1/sources", { name: "judges", kind: "byok", base_url, api_key: "sk-judge", default: true })
  const config = { rubric: "Is it right?", model: "judge", scale: { min: 1, max: 5 } }
  const reward = { name: "right", kind: "llm_judge", config }
  const { id } = await api.create<{ readonly id: string }>("/v1/distill/rewards", reward)
  return {
    dataset_version: version.id,
    recipe: { student_model: "Qwen/Qwen3-0.6B", stages: [{ kind: "grpo", config: { steps } }], rewards: [id] },
    budget: { max_cost_usd: 5 },
    dry_run: false
  }
}

interface Totals {
  readonly totals: { readonly judge_tokens: number }
}

export const judgedTrainings = async (atEnd: AtEnd) => {
  const { asked, base, release } = await heldModel(atEnd, answeredFirst, judge)
  const DATA_DIR = await usedFolder(atEnd)
  const TRAINER_DIARY = join(DATA_DIR, "diary")
  const server = await new Server(atEnd, {
    ...quiet,
    STORAGE: "embedded",
    DATA_DIR,
    EGRESS_ALLOW: "127.0.0.0/8",
    TRAINER_COMMAND: `"${process.execPath}" "${trainer}"`,
    TRAINER_DIARY,
    TRAINER_ENV: "TRAINER_DIARY"
  }).start()
  const api = new Api(server, liveToken)
  const run = await api.create<Run>("/v1/distill/runs", await planOf(api, base))
  await eventually("the judge is asked all of the second step, and does not answer some of it", async () =>
    asked.length === 2 * questionsOfStep ? true : undefined
  )
  await server.kill()
  release()
  await server.start()
  const ended = await eventually("the run is over", async () => {
    const found = await api.get<Run & Totals>(`/v1/distill/runs/${run.id}`)
    return isOver(found) ? found : undefined
  })
  assert.strictEqual(ended.status, "succeeded", JSON.stringify(ended))
  // The same trainer all the time, which asked for the second step again.
  assert.lengthOf(readFileSync(TRAINER_DIARY, "utf8").trim().split("\n"), 1)
  assert.strictEqual(asked.length, (steps + 1) * questionsOfStep)
  assert.isAtLeast(ended.totals.judge_tokens, tokensOfOne * asked.length)
}
