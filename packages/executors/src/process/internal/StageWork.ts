/**
 * The work of one stage attempt with a trainer: starts a trainer, or resumes or replaces an earlier one. The files of
 * the stage are in a folder that outlives this server, and the next driver reads the output from the run's recorded
 * offsets.
 */
import path from "node:path"
import { type Executor, Progress, type StageContext, type StageFailure } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Artifacts from "./Artifacts.ts"
import { io } from "./Files.ts"
import * as Follower from "./Follower.ts"
import * as Job from "./Job.ts"
import { ProcessLimits } from "./Limits.ts"
import * as Metering from "./Metering.ts"
import * as Place from "./Place.ts"
import * as Protocol from "./Protocol.ts"
import * as Rows from "./Rows.ts"
import * as Scoring from "./Scoring.ts"
import type { Launcher, Trainer } from "./Trainer.ts"
import * as TrainerReader from "./TrainerReader.ts"

/** The launcher of trainers, and the folder of their files. */
export interface WorkOptions {
  readonly launcher: Launcher
  /** The folder for the files of runs, for exclusive use. */
  readonly folder: string
  /**
   * The address of this server for trainers, without a trailing slash, read at each start. Without it trainers get no
   * scores.
   */
  readonly server?: (() => string) | undefined
}

/** The state of a checkpoint: the job, its read offsets, and the trainer's resume state. */
const CheckpointState = Schema.Struct({ job: Schema.Int, stdout: Schema.Int, stderr: Schema.Int, trainer: Schema.Json })
type CheckpointState = typeof CheckpointState.Type
const decodeCheckpointState = Schema.decodeUnknownOption(CheckpointState)
const decodeStudent = Schema.decodeUnknownEffect(Schema.Struct({ student_model: Schema.String }))

const log = (message: string) => Progress.Log({ level: "info", message })

/** The shared values of all jobs of one attempt. */
interface Attempt {
  readonly options: WorkOptions
  readonly context: StageContext
  readonly place: Place.Place
  readonly holdout: Rows.Holdout | null
  readonly known: CheckpointState | null
  /** Null for stages that optimize no rewards. */
  readonly scoring: Scoring.ScoringSession | null
}

const nothingRead: Follower.Offsets = { stdout: 0, stderr: 0 }

const offsetsOf = (known: CheckpointState | null, job: Job.Job): Follower.Offsets =>
  known?.job === job.attempt ? { stdout: known.stdout, stderr: known.stderr } : nothingRead

/** An evaluation begins from the start: only its own attempt has its answers. */
const stateOf = ({ context, known }: Attempt) => (context.stage.kind === "eval" ? null : (known?.trainer ?? null))

/** Judge tokens since the start of a job: those the trainer reports, plus those of its scores. */
const judgeTokens =
  ({ scoring }: Attempt, { usage }: Metering.TimedStart, reader: TrainerReader.TrainerReader) =>
  () =>
    reader.judgeTokens() + Math.max(0, (scoring?.spentTokens() ?? 0) - usage.judgeTokens)

const meteringOf = (attempt: Attempt, timed: Metering.TimedStart, reader: TrainerReader.TrainerReader) =>
  Metering.make(attempt.context, timed, judgeTokens(attempt, timed, reader))

/** Does nothing if another driver has taken the job over. */
const release = (attempt: Attempt, job: Job.Job, trainer: Trainer) =>
  io(() => Job.driverOf(job)).pipe(
    Effect.flatMap((driver) =>
      driver > attempt.context.stage.attempt ? Effect.void : trainer.stop(ProcessLimits.stopGraceMillis)
    ),
    // The reaper tries again.
    Effect.ignore
  )

/** Follows a running trainer and pays for it. */
const attend = Effect.fnUntraced(function* (
  attempt: Attempt,
  started: Job.Job,
  trainer: Trainer,
  reader: TrainerReader.TrainerReader
) {
  const { context, known, place, scoring } = attempt
  const job = { ...started, startedAt: yield* trainer.begun }
  const { end, ...rest } = meteringOf(attempt, job, reader)
  // The meter includes the judges' latest usage.
  const metering = { ...rest, end: scoring === null ? end : Effect.andThen(Effect.ignore(scoring.look), end) }
  let stopping: Follower.PendingStop | null = null
  const pays = Effect.gen(function* () {
    const unpaid = metering.payUntilRefused
    const failure = yield* scoring === null ? unpaid : Effect.raceFirst(unpaid, scoring.reserveUntilRefused(metering))
    const graceMillis = yield* metering.graceMillis
    stopping = { failure, isDone: false }
    yield* trainer.stop(graceMillis)
    stopping = { failure, isDone: true }
  })
  yield* Effect.forkScoped(pays)
  const from = offsetsOf(known, job)
  return Follower.follow({ context, place, job, trainer, known: from, reader, metering, stopping: () => stopping })
})

/** Emits the waiting message before the trainer's own output. */
const follow = Effect.fnUntraced(function* (
  attempt: Attempt,
  job: Job.Job,
  trainer: Trainer,
  reader: TrainerReader.TrainerReader
) {
  yield* Effect.forkScoped(trainer.attend)
  const { waiting } = attempt.options.launcher
  const followed = attend(attempt, job, trainer, reader)
  return waiting === null ? yield* followed : Stream.concat(Stream.succeed(log(waiting)), Stream.unwrap(followed))
})

