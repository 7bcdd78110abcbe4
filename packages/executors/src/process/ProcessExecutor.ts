/**
 * The executor that starts a trainer of the operator's, once per stage, and speaks with it in JSON (contract 5,
 * docs/runs.md). The trainer outlives this server: the next driver of the stage finds it again, and reads on where the run
 * knows its output to end.
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
import * as Artifacts from "./internal/Artifacts.ts"
import { io } from "./internal/Files.ts"
import * as Follower from "./internal/Follower.ts"
import * as Job from "./internal/Job.ts"
import * as Leader from "./internal/Leader.ts"
import { ProcessLimits } from "./internal/Limits.ts"
import * as Metering from "./internal/Metering.ts"
import * as Place from "./internal/Place.ts"
import * as Protocol from "./internal/Protocol.ts"
import * as Rows from "./internal/Rows.ts"
import * as TrainerReader from "./internal/TrainerReader.ts"

/** The name that runs show as their `executor`. */
export const processName = "process"

/** The trainer's command and environment, and where its files are. */
export interface ProcessOptions extends Job.Command {
  /** Where runs have their files; nobody else's. */
  readonly folder: string
}

/** What a checkpoint of ours says: how far which job was read, and the state from which its trainer would resume. */
const CheckpointState = Schema.Struct({ job: Schema.Int, stdout: Schema.Int, stderr: Schema.Int, trainer: Schema.Json })
type CheckpointState = typeof CheckpointState.Type
const decodeCheckpointState = Schema.decodeUnknownOption(CheckpointState)
const decodeStudent = Schema.decodeUnknownEffect(Schema.Struct({ student_model: Schema.String }))

const log = (message: string) => Progress.Log({ level: "info", message })

/** What all jobs of one attempt share. */
interface Attempt {
  readonly options: ProcessOptions
  readonly context: StageContext
  readonly place: Place.Place
  readonly holdout: Rows.Holdout | null
  readonly known: CheckpointState | null
}

const nothingRead: Follower.Offsets = { stdout: 0, stderr: 0 }

const offsetsOf = ({ known }: Attempt, job: Job.Job): Follower.Offsets =>
  known?.job === job.attempt ? { stdout: known.stdout, stderr: known.stderr } : nothingRead

/** An evaluation begins from the start: only its own attempt has its answers. */
const stateOf = ({ context, known }: Attempt) => (context.stage.kind === "eval" ? null : (known?.trainer ?? null))

/** Somebody who has taken a job over meanwhile keeps it. */
const release = (attempt: Attempt, job: Job.Job, leader: Leader.Leader) =>
  io(() => Job.driverOf(job)).pipe(
    Effect.flatMap((driver) =>
      driver > attempt.context.stage.attempt ? Effect.void : Job.stop(leader, ProcessLimits.stopGraceMillis)
    ),
    // The reaper tries again.
    Effect.ignore
  )

/** Follows a trainer that lives, and pays for it. */
const attend = Effect.fnUntraced(function* (
  attempt: Attempt,
  job: Job.Job,
  leader: Leader.Leader,
  reader: TrainerReader.TrainerReader,
  metering: Metering.Metering
) {
  const { context, place } = attempt
  let stopping: Follower.Stopping | null = null
  const pays = Effect.gen(function* () {
    const { failure, graceMillis } = yield* metering.untilRefused
    stopping = { failure, isDone: false }
    yield* Job.stop(leader, graceMillis)
    stopping = { failure, isDone: true }
  })
  yield* Effect.forkScoped(pays)
  const known = offsetsOf(attempt, job)
  return Follower.follow({ context, place, job, leader, known, reader, metering, stopping: () => stopping })
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
  const metering = Metering.make(context, job, reader.judgeTokens)
  yield* metering.pay
  const workdir = path.join(folder, "work")
  const input = Protocol.input({ context, place, workdir, studentModel: student_model, artifact, state })
  const leader = yield* Effect.acquireRelease(Job.start(job, input, options), (leader) => release(attempt, job, leader))
  return yield* attend(attempt, job, leader, reader, metering)
})

/** Another process started this trainer, and is gone. */
const takeOver = Effect.fnUntraced(function* (attempt: Attempt, job: Job.Job, leader: Leader.Leader) {
  const { context, holdout } = attempt
  yield* Effect.acquireRelease(Job.drive(job, context.stage.attempt), () => release(attempt, job, leader))
  const reader = TrainerReader.make(context, { holdout, state: stateOf(attempt) })
  const metering = Metering.make(context, job, reader.judgeTokens)
  const progress = yield* attend(attempt, job, leader, reader, metering)
  return Stream.concat(Stream.succeed(log(`Resumes with the trainer of attempt ${job.attempt}`)), progress)
})

/** A trainer that ended while no server followed it: its last lines count, and without a result another one begins. */
const inherit = Effect.fnUntraced(function* (attempt: Attempt, job: Job.Job) {
  const { context, holdout, place } = attempt
  const seenAt = yield* io(() => Leader.lastSeenAt(job.folder))
  const reader = TrainerReader.make(context, { holdout, state: stateOf(attempt) })
  const usage = Effect.sync(() => {
    const end = Metering.endOfBudget(context, job, reader.judgeTokens())
    return Metering.usageAt(job, Math.min(seenAt, end), reader.judgeTokens())
  })
  const progress = Follower.follow({
    context,
    place,
    job,
    leader: null,
    known: offsetsOf(attempt, job),
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

/** The job of this stage on this machine that this start may resume. All others are stopped. */
const findJob = Effect.fnUntraced(function* ({ context: { stage }, known, place }: Attempt) {
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
    const leader = job === last && isOurs ? null : yield* io(() => Leader.read(job.folder))
    if (leader !== null) yield* Job.stop(leader, ProcessLimits.stopGraceMillis)
  }
  return isOurs ? last : null
})

const prepare = Effect.fnUntraced(function* (
  options: ProcessOptions,
  context: StageContext
): Effect.fn.Return<Attempt, StageFailure, Scope.Scope> {
  const place = Place.of(options.folder, context)
  yield* io(() => Place.prepare(place, context))
  const isEval = context.stage.kind === "eval"
  const holdout = isEval ? yield* Rows.writeHoldout(context, place) : null
  if (!isEval) yield* Rows.writeTrain(context, place)
  const known = Option.getOrNull(decodeCheckpointState(context.stage.checkpoint?.state))
  return { options, context, place, holdout, known }
})

const work = Effect.fnUntraced(function* (options: ProcessOptions, context: StageContext) {
  const attempt = yield* prepare(options, context)
  const job = yield* findJob(attempt)
  if (job === null) return yield* begin(attempt, context.meter.start, stateOf(attempt))
  const leader = yield* io(() => Leader.read(job.folder))
  // A leader that has noted how its trainer ended may live for a moment more.
  const hasEnded = (yield* io(() => Leader.exitCode(job.folder))) !== null
  return leader !== null && !hasEnded && Leader.isAlive(leader)
    ? yield* takeOver(attempt, job, leader)
    : yield* inherit(attempt, job)
})

/** Needs no trainer: whether there is anything to learn from, and the files for it. */
const materialize = Effect.fnUntraced(function* (options: ProcessOptions, context: StageContext) {
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
export const make = (options: ProcessOptions): Executor => ({
  name: processName,
  execute: (context) =>
    Stream.unwrap((context.stage.kind === "materialize" ? materialize : work)(options, context)).pipe(
      Stream.takeUntil(({ _tag }) => _tag === "Finished")
    )
})
