// @effect-diagnostics globalFetch:off
/**
 * A language model as student, in one command on a processor: a teacher's answers to orders are captured, a tiny base model
 * that is made on the spot learns them as a LoRA adapter, and the report says how often it says the same. Nothing is fetched
 * but packages. Exits 0 only if the student agrees with its teacher on most of the orders that it never saw.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, makeClient } from "@limbeck/client"
import * as Server from "./Server.ts"
import * as Teacher from "./Teacher.ts"

const orders = 400
const leastAgreement = 0.7

const say = (text: string) => process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  ${text}\n`)

/** Calls the proxy like any program with an OpenAI client. */
const capture = async (limbeck: Client, { baseUrl, token }: Server.Server, teacherUrl: string): Promise<void> => {
  const models = [{ id: Teacher.model, input_per_million: 2.5, output_per_million: 10 }]
  await limbeck.sources.create({
    name: "teacher",
    kind: "byok",
    base_url: teacherUrl,
    api_key: Teacher.apiKey,
    default: true,
    models
  })
  for (const content of Teacher.orders(orders)) {
    const response = await fetch(`${baseUrl}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: Teacher.model, messages: [{ role: "user", content }] })
    })
    if (!response.ok) throw new Error(`The proxy answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }
}

const versionOf = async (limbeck: Client): Promise<string> => {
  const dataset = await limbeck.datasets.create({ name: "orders" })
  for (;;) {
    const { id } = await limbeck.datasetVersions.create(dataset.id, {
      from: { calls: { source: "teacher" } },
      dedupe: "none",
      holdout_fraction: 0.2
    })
    const version = await limbeck.datasetVersions.wait(id)
    // Calls are stored a moment after their answer.
    if ((version.rows ?? 0) >= orders) return id
  }
}

const train = async (limbeck: Client, dataset_version: string) => {
  const plan: Parameters<Client["runs"]["create"]>[0] = {
    dataset_version,
    recipe: {
      student_model: Server.student,
      stages: [
        { kind: "sft", config: { epochs: 6, lora_rank: 16, learning_rate: 0.005, max_seq_len: 256 } },
        { kind: "eval", config: {} },
        { kind: "publish", config: {} }
      ],
      rewards: []
    },
    budget: { max_cost_usd: 1 },
    compute: { profile: "local" }
  }
  const over = async (id: string) => {
    const run = await limbeck.runs.wait(id)
    if (run.status !== "succeeded") throw new Error(`The run ended ${run.status}: ${run.error?.message}`)
    return run
  }
  const rehearsed = await over((await limbeck.runs.create({ ...plan, dry_run: true })).id)
  say(`Rehearsed: ${JSON.stringify(rehearsed.stages.find(({ kind }) => kind === "sft")?.metrics)}`)
  const { id: validated_dry_run, plan_hash } = rehearsed
  return over((await limbeck.runs.create({ ...plan, dry_run: false, validated_dry_run, plan_hash })).id)
}

/** The student answers in its teacher's place, from a server that the deployment has started. */
const deploy = async (limbeck: Client, { baseUrl, token }: Server.Server, student_model: string): Promise<void> => {
  const fallback = { source: "teacher", model: Teacher.model }
  const { id } = await limbeck.deployments.create({ alias: "orders", student_model, mode: "active", fallback })
  const deployment = await limbeck.deployments.wait(id)
  if (deployment.status !== "ready") throw new Error(`The deployment is ${deployment.status}`)
  const content = Teacher.orders(orders + 1).at(-1)
  const response = await fetch(`${baseUrl}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: deployment.model, messages: [{ role: "user", content }], stream: true })
  })
  const text = await response.text()
  const servedBy = response.headers.get("x-service-served-by")
  const pieces = text.matchAll(/"content": ?"((?:[^"\\]|\\.)*)"/g)
  say(`${deployment.model} was answered by the ${servedBy}: ${[...pieces].map(([, piece]) => piece).join("")}`)
  if (servedBy !== "student") process.exitCode = 1
}

const folder = mkdtempSync(join(tmpdir(), "llm-student-"))
const models = process.env["MODELS_DIR"] ?? join(homedir(), ".cache", "limbeck", "models")
const teacher = await Teacher.start()
let server: Server.Server | undefined
try {
  const python = Server.python()
  Server.makeBase(python, models)
  say(`The base model ${Server.student} is in ${models}`)
  server = await Server.start(python, models, folder)
  const limbeck = makeClient(server)
  await capture(limbeck, server, teacher.baseUrl)
  say(`${orders} orders were read by the teacher, and captured`)
  const run = await train(limbeck, await versionOf(limbeck))
  say(`The student ${run.student_model} is trained, for $${run.totals.cost_usd}`)
  const report = await limbeck.reports.get(run.report ?? "")
  const agreement = report.accuracy?.value ?? 0
  say(`It says what its teacher said in ${(100 * agreement).toFixed(1)} % of ${report.evaluated_rows} orders held back`)
  if (agreement < leastAgreement) process.exitCode = 1
  await deploy(limbeck, server, run.student_model ?? "")
} finally {
  await server?.stop()
  teacher.stop()
  rmSync(folder, { recursive: true, force: true })
}
