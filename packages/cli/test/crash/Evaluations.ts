/** A server is killed in the middle of an evaluation at an endpoint; what was recorded is not asked again. */
import { assert } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, isOver, type Run } from "../Api.ts"
import { liveToken, quiet, Server } from "../Server.ts"
import { heldModel } from "./HeldModel.ts"

const count = 120
/** Rows that are answered before the server is killed: several batches of what is asked at once. */
const answeredFirst = 30

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

const row = (index: number) =>
  JSON.stringify({ messages: [{ role: "user", content: `question ${index}` }], completion: `answer ${index}` })

/** Says what the teacher says. */
const student = (question: string) => {
  const message = { role: "assistant", content: question.replace("question", "answer") }
  return { choices: [{ index: 0, message }] }
}

const planOf = async (api: Api, base_url: string) => {
  const upload = await api.upload(Array.from({ length: 2 * count }, (_, index) => row(index)).join("\n"))
  await api.uploaded(upload)
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "questions" })
  const from = { from: { upload: upload.id }, holdout_fraction: 0.5 }
  const made = await api.create<{ readonly id: string }>(`/v1/distill/datasets/${dataset.id}/versions`, from)
  const version = await api.built(made)
  const { id } = await api.create<{ readonly id: string }>("/v1/distill/student_models", {
    name: "tuned",
    base_model: "gpt-4.1-nano",
    endpoint: { base_url, model: "tuned" }
  })
  const plan = {
    dataset_version: version.id,
    recipe: { student_model: id, stages: [{ kind: "eval", config: {} }], rewards: [] },
    budget: { max_cost_usd: 1 },
    dry_run: false
  }
  return { plan, holdout: version.holdout_rows, student: id }
}

const recordedOf = async (api: Api, { id }: Run): Promise<number> => {
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${id}/metrics`)
  return series.find(({ name }) => name === "holdout_rows")?.points.at(-1)?.value ?? 0
}

export const evaluations = async (atEnd: AtEnd) => {
  const { asked, base, release } = await heldModel(atEnd, answeredFirst, student)
  const DATA_DIR = await temporaryFolder(atEnd)
  const environment = { ...quiet, STORAGE: "embedded", DATA_DIR, EGRESS_ALLOW: "127.0.0.0/8" }
  const server = await new Server(atEnd, environment).start()
  const api = new Api(server, liveToken)
  const { holdout, plan, student: id } = await planOf(api, base)
  const run = await api.create<Run>("/v1/distill/runs", plan)
  await eventually("all that is answered is recorded, and as much is asked as may be at once", async () => {
    const isAsked = asked.length === answeredFirst + DistillLimits.studentAskedMax
    return isAsked && (await recordedOf(api, run)) === answeredFirst
  })
  const before = asked.length
  await server.kill()
  release()
  await server.start()
  const ended = await eventually("the run is over", async () => {
    const found = await api.get<Run>(`/v1/distill/runs/${run.id}`)
    return isOver(found) ? found : undefined
  })
  assert.strictEqual(ended.status, "succeeded")
  // Only what was asked and had no answer yet.
  assert.strictEqual(asked.length, holdout + (before - answeredFirst))
  assert.strictEqual(new Set(asked).size, holdout)
  const again = new Set(asked.slice(before))
  assert.isTrue(asked.slice(0, answeredFirst).every((question) => !again.has(question)))
  const found = await api.get<{ readonly accuracy: number }>(`/v1/distill/student_models/${id}`)
  assert.strictEqual(found.accuracy, 1)
}
