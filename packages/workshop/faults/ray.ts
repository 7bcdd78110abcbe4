// By the machine's own clock.
// @effect-diagnostics globalFetch:off globalDate:off globalTimers:off
/**
 * `npm run faults:ray`: twenty runs of language models on a real Ray cluster of this machine, while the server, the machines
 * of jobs and the head of the cluster are killed. Prints what became of the runs, what they spent, and how long a job lived
 * after its run had ended. Needs `npm run check:ray` before, which installs Ray (or `RAY_VENV`); about five minutes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Run } from "../../cli/test/Api.ts"
import { liveToken, quiet, Server } from "../../cli/test/Server.ts"

const trainer = fileURLToPath(new URL("../../executors/test/process/reference-trainer.mjs", import.meta.url))
const venv = process.env["RAY_VENV"] ?? fileURLToPath(new URL("../../executors/test/ray/.venv", import.meta.url))
const port = 8466
const address = `http://127.0.0.1:${port}`
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "faults-ray-"))
const runsCount = 20
const faultEveryMillis = 20_000
const stayMillisMax = 60_000

const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)

const readOr = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Processes of this machine whose command line holds a text. */
const processesWith = (text: string): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readOr(`/proc/${name}/cmdline`).includes(text))
    .map(Number)

const killAll = (pids: ReadonlyArray<number>): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // Gone already.
    }
  }
}

/** Kills all processes of a job, like the death of its machine. */
const killGroupOf = (pid: number): void => {
  const [, group = ""] = / [A-Z] \d+ (\d+) /.exec(readOr(`/proc/${pid}/stat`)) ?? []
  if (group !== "") killAll([-Number(group)])
}

/** The head, and with it the whole cluster of this machine. */
class Cluster {
  readonly #folder = path.join(folder, "r")
  #child: ChildProcess | undefined