const begin = Effect.fnUntraced(function* (attempt: Attempt, usage: Usage, state: Schema.Json | null) {
  const { context, holdout, options, place } = attempt
  const { stage } = context
  const { student_model } = yield* Effect.orDie(decodeStudent(context.run.recipe))
  const left = Follower.artifactBefore(context)
  const artifact = left === null ? null : yield* Artifacts.fetch(context, left, place.artifacts)
  const folder = path.join(place.stage, String(stage.attempt))
  const job: Job.Job = { attempt: stage.attempt, startedAt: yield* Clock.currentTimeMillis, usage, folder }
  const reader = TrainerReader.make(context, { holdout, state })
  // A budget that does not hold a moment starts nothing.
  yield* meteringOf(attempt, job, reader).pay
  const workdir = path.join(folder, "work")
  const { scoring } = attempt
  const input = Protocol.input({ context, place, workdir, studentModel: student_model, artifact, state, scoring })
  const trainer = yield* Effect.acquireRelease(options.launcher.start(job, input, context), (trainer) =>
    release(attempt, job, trainer)
  )
  return yield* follow(attempt, job, trainer, reader)
})

/** Another process started this trainer, and is gone. */
const takeOver = Effect.fnUntraced(function* (attempt: Attempt, job: Job.Job, trainer: Trainer) {
  const { context, holdout } = attempt
  yield* Effect.acquireRelease(Job.drive(job, context.stage.attempt), () => release(attempt, job, trainer))
  const reader = TrainerReader.make(context, { holdout, state: stateOf(attempt) })
  const progress = yield* follow(attempt, job, trainer, reader)
  return Stream.concat(Stream.succeed(log(`Resumes with the trainer of attempt ${job.attempt}`)), progress)
})

/**
 * Handles a trainer that ended while no server followed it: reads its last lines, and starts another one if there is no
 * result.
 */
const inherit = Effect.fnUntraced(function* (attempt: Attempt, job: Job.Job) {
  const { context, holdout, options, place } = attempt
  const life = yield* options.launcher.lifeOf(job)
  const reader = TrainerReader.make(context, { holdout, state: stateOf(attempt) })
  const usage = Effect.sync(() => {
    if (life === null) return job.usage
    const timed = { startedAt: life.from, usage: job.usage }
    const tokens = judgeTokens(attempt, timed, reader)()
    const end = Metering.endOfBudget(context, timed, tokens)
    return Metering.usageAt(timed, Math.min(life.to, end), tokens)
  })
  const progress = Follower.follow({
    context,
    place,
    job,
    trainer: null,
    known: offsetsOf(attempt.known, job),
    reader,
    metering: { usage, end: Effect.void },
    stopping: () => null
  })
  const restarted = Effect.gen(function* () {
    const state = context.stage.kind === "eval" ? null : reader.state()
    return yield* begin(attempt, yield* usage, state)
  })
  return Stream.concat(progress, Stream.unwrap(restarted))
})

/** Finds the job in this folder that this attempt may resume, and stops all others. */
const findJob = Effect.fnUntraced(function* ({ context: { stage }, known, options, place }: Attempt) {
  const jobs = yield* io(() => Job.list(place.stage))
  const last = jobs.at(-1)
  const isOurs =
    last !== undefined &&
    last.attempt < stage.attempt &&
    last.attempt > stage.attempt - stage.attemptsOfStart &&
    // Else the stage was meanwhile worked on elsewhere.
    (known === null || known.job <= last.attempt) &&
    !(yield* io(() => Job.isClosed(last)))
  for (const job of jobs) {
    const trainer = job === last && isOurs ? null : yield* options.launcher.find(job)
    if (trainer !== null) yield* trainer.stop(ProcessLimits.stopGraceMillis)
  }
  return isOurs ? last : null
})

const prepare = Effect.fnUntraced(function* (
  options: WorkOptions,
  context: StageContext
): Effect.fn.Return<Attempt, StageFailure, Scope.Scope> {
  const place = Place.of(options.folder, context)
  yield* io(() => Place.prepare(place, context))
  const isEval = context.stage.kind === "eval"
  const holdout = isEval ? yield* Rows.writeHoldout(context, place) : null
  if (!isEval) yield* Rows.writeTrain(context, place)
  const known = Option.getOrNull(decodeCheckpointState(context.stage.checkpoint?.state))
  const { server } = options
  const scores = context.stage.kind === "grpo" && server !== undefined
  const scoring = scores ? yield* Scoring.open(context, place, server()) : null
  return { options, context, place, holdout, known, scoring }
})

const work = Effect.fnUntraced(function* (options: WorkOptions, context: StageContext) {
  const attempt = yield* prepare(options, context)
  const job = yield* findJob(attempt)
  if (job === null) return yield* begin(attempt, context.meter.start, stateOf(attempt))
  const trainer = yield* options.launcher.find(job)
  return trainer === null ? yield* inherit(attempt, job) : yield* takeOver(attempt, job, trainer)
})

/** Needs no trainer: checks that the version has train rows, and writes the files. */
const materialize = Effect.fnUntraced(function* (options: WorkOptions, context: StageContext) {
  const { rows, trainRows } = context.version
  if (trainRows === 0) return yield* Follower.fail("no_training_rows", "The version has no train rows", false)
  yield* prepare(options, context)
  return Stream.make(
    log(`${trainRows} train rows are written for the trainer`),
    Progress.Metric({ name: "rows", unit: "rows", step: 1, value: rows }),
    Progress.Finished({ outcome: "succeeded", result: { rows } })
  )
})

/** The executor. A server takes over the trainers that a dead one left in the folder. */
export const make = (options: WorkOptions): Executor => ({
  name: options.launcher.name,
  ...(options.server === undefined ? { lacks: { grpo: "its executor is told no address of this server" } } : {}),
  execute: (context) =>
    Stream.unwrap((context.stage.kind === "materialize" ? materialize : work)(options, context)).pipe(
      Stream.takeUntil(({ _tag }) => _tag === "Finished")
    )
})
