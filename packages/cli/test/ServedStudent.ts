/** A server whose trainer has published a student, served by a process of its own. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, isOver } from "./Api.ts"
import { type Environment, liveToken, quiet, Server } from "./Server.ts"

const fixture = (name: string) => fileURLToPath(new URL(`../../executors/test/${name}`, import.meta.url))
const quoted = `"${process.execPath}"`

export interface StudentServer {
  readonly pid: number
  readonly port: number
  readonly names: ReadonlyArray<string>
}

interface Run {
  readonly id: string
  readonly status: string
  readonly student_model: string | null
}

interface Completion {
  readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }>
}

export const isAlive = ({ pid }: StudentServer): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

interface Options {
  readonly STORAGE: string
  readonly behavior?: string
  /** A command instead of the trainer that the tests have. */
  readonly trainer?: string
  readonly environment?: Environment
  /** `serve` by default. */
  readonly command?: ReadonlyArray<string>
}

/** A server whose trainer has published a student, served under `svc:desk`. */
export const deployed = async (
  atEnd: AtEnd,
  { STORAGE, behavior = "", command = ["serve"], environment = {}, trainer }: Options
) => {
  const folder = await temporaryFolder(atEnd)
  const file = join(folder, "diary")
  const server = await new Server(
    atEnd,
    {
      ...quiet,
      STORAGE,
      DATA_DIR: join(folder, "data"),
      TRAINER_COMMAND: trainer ?? `${quoted} "${fixture("process/reference-trainer.mjs")}"`,
      SERVING_COMMAND: `${quoted} "${fixture("serving/student-server.mjs")}" {artifact} {port} "${file}" ${behavior}`,
      MODELS_DIR: "models",
      OPENAI_API_KEY: "secret",
      ...environment
    },
    command
  ).start()
  const api = new Api(server, liveToken)
  const recipe = {
    student_model: "Qwen/Qwen3-0.6B",
    stages: [
      { kind: "sft", config: { epochs: 1 } },
      { kind: "publish", config: {} }
    ],
    rewards: []
  }
  const plan = { ...((await api.plan()) as object), recipe, dry_run: false }
  const { id } = await api.create<Run>("/v1/distill/runs", plan)
  const run = await eventually("the run is over", async () => {
    const found = await api.get<Run>(`/v1/distill/runs/${id}`)
    return isOver(found) ? found : undefined
  })
  const body = { alias: "desk", student_model: run.student_model, mode: "active", guard: null }
  const made = await api.create<{ readonly id: string }>("/v1/distill/deployments", body)
  const path = `/v1/distill/deployments/${made.id}`
  const { status } = await api.finished<{ readonly status: string }>(path, "provisioning")
  assert.strictEqual(status, "ready")
  const started = (): ReadonlyArray<StudentServer> =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  const said = async () => {
    const question = { model: "svc:desk", messages: [{ role: "user", content: "Who are you?" }] }
    const answer = await api.create<Completion>("/v1/proxy/chat/completions", question)
    return answer.choices[0]?.message.content
  }
  const served = join(folder, "data", "served")
  return { api, path, run, said, served, server, started, student: String(run.student_model) }
}
