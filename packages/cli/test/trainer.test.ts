import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as RayJobServer from "@limbeck/testing/upstream/RayJobServer"
import { Api, type Run } from "./Api.ts"
import { type Environment, liveToken, quiet, runToEnd, Server } from "./Server.ts"

const trainer = fileURLToPath(new URL("../../executors/test/process/reference-trainer.mjs", import.meta.url))

const started = async (atEnd: AtEnd, environment: Environment = {}) => {
  const folder = await temporaryFolder(atEnd)
  const diary = join(folder, "diary")
  const server = await new Server(atEnd, {
    ...quiet,
    STORAGE: "memory",
    DATA_DIR: join(folder, "data"),
    TRAINER_COMMAND: `"${process.execPath}" "${trainer}"`,
    TRAINER_DIARY: diary,
    TRAINER_ENV: "TRAINER_DIARY, TRAINER_BEHAVIOR",
    ...environment
  }).start()
  const api = new Api(server, liveToken)
  const plan = { ...((await api.plan()) as object), dry_run: false }
  const recipe = {
    student_model: "Qwen/Qwen3-0.6B",
    stages: [
      { kind: "sft", config: { epochs: 2 } },
      { kind: "eval", config: { rewards: [] } },
      { kind: "publish", config: {} }
    ],
    rewards: []
  }
  const pids = () =>
    (existsSync(diary) ? readFileSync(diary, "utf8") : "").split("\n").flatMap((line) => line.split(" ")[2] ?? [])
  const filesOf = ({ id }: Run) => join(folder, "data/trainers", id)
  return { api, plan: { ...plan, recipe }, pids, filesOf }
}

/** A dead process may still be a zombie. */
const isAlive = (pid: string): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

describe.concurrent("TRAINER_COMMAND", () => {
  it("trains a language model's live run, stage by stage", async ({ onTestFinished }) => {
    const { api, pids, plan } = await started(onTestFinished)
    const [run] = await api.whenOver(await api.runs(plan, 1))
    const { text } = await api.call("GET", `/v1/distill/runs/${run?.id}`)
    assert.strictEqual(run?.status, "succeeded", text)
    assert.include(text, '"executor":"process"')
    assert.lengthOf(pids(), 3)
    const logs = await api.call("GET", `/v1/distill/runs/${run?.id}/logs`)
    assert.include(logs.text, "sft of Qwen/Qwen3-0.6B, attempt 1")
  })

  it("leaves no files of a run that succeeded", async ({ onTestFinished }) => {
    const { api, filesOf, plan } = await started(onTestFinished)
    const [run] = await api.runs(plan, 1)
    assert.isDefined(run)
    await eventually("the trainer has files", async () => (existsSync(filesOf(run)) ? true : undefined))
    await api.whenOver([run])
    await eventually("they are removed", async () => (existsSync(filesOf(run)) ? undefined : true))
  })

  it("gets what holds no secret and what TRAINER_ENV names, and nothing else (P115)", async ({ onTestFinished }) => {
    const dump = join(await temporaryFolder(onTestFinished), "environment")
    const { api, plan } = await started(onTestFinished, {
      TRAINER_COMMAND: `env >"$DUMP"; "${process.execPath}" "${trainer}"`,
      TRAINER_ENV: "DUMP,WANDB_API_KEY",
      DUMP: dump,
      WANDB_API_KEY: "meant-for-the-trainer",
      AWS_SECRET_ACCESS_KEY: "secret",
      OPENAI_API_KEY: "secret",
      HF_TOKEN: "secret",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret",
      HF_HOME: "/models",
      OMP_NUM_THREADS: "1"
    })
    const [run] = await api.whenOver(await api.runs(plan, 1))
    assert.strictEqual(run?.status, "succeeded")
    const names = readFileSync(dump, "utf8")
      .split("\n")
      .map((line) => line.split("=", 1)[0])
    const given = ["DUMP", "WANDB_API_KEY", "HF_HOME", "OMP_NUM_THREADS", "PATH", "HOME"]
    // Of the test's own environment, and what the shell adds.
    const usual = ["USER", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "PWD", "OLDPWD", "SHLVL", "_", ""]
    assert.includeMembers(names, given)
    assert.includeMembers([...given, ...usual], names)
  })

  it("is stopped by a cancel, also if it does not listen", async ({ onTestFinished }) => {
    const { api, pids, plan } = await started(onTestFinished, { TRAINER_BEHAVIOR: "stubborn" })
    const run = await api.create<Run>("/v1/distill/runs", plan)
    const pid = await eventually("the trainer is started", async () => pids()[0])
    const logs = () => api.text(`/v1/distill/runs/${run.id}/logs`)
    await eventually("it hangs", async () => ((await logs()).includes("hangs") ? true : undefined))
    assert.isTrue(isAlive(pid))
    // How soon is timed where the test has the clock: `executors/test/process/stopping.test.ts`.
    await api.create(`/v1/distill/runs/${run.id}/cancel`, {})
    await eventually("it is gone", async () => (isAlive(pid) ? undefined : true))
  })

  it("does not outlive a server that is asked to stop, which ends well", async ({ onTestFinished }) => {
    const { api, pids, plan } = await started(onTestFinished, { TRAINER_BEHAVIOR: "stubborn" })
    await api.create<Run>("/v1/distill/runs", plan)
    const pid = await eventually("the trainer is started", async () => pids()[0])
    assert.strictEqual((await api.server.stop()).code, 0)
    assert.isFalse(isAlive(pid))
  })

  it("where there is none, such a run is refused with what to set up", async ({ onTestFinished }) => {
    const { api, plan } = await started(onTestFinished, { TRAINER_COMMAND: "" })
    const refused = await api.call("POST", "/v1/distill/runs", { body: plan, key: "one" })
    assert.strictEqual(refused.status, 409)
    assert.include(refused.text, "TRAINER_COMMAND")
  })
})

describe.concurrent("EXECUTOR=ray", () => {
  it("trains a language model's live run on the cluster, with what its profile asks for (P325)", async ({
    onTestFinished
  }) => {
    const cluster = await RayJobServer.make({ cpus: 2 })
    onTestFinished(cluster.close)
    const { api, pids, plan } = await started(onTestFinished, { EXECUTOR: "ray", RAY_ADDRESS: cluster.address })
    const [run] = await api.whenOver(await api.runs(plan, 1))
    const { text } = await api.call("GET", `/v1/distill/runs/${run?.id}`)
    assert.strictEqual(run?.status, "succeeded", text)
    assert.include(text, '"executor":"ray"')
    assert.lengthOf(pids(), 3)
    assert.deepStrictEqual(
      cluster.submissions.map(({ entrypoint_num_cpus, entrypoint_num_gpus, submission_id }) => [
        submission_id,
        entrypoint_num_cpus,
        entrypoint_num_gpus
      ]),
      ["2-sft-1", "4-eval-1", "5-publish-1"].map((stage) => [`limbeck-${run?.id}-${stage}`, 1, 0])
    )
  })

  it("without a cluster that answers ends the start with one line (P329)", async () => {
    const environment = { ...quiet, STORAGE: "memory", EXECUTOR: "ray", TRAINER_COMMAND: "true" }
    const { code, stderr } = await runToEnd({ ...environment, RAY_ADDRESS: "http://127.0.0.1:1" })
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(stderr, ["RAY_ADDRESS: http://127.0.0.1:1: no Ray cluster answers there (ECONNREFUSED)"])
  })
})
