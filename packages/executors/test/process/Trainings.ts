/** A run on the reference trainer, in a folder of its own: attempts of its stages, one after the other or side by side. */
import * as fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import * as StudentBase from "@limbeck/distill/recipe/StudentBase"
import type { Executor, Progress, StageFailure } from "@limbeck/distill/run/Executor"
import type { Run, RunStage } from "@limbeck/distill/run/Run"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
import * as RayExecutor from "@limbeck/executors/ray/RayExecutor"
import * as RayResources from "@limbeck/executors/ray/RayResources"
import * as Crypto from "@limbeck/node/Crypto"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const words = { billing: "invoice refund", access: "password login", bugs: "crash error" } as const
const labels = ["billing", "access", "bugs"] as const

const rowOf = (index: number): Row => {
  const label = labels[index % labels.length] ?? "bugs"
  return { messages: [{ role: "user", content: `${words[label]} number ${index}` }], completion: label }
}

const keyed = (from: number, rows: number) =>
  Array.from({ length: rows }, (_, index) => ({ key: `row-${from + index}`, row: rowOf(from + index) }))

export const rows = { train: keyed(0, 30), holdout: keyed(30, 9) }

const version = Plans.version({ seed: 7, rows: 39, trainRows: 30, holdoutRows: 9, tokens: 400 })

const recipeOf = (epochs: number) => ({
  student_model: Plans.llm,
  stages: [
    { kind: "sft", config: { epochs } },
    { kind: "grpo", config: {} },
    { kind: "eval", config: {} },
    { kind: "publish", config: {} }
  ],
  rewards: []
})

const student = StudentBase.standard.find(({ engine }) => engine === "llm") ?? StudentBase.builtin

export interface TrainingRequest {
  readonly epochs?: number
  readonly budgetMicros?: number
  readonly microsPerGpuSecond?: number
  /** Offered in every row. */
  readonly tools?: Schema.Json
  readonly dryRun?: boolean
  /** By jobs of this Ray cluster, in place of processes. */
  readonly ray?: Pick<RayExecutor.RayOptions, "address" | "silenceMillis">
}

export const runOf = (
  { budgetMicros = 5_000_000, dryRun = false, epochs = 3, microsPerGpuSecond = 20 }: TrainingRequest,
  id: Run["id"] = "run_00000000000000000000000001"
): Run =>
  Plans.newRun(
    version,
    { recipeAsSent: recipeOf(epochs), dryRun },
    {
      id,
      profile: { ...ComputeProfile.local, microsPerGpuSecond },
      student,
      budgetMicros,
      executor: ProcessExecutor.processName
    }
  )

const trainer = fileURLToPath(new URL("./reference-trainer.mjs", import.meta.url))
export const command = `"${process.execPath}" "${trainer}"`

export interface Behavior {
  readonly command?: string
  readonly behavior?: string
  readonly stepMillis?: number
  readonly leaks?: string
  /** An executor around the trainer's. */
  readonly through?: (trainer: Executor) => Executor
}

/** A test that fails leaves no trainer behind. */
const endTrainers = (folder: string): void => {
  for (const { pid } of startsIn(folder)) if (isAlive(pid)) process.kill(pid, "SIGKILL")
}

/** Kind, attempt and process id of every start of the trainer. */
const startsIn = (folder: string) => {
  const file = path.join(folder, "diary")
  return (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [kind = "", attempt, pid] = line.split(" ")
      return { kind, attempt: Number(attempt), pid: Number(pid) }
    })
}

/** Runs, files and bytes that are gone after the test. */
export const world = (asked: TrainingRequest = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "trainings-"))),
      (folder) =>
        Effect.sync(() => {
          endTrainers(folder)
          fs.rmSync(folder, { recursive: true, force: true })
        })
    ),
    (folder) => worldIn(folder, asked)
  )

