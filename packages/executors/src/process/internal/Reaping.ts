/**
 * Stops trainers without a driver, whose server died while the run ended or moved to another server, and removes the files
 * of runs that need them no more.
 */
import * as fs from "node:fs/promises"
import path from "node:path"
import type { Run } from "@limbeck/distill/run/Run"
import { isTerminal } from "@limbeck/distill/run/RunMachine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { io, readText } from "./Files.ts"
import * as Job from "./Job.ts"
import { ProcessLimits } from "./Limits.ts"
import * as Place from "./Place.ts"
import type { Launcher, Trainer } from "./Trainer.ts"

/** Where trainers have their files, and how their runs are found. */
export interface ReapingOptions<E, R> {
  /** The folder of the executor. */
  readonly folder: string
  readonly findTrainer: Launcher["find"]
  /** The run of a partition by its key; null if it does not exist. */
  readonly find: (partition: string, run: string) => Effect.Effect<Run | null, E, R>
}

/** The worker. */
export interface Reaper<R> {
  /** Checks every run with files in the folder. Stops a trainer that two checks found without a driver. */
  readonly runOnce: Effect.Effect<void, never, R>
  /** Never ends. */
  readonly forever: Effect.Effect<never, never, R>
}

const About = Schema.fromJsonString(Schema.Struct({ partition: Schema.String }))
const decodeAbout = Schema.decodeUnknownOption(About)

const listFolder = (folder: string) => io(() => fs.readdir(folder).catch((): Array<string> => []))

/** Whether somebody works on the stage, in the very attempt that drives the job. */
const isDriven = (run: Run | null, seq: number, driver: number): boolean => {
  const stage = run?.stages[seq - 1]
  return run !== null && !isTerminal(run.status) && stage?.status === "running" && stage.attempt === driver
}

interface Orphan {
  readonly folder: string
  readonly trainer: Trainer
}

/** The live trainers of a run that have no driver. */
const orphansOf = Effect.fnUntraced(function* (findTrainer: Launcher["find"], runFolder: string, run: Run | null) {
  const orphans: Array<Orphan> = []
  for (const stage of yield* listFolder(runFolder)) {
    const seq = Number(/^(\d)-[a-z]+$/.exec(stage)?.[1] ?? 0)
    const jobs = seq === 0 ? [] : yield* io(() => Job.list(path.join(runFolder, stage)))
    for (const job of jobs) {
      if (isDriven(run, seq, yield* io(() => Job.driverOf(job)))) continue
      const trainer = yield* findTrainer(job)
      if (trainer !== null) orphans.push({ folder: job.folder, trainer })
    }
  }
  return orphans
})

/** A succeeded run and a removed run need no files; other runs keep them for a retry, for a limited time. */
const isOver = (run: Run | null, now: number): boolean =>
  run === null ||
  run.status === "succeeded" ||
  (isTerminal(run.status) && now - (run.finishedAt ?? run.updatedAt) > ProcessLimits.keptMillis)

/** Nothing runs before `runOnce` or `forever` does. */
export const make = <E, R>(options: ReapingOptions<E, R>): Reaper<R> => {
  let suspects: ReadonlySet<string> = new Set()

  const reapRun = Effect.fnUntraced(function* (name: string) {
    const runFolder = path.resolve(options.folder, name)
    const about = decodeAbout(yield* io(() => readText(path.join(runFolder, Place.aboutFile))))
    // Not ours, or just being made.
    if (Option.isNone(about)) return []
    const run = yield* options.find(about.value.partition, name)
    const orphans = yield* orphansOf(options.findTrainer, runFolder, run)
    const confirmed = orphans.filter(({ folder }) => suspects.has(folder))
    for (const { folder, trainer } of confirmed) {
      yield* Effect.annotateLogs(Effect.logInfo("orphaned_trainer_stopped"), { folder })
      yield* trainer.stop(ProcessLimits.stopGraceMillis)
    }
    if (orphans.length === 0 && isOver(run, yield* Clock.currentTimeMillis)) {
      yield* io(() => fs.rm(runFolder, { recursive: true, force: true }))
    }
    return orphans.map(({ folder }) => folder)
  })

  const runOnce = Effect.gen(function* () {
    const names = yield* Effect.orElseSucceed(listFolder(options.folder), () => [])
    // Sequential, because nothing waits for the result.
    const found = yield* Effect.forEach(names, (name) =>
      Effect.catch(reapRun(name), (error) =>
        Effect.as(Effect.annotateLogs(Effect.logWarning("trainer_files_unreadable", error), { run: name }), [])
      )
    )
    suspects = new Set(found.flat())
  })

  return { runOnce, forever: Effect.forever(Effect.andThen(runOnce, Effect.sleep(ProcessLimits.reapMillis))) }
}
