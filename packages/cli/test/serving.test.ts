import { existsSync, readFileSync } from "node:fs"
import { cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { leaks } from "@limbeck/testing/fixtures/Credentials"
import { Api, isOver } from "./Api.ts"
import { type Environment, liveToken, quiet, Server, testToken } from "./Server.ts"

const fixture = (name: string) => fileURLToPath(new URL(`../../executors/test/${name}`, import.meta.url))
const quoted = `"${process.execPath}"`

interface Started {
  readonly pid: number
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

const isAlive = ({ pid }: Started): boolean => {
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
}

/** A server whose trainer has published a student, which it serves under `svc:desk`. */
const deployed = async (atEnd: AtEnd, { STORAGE, behavior = "", environment = {}, trainer }: Options) => {
  const folder = await temporaryFolder(atEnd)
  const file = join(folder, "diary")
  const server = await new Server(atEnd, {
    ...quiet,
    STORAGE,
    DATA_DIR: join(folder, "data"),
    TRAINER_COMMAND: trainer ?? `${quoted} "${fixture("process/reference-trainer.mjs")}"`,
    SERVING_COMMAND: `${quoted} "${fixture("serving/student-server.mjs")}" {artifact} {port} "${file}" ${behavior}`,
    MODELS_DIR: "models",
    OPENAI_API_KEY: "secret",
    ...environment
  }).start()
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
  const started = (): ReadonlyArray<Started> =>
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

const gone = (one: Started) =>
  eventually("the student's process is gone", async () => (isAlive(one) ? undefined : true))

describe.concurrent("SERVING_COMMAND", () => {
  it("serves what a trainer has published, with no secret, and dies with a server that is killed (P314, P379)", async ({
    onTestFinished
  }) => {
    const options = { STORAGE: "embedded", behavior: "stubborn" }
    const { api, path, said, served, server, started, student } = await deployed(onTestFinished, options)
    const words = await said()
    assert.isNotEmpty(words)
    const [first, ...others] = started()
    assert.isDefined(first)
    assert.isEmpty(others)
    assert.include(first.names, "MODELS_DIR")
    assert.notInclude(first.names, "OPENAI_API_KEY")
    await server.kill()
    await gone(first)
    // Of a student that was served until then, and is not deployed.
    const other = join(served, "stu_00000000000000000000000000")
    await cp(join(served, student), other, { recursive: true })
    await server.start()
    await eventually("what the killed server has left is removed", async () => (existsSync(other) ? undefined : true))
    assert.isTrue(existsSync(join(served, student)))
    // Nobody has told it: the first call starts it again.
    assert.strictEqual(await said(), words)
    assert.lengthOf(started(), 2)
    await api.create(`${path}/retire`, {})
    await eventually("nothing is kept of it", async () => (existsSync(join(served, student)) ? undefined : true))
  })

  it("does not outlive a server that is asked to stop, which ends well (P314)", async ({ onTestFinished }) => {
    const { said, server, started } = await deployed(onTestFinished, { STORAGE: "memory" })
    await said()
    assert.strictEqual((await server.stop()).code, 0)
    for (const one of started()) assert.isFalse(isAlive(one))
  })

  it("tells neither a trainer nor a student's server a secret of its own, and shows none that they print (P386)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const printed = join(folder, "printed")
    const lines = leaks.filter(([line]) => !line.includes("\n"))
    await writeFile(printed, lines.map(([line]) => `${line}\n`).join(""))
    const secrets = {
      DATABASE_URL: "postgres://limbeck:planted-database@127.0.0.1:9/none",
      ENCRYPTION_KEY: Buffer.alloc(32, "planted").toString("base64"),
      OPENAI_API_KEY: "planted-model",
      HF_TOKEN: "planted-hub",
      CUDA_SECRET: "planted-device",
      AWS_SECRET_ACCESS_KEY: "planted-bucket"
    }
    // What it publishes is its environment, so that the student says that.
    const trainer = `env >&2; cat "${printed}" >&2; env >env; echo '{"type":"result","artifact":"env"}'`
    const { api, run, said, served, started, student } = await deployed(onTestFinished, {
      STORAGE: "memory",
      behavior: "telling",
      trainer,
      environment: secrets
    })
    const log = readFileSync(join(served, `${student}.log`), "utf8")
    const logs = await api.text(`/v1/distill/runs/${run.id}/logs?limit=1000`)
    const seen = { artifact: String(await said()), diary: JSON.stringify(started()), log, logs }
    for (const [where, text] of Object.entries(seen)) {
      assert.include(text, "PATH=", where)
      for (const secret of [...Object.values(secrets), liveToken, testToken, "planted"]) {
        assert.notInclude(text, secret, where)
      }
    }
    const shown = logs.replaceAll("\\", "")
    const leaked = lines.filter(([, secret]) => shown.includes(secret.replaceAll("\\", "")))
    assert.deepStrictEqual(leaked, [])
    assert.include(logs, "[redacted]")
  })
})