export const worldIn = (folder: string, asked: TrainingRequest = {}) => {
  const kept = StageContexts.memory()
  const diary = path.join(folder, "diary")
  const { tools } = asked
  const offering = (all: typeof rows.train) =>
    tools === undefined ? all : all.map(({ key, row }) => ({ key, row: { ...row, tools } }))
  const given = { train: offering(rows.train), holdout: offering(rows.holdout) }
  // The same id in every process of a world, where one process takes up another's run.
  const run = runOf(asked, `run_${path.basename(folder)}`)

  const executor = (behavior: Behavior = {}) => {
    const options = {
      folder: path.join(folder, "runs"),
      command: behavior.command ?? command,
      environment: {
        PATH: process.env["PATH"] ?? "",
        TRAINER_DIARY: diary,
        TRAINER_BEHAVIOR: behavior.behavior ?? "",
        TRAINER_STEP_MS: String(behavior.stepMillis ?? 0),
        TRAINER_LEAKS: behavior.leaks ?? ""
      }
    }
    return asked.ray === undefined
      ? ProcessExecutor.make(options)
      : RayExecutor.make({ ...options, ...asked.ray, resourcesOf: () => RayResources.none })
  }

  /** One attempt of a stage: all its progress, and its reservations. */
  const attempt = Effect.fnUntraced(function* (
    kind: RunStage["kind"],
    options: Behavior & {
      readonly attempt?: number
      readonly ofStart?: number
      readonly checkpoint?: RunStage["checkpoint"]
      readonly results?: Partial<Record<RunStage["kind"], Schema.Json>>
      readonly onProgress?: (said: Progress) => void
    } = {}
  ) {
    const { attempt = 1, checkpoint = null, onProgress = () => {}, results = {} } = options
    const stages = run.stages.map((row) => ({ ...row, result: results[row.kind] ?? null }))
    const found = stages.find((row) => row.kind === kind)
    if (found === undefined) return yield* Effect.die(kind)
    const stage = { ...found, attempt, attemptsOfStart: options.ofStart ?? attempt, checkpoint }
    const { asked, context } = yield* StageContexts.make({ run: { ...run, stages }, stage, version, rows: given }, kept)
    const said: Array<Progress> = []
    const failure = yield* (options.through ?? ((trainer) => trainer))(executor(options))
      .execute(context)
      .pipe(
        Stream.runForEach((one) =>
          Effect.sync(() => {
            said.push(one)
            onProgress(one)
          })
        ),
        Effect.as<StageFailure | null>(null),
        Effect.catch((failure) => Effect.succeed<StageFailure | null>(failure))
      )
    return { said, failure, asked }
  }, Effect.provide(Crypto.layer))

  const starts = () => startsIn(folder)

  /** Lets a trainer that is held before its last epoch end, once another server has found it. */
  const releaseFound = (said: Progress) => {
    if (said._tag === "Log" && said.message.startsWith("Resumes with the trainer")) {
      fs.writeFileSync(path.join(folder, "released"), "")
    }
  }

  return { folder, run, kept, executor, attempt, starts, releaseFound }
}

export const all = <T extends Progress["_tag"]>(said: ReadonlyArray<Progress>, tag: T) =>
  said.filter((one): one is Extract<Progress, { readonly _tag: T }> => one._tag === tag)

export const resultOf = (said: ReadonlyArray<Progress>): Schema.Json => {
  const last = said.at(-1)
  if (last?._tag !== "Finished") throw new Error(`no result: ${JSON.stringify(said.slice(-3))}`)
  return last.result
}

export const messages = (said: ReadonlyArray<Progress>) => all(said, "Log").map(({ message }) => message)

export const lastCheckpoint = (said: ReadonlyArray<Progress>): RunStage["checkpoint"] => {
  const last = all(said, "Checkpoint").at(-1)
  return last === undefined ? null : { state: last.state, usage: last.usage }
}

/** Whether a trainer printed the text, even without a reader. */
export const hasSaid = (folder: string, text: string): boolean =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === "stdout")
    .some((name) => fs.readFileSync(path.join(folder, name), "utf8").includes(text))

export const isAlive = (pid: number): boolean => {
  try {
    return !fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** Looks every few milliseconds, for so long: whatever is waited for, a busy machine may take its time. */
export const until = (condition: () => boolean, millis = 300_000): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep(10)
  }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.die(new Error(`not within ${millis} ms`)) }))
