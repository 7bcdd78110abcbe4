/**
 * One start of the trainer, as files say it: the intent is written before anything is started, so that after a crash there
 * is either nothing to find or all of it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import path from "node:path"
import { StageFailure } from "@limbeck/distill/run/Executor"
import { Usage } from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { exists, io, readText, writeJson } from "./Files.ts"
import * as Leader from "./Leader.ts"
import { ProcessLimits } from "./Limits.ts"
import { privateFile, privateFolder } from "./PrivateModes.ts"

const Intent = Schema.Struct({
  attempt: Schema.Int,
  startedAt: Schema.Finite,
  /** What the stage had come to when the trainer was started. */
  usage: Usage
})
type Intent = typeof Intent.Type

const decodeIntent = Schema.decodeUnknownOption(Schema.fromJsonString(Intent))

export interface Job extends Intent {
  readonly folder: string
}

const file = ({ folder }: Pick<Job, "folder">, name: string): string => path.join(folder, name)

/** A job that was read to its end, and failed: no attempt resumes it. */
const closedFile = "closed"
/** The attempt that drives the job, for the reaper. */
const driverFile = "driver"

export const close = (job: Job) => io(() => fs.writeFile(file(job, closedFile), "", { mode: privateFile }))
export const isClosed = (job: Job): Promise<boolean> => exists(file(job, closedFile))

export const drive = (job: Job, attempt: number) =>
  io(() => fs.writeFile(file(job, driverFile), String(attempt), { mode: privateFile }))
export const driverOf = async (job: Job): Promise<number> => Number((await readText(file(job, driverFile))) ?? 0)

export const output = (job: Job) => ({ stdout: file(job, "stdout"), stderr: file(job, "stderr") })

/** The jobs of a stage, oldest first. */
export const list = async (stage: string): Promise<ReadonlyArray<Job>> => {
  const names = await fs.readdir(stage).catch((): ReadonlyArray<string> => [])
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const jobs = numbers
    .toSorted((a, b) => a - b)
    .map(async (number): Promise<ReadonlyArray<Job>> => {
      const folder = path.join(stage, String(number))
      const intent = decodeIntent(await readText(path.join(folder, "job.json")))
      return Option.isSome(intent) ? [{ ...intent.value, folder }] : []
    })
  return (await Promise.all(jobs)).flat()
}

const prepare = async (job: Job, input: Schema.Json): Promise<void> => {
  const { attempt, folder, startedAt, usage } = job
  await fs.mkdir(file(job, "work"), { recursive: true, mode: privateFolder })
  await writeJson(file(job, "input.json"), input)
  await writeJson(path.join(folder, "job.json"), { attempt, startedAt, usage })
}

export interface Command {
  /** For the shell. */
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
}

const launch = async (job: Job, { command, environment }: Command): Promise<number | undefined> => {
  const stdout = await fs.open(file(job, "stdout"), "a", privateFile)
  const stderr = await fs.open(file(job, "stderr"), "a", privateFile)
  try {
    const child = spawn("/bin/sh", ["-c", Leader.script, job.folder, command], {
      cwd: file(job, "work"),
      // A group of its own, which outlives us and is signaled as a whole.
      detached: true,
      // Files, and no pipes: a server that dies takes neither the trainer nor a line of it along.
      stdio: ["ignore", stdout.fd, stderr.fd],
      env: environment
    })
    await once(child, "spawn")
    child.unref()
    return child.pid
  } finally {
    await stdout.close()
    await stderr.close()
  }
}

const notStarted = new StageFailure({
  code: "trainer_not_started",
  message: "The trainer could not be started",
  retryable: true
})

/** Waits for the shell's note of itself. */
const leaderOf = Effect.fnUntraced(function* (job: Job, pid: number | undefined) {
  const until = (yield* Clock.currentTimeMillis) + ProcessLimits.startMillis
  while ((yield* Clock.currentTimeMillis) < until) {
    const leader = yield* io(() => Leader.read(job.folder))
    if (leader !== null) return leader
    yield* Effect.sleep(10)
  }
  if (pid !== undefined) Leader.signal({ pid, identity: null }, "SIGKILL")
  return yield* notStarted
})

/** To be called uninterruptibly: what it starts is stopped by nobody else. */
export const start = Effect.fnUntraced(function* (job: Job, input: Schema.Json, command: Command) {
  yield* io(() => prepare(job, input))
  yield* drive(job, job.attempt)
  return yield* leaderOf(job, yield* io(() => launch(job, command)))
})

/** Waits for this long at most; returns whether it came true. */
const waitFor = Effect.fnUntraced(function* (condition: () => boolean, millis: number) {
  const until = (yield* Clock.currentTimeMillis) + millis
  while (!condition() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(20)
  return condition()
})

/** Waits for the trainer to end by itself; returns whether it did. */
export const leave = Effect.fnUntraced(function* (leader: Leader.Leader) {
  const isGone = yield* waitFor(() => !Leader.isAlive(leader), ProcessLimits.leaveMillis)
  // What it started and left behind.
  if (isGone) Leader.signal(leader, "SIGKILL")
  return isGone
})

/** Tells the group to end, and ends it once the grace is over. Nothing for one that is gone. */
export const stop = Effect.fnUntraced(function* (leader: Leader.Leader, graceMillis: number) {
  if (!Leader.isAlive(leader)) return
  Leader.signal(leader, "SIGTERM")
  // The trainer may outlive those between the leader and itself.
  yield* waitFor(() => !Leader.isGroupAlive(leader), graceMillis)
  Leader.signal(leader, "SIGKILL")
  yield* waitFor(() => !Leader.isAlive(leader), ProcessLimits.stopGraceMillis)
})