  async start(): Promise<void> {
    const options = [
      "--head",
      "--block",
      "--num-cpus=4",
      "--port=0",
      `--dashboard-port=${port}`,
      "--disable-usage-stats"
    ]
    const environment = { ...process.env, RAY_enable_worker_prestart: "0" }
    this.#child = spawn(path.join(venv, "bin/ray"), ["start", ...options, `--temp-dir=${this.#folder}`], {
      stdio: "ignore",
      env: environment
    })
    const answers = () =>
      fetch(`${address}/api/version`).then(
        (answer) => answer.ok,
        () => false
      )
    await eventually("the cluster answers", answers)
  }

  kill(): void {
    this.#child?.kill("SIGKILL")
    killAll(processesWith(this.#folder))
  }
}

interface ClusterState {
  readonly run: string
  readonly pid: number
  readonly from: number
  to: number
}

/** Every started trainer, with the time span in which it was seen alive. */
const watchTrainers = (diary: string) => {
  const seen = new Map<number, ClusterState>()
  const look = () => {
    const now = Date.now()
    for (const line of readOr(diary).split("\n")) {
      const pid = Number(line.split(" ")[2] ?? 0)
      const stat = pid > 0 ? readOr(`/proc/${pid}/stat`) : ""
      if (stat === "" || stat.includes(") Z ")) continue
      const before = seen.get(pid)
      const run = /run_[0-9a-z]+/.exec(fs.readlinkSync(`/proc/${pid}/cwd`))?.[0] ?? ""
      if (before === undefined) seen.set(pid, { run, pid, from: now, to: now })
      else before.to = now
    }
  }
  const timer = setInterval(look, 200)
  return { seen, stop: () => clearInterval(timer) }
}

interface EndedRun extends Run {
  readonly finished_at: string
  readonly totals: { readonly cost_usd: number; readonly gpu_seconds: number }
  readonly budget: { readonly max_cost_usd: number }
  readonly error: { readonly code: string } | null
}

const main = async (): Promise<void> => {
  const undos: Array<() => Promise<void> | void> = []
  const diary = path.join(folder, "diary")
  const cluster = new Cluster()
  undos.push(() => cluster.kill())
  await cluster.start()
  const catalog = path.join(folder, "catalog.json")
  const profiles = [
    { id: "local", price_per_gpu_second: 0.001 },
    { id: "l4", cluster: { gpus: 0 } }
  ]
  fs.writeFileSync(catalog, JSON.stringify({ compute_profiles: profiles }))
  const environment = {
    ...quiet,
    ...{ STORAGE: "embedded", DATA_DIR: path.join(folder, "data"), CATALOG_FILE: catalog },
    ...{ EXECUTOR: "ray", RAY_ADDRESS: address, RAY_SHARED_DIR: path.join(folder, "shared") },
    TRAINER_COMMAND: `"${process.execPath}" "${trainer}"`,
    ...{ TRAINER_ENV: "TRAINER_DIARY,TRAINER_STEP_MS", TRAINER_DIARY: diary, TRAINER_STEP_MS: "500" }
  }
  const server = new Server((undo) => undos.push(undo), environment)
  await server.start()
  const api = new Api(server, liveToken)
  const trainers = watchTrainers(diary)
  undos.push(trainers.stop)
  const stages = [
    { kind: "sft", config: { epochs: 20 } },
    { kind: "eval", config: { rewards: [] } },
    { kind: "publish", config: {} }
  ]
  const recipe = { student_model: "Qwen/Qwen3-0.6B", stages, rewards: [] }
  const plan = { ...((await api.plan()) as object), recipe, dry_run: false }
  // The last four run into their budget: twenty epochs of half a second cost a cent.
  const costs = Array.from({ length: runsCount }, (_, index) => (index < runsCount - 4 ? 1 : 0.006))
  const begun = await Promise.all(
    costs.map((max_cost_usd) => api.create<Run>("/v1/distill/runs", { ...plan, budget: { max_cost_usd } }))
  )
  const kills = { server: 0, job: 0, head: 0 }
  const order: ReadonlyArray<keyof typeof kills> = ["job", "server", "job", "head"]
  let over: ReadonlyArray<EndedRun> = []
  for (let turn = 0; over.length < runsCount; turn++) {
    await sleep(faultEveryMillis)
    const all = await Promise.all(begun.map(({ id }) => api.get<EndedRun>(`/v1/distill/runs/${id}`)))
    over = all.filter(isOver)
    say(`${over.length} of ${runsCount} runs are over`)
    if (over.length === runsCount) break
    const fault = order[turn % order.length] ?? "job"
    const alive = [...trainers.seen.values()].filter(({ to }) => Date.now() - to < 1_000)
    const victim = alive[turn % Math.max(1, alive.length)]
    if (fault === "job" && victim === undefined) continue
    say(`kills ${fault}`)
    kills[fault]++
    if (fault === "server") {
      await server.kill()
      await server.start()
    } else if (fault === "head") {
      cluster.kill()
      await sleep(5_000)
      await cluster.start()
    } else if (victim !== undefined) killGroupOf(victim.pid)
  }
  const stays = over.map(({ finished_at, id }) => {
    const ends = [...trainers.seen.values()].filter(({ run }) => run === id).map(({ to }) => to)
    return Math.max(0, ...ends.map((to) => to - Date.parse(finished_at)))
  })
  const expected = ({ budget, error, status }: EndedRun) =>
    status === "succeeded" || (budget.max_cost_usd < 1 && error?.code === "budget_exceeded")
  const overspent = over.filter(({ budget, totals }) => totals.cost_usd > budget.max_cost_usd)
  const lived = over.filter(({ budget, id }) => {
    const mine = [...trainers.seen.values()].filter(({ run }) => run === id)
    return mine.reduce((sum, { from, to }) => sum + (to - from) / 1e6, 0) > budget.max_cost_usd
  })
  const lost = over.filter((run) => !expected(run))
  say(`killed: ${JSON.stringify(kills)}; trainers started: ${trainers.seen.size}`)
  say(`lost runs: ${lost.length} ${lost.map(({ error, id }) => `${id} ${error?.code}`).join(", ")}`)
  say(`runs that ended at their budget: ${over.filter(({ error }) => error?.code === "budget_exceeded").length}`)
  say(`spent more than their budget, as told: ${overspent.length}; as seen on the machine: ${lived.length}`)
  say(`a job lived at most ${Math.max(...stays)} ms after its run had ended`)
  for (const undo of undos.reverse()) await undo()
  // The database that the killed server leaves behind may still write.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  process.exitCode = lost.length + overspent.length + lived.length > 0 || Math.max(...stays) > stayMillisMax ? 1 : 0
}

await main()
