/** Trainers that are processes of this machine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { StageFailure } from "@limbeck/distill/run/Executor"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { io } from "./Files.ts"
import * as Job from "./Job.ts"
import * as Leader from "./Leader.ts"
import { ProcessLimits } from "./Limits.ts"
import { privateFile } from "./PrivateModes.ts"
import type { Launcher, Trainer } from "./Trainer.ts"

export interface Command {
  /** For the shell. */
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
}

const launch = async (job: Job.Job, { command, environment }: Command): Promise<number | undefined> => {
  const stdout = await fs.open(Job.file(job, "stdout"), "a", privateFile)
  const stderr = await fs.open(Job.file(job, "stderr"), "a", privateFile)
  try {
    const child = spawn("/bin/sh", ["-c", Leader.script, job.folder, command], {
      cwd: Job.file(job, "work"),
      // A separate process group, which outlives the server and receives signals as a whole.
      detached: true,
      // Files instead of pipes: a crash of the server loses neither the trainer nor a line of its output.
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
const leaderOf = Effect.fnUntraced(function* (job: Job.Job, pid: number | undefined) {
  const until = (yield* Clock.currentTimeMillis) + ProcessLimits.startMillis
  while ((yield* Clock.currentTimeMillis) < until) {
    const leader = yield* io(() => Leader.read(job.folder))
    if (leader !== null) return leader
    yield* Effect.sleep(10)
  }
  if (pid !== undefined) Leader.signal({ pid, identity: null }, "SIGKILL")
  return yield* notStarted
})

/** Waits for the condition at most `millis`, and returns whether it holds. */
const waitFor = Effect.fnUntraced(function* (condition: () => boolean, millis: number) {
  const until = (yield* Clock.currentTimeMillis) + millis
  while (!condition() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(20)
  return condition()
})

const leave = Effect.fnUntraced(function* (leader: Leader.Leader) {
  const isGone = yield* waitFor(() => !Leader.isAlive(leader), ProcessLimits.leaveMillis)
  // Kills the remaining processes of the trainer's group.
  if (isGone) Leader.signal(leader, "SIGKILL")
  return isGone
})

/** The trainer may outlive the shells above it, so the signals go to the whole group. */
const stop = Effect.fnUntraced(function* (leader: Leader.Leader, graceMillis: number) {
  if (!Leader.isAlive(leader)) return
  Leader.signal(leader, "SIGTERM")
  yield* waitFor(() => !Leader.isGroupAlive(leader), graceMillis)
  Leader.signal(leader, "SIGKILL")
  yield* waitFor(() => !Leader.isAlive(leader), ProcessLimits.stopGraceMillis)
})

const trainerOf = (job: Job.Job, leader: Leader.Leader): Trainer => ({
  isAlive: () => Leader.isAlive(leader),
  attend: Effect.void,
  begun: Effect.succeed(job.startedAt),
  stop: (graceMillis) => stop(leader, graceMillis),
  leave: leave(leader),
  sweep: Effect.sync(() => Leader.signal(leader, "SIGKILL"))
})

/** A leader that has noted how its trainer ended may live for a moment more. */
export const find = Effect.fnUntraced(function* (job: Job.Job) {
  const leader = yield* io(() => Leader.read(job.folder))
  const hasEnded = (yield* io(() => Leader.exitCode(job.folder))) !== null
  return leader !== null && !hasEnded && Leader.isAlive(leader) ? trainerOf(job, leader) : null
})

export const make = (name: string, command: Command): Launcher => ({
  name,
  waiting: null,
  start: Effect.fnUntraced(function* (job: Job.Job, input: Schema.Json) {
    yield* io(() => Job.prepare(job, input))
    yield* Job.drive(job, job.attempt)
    return trainerOf(job, yield* leaderOf(job, yield* io(() => launch(job, command))))
  }),
  find,
  lifeOf: (job) =>
    Effect.map(
      io(() => Leader.lastSeenAt(job.folder)),
      (to) => ({ from: job.startedAt, to })
    )
})
