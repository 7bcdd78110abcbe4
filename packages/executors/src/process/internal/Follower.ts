/** Follows one job of a trainer to its end: turns its output into progress, with the offset of the last read line. */
import path from "node:path"
import { Progress, type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Artifacts from "./Artifacts.ts"
import { io } from "./Files.ts"
import * as Job from "./Job.ts"
import * as Leader from "./Leader.ts"
import { ProcessLimits } from "./Limits.ts"
import type { Line } from "./Lines.ts"
import type { Metering } from "./Metering.ts"
import type { Place } from "./Place.ts"
import type * as Protocol from "./Protocol.ts"
import * as Tail from "./Tail.ts"
import type { Trainer } from "./Trainer.ts"
import type { TrainerEnd, TrainerReader } from "./TrainerReader.ts"

/** A place in a job's output. */
export interface Offsets {
  readonly stdout: number
  readonly stderr: number
}

export interface PendingStop {
  readonly failure: StageFailure
  /** The trainer and all its processes are gone. */
  readonly isDone: boolean
}

export interface FollowOptions {
  readonly context: StageContext
  readonly place: Place
  readonly job: Job.Job
  /** Null if the trainer was gone at the start; then only its output matters. */
  readonly trainer: Trainer | null
  /** The offsets that the run has already recorded. */
  readonly known: Offsets
  readonly reader: TrainerReader
  readonly metering: Pick<Metering, "usage" | "end">
  /** Whether the trainer is asked to stop, and why. */
  readonly stopping: () => PendingStop | null
}

/** Progress, and at last perhaps the reason for there being no more. */
type StageOutput = Progress | StageFailure

interface Turn {
  readonly outputs: ReadonlyArray<StageOutput>
  readonly isOver: boolean
}

export const fail = (code: string, message: string, retryable = true) => new StageFailure({ code, message, retryable })

/** How a trainer ended that did not say how. */
const lossOf = (code: number | null): StageFailure => {
  if (code === null) return fail("trainer_lost", "The trainer was ended from outside, without a result")
  if (code === 0) return fail("no_result", "The trainer ended without a result")
  const isAbsent = code === 126 || code === 127
  return fail("trainer_failed", `The trainer ended with exit code ${code} and without a result`, !isAbsent)
}

const decodeLeft = Schema.decodeUnknownOption(Schema.Struct({ artifact: Artifacts.Artifact }))

/** The artifact of the last earlier stage with an artifact. */
export const artifactBefore = ({ run, stage }: StageContext): Artifacts.Artifact | null =>
  run.stages
    .filter(({ seq }) => seq < stage.seq)
    .flatMap(({ result }) => Option.toArray(decodeLeft(result)))
    .at(-1)?.artifact ?? null

/** The artifact of the stage. A publish stage without its own artifact keeps the artifact before it. */
const leftBy = Effect.fnUntraced(function* ({ context, job, place }: FollowOptions, result: Protocol.Result) {
  const { artifact: named = null, details = {} } = result
  const workdir = path.join(job.folder, "work")
  const before = context.stage.kind === "publish" ? artifactBefore(context) : null
  const artifact = named === null ? before : yield* Artifacts.put(context, named, { runFolder: place.run, workdir })
  const isLong = JSON.stringify(details).length > ProcessLimits.stateCharactersMax
  return { ...(artifact === null ? {} : { artifact: { ...artifact } }), details: isLong ? {} : details }
})

/** How the lines of a job become progress. */
const lineReader = (followed: FollowOptions) => {
  const { reader, job, known, metering, trainer } = followed
  const readTo = { ...known }
  const spent = Effect.map(metering.usage, (usage) => Progress.Spend({ usage }))

  const checkpoint = Effect.map(metering.usage, (usage) =>
    Progress.Checkpoint({ state: { job: job.attempt, ...readTo, trainer: reader.state() }, usage })
  )

  /**
   * Closes the job, so that the next attempt starts a new one. After a crash of the server, an open job is found again.
   */
  const closed = Effect.fnUntraced(function* (failure: StageFailure) {
    yield* metering.end
    yield* Job.close(job)
    return [yield* spent, failure]
  })

  /** A failure to store leaves the job open: another attempt stores again. */
  const finish = Effect.fnUntraced(
    function* (result: Protocol.Result): Effect.fn.Return<ReadonlyArray<StageOutput>, StageFailure> {
      const missing = reader.unansweredRows()
      if (missing > 0) return yield* fail("answers_missing", `${missing} holdout rows have no answer`, false)
      // Gives the trainer a moment to exit by itself.
      if (trainer !== null && !(yield* trainer.leave)) yield* trainer.stop(ProcessLimits.budgetGraceMillis)
      yield* metering.end
      const left = yield* leftBy(followed, result)
      return [yield* spent, Progress.Finished({ outcome: "succeeded", result: left })]
    },
    Effect.catch((failure) => Effect.succeed<ReadonlyArray<StageOutput>>([failure]))
  )

  const conclude = (ending: TrainerEnd): Effect.Effect<ReadonlyArray<StageOutput>, StageFailure> => {
    if (ending.type === "result") return finish(ending)
    const { message, retryable = true } = ending
    if (trainer !== null) return closed(fail("trainer_failed", message, retryable))
    return Effect.succeed([Progress.Log({ level: "warn", message: `The trainer failed before: ${message}` })])
  }

  const read = Effect.fnUntraced(function* (
    stdout: ReadonlyArray<Line>,
    stderr: ReadonlyArray<Line>
  ): Effect.fn.Return<Turn, StageFailure> {
    const outputs: Array<StageOutput> = []
    for (const line of stderr) {
      readTo.stderr = line.end
      const logged = reader.readText(line)
      if (logged.length > 0) outputs.push(...logged, yield* checkpoint)
    }
    for (const line of stdout) {
      const isKnown = line.end <= known.stdout
      const state = reader.state()
      const found = yield* reader.readLine(line, isKnown)
      outputs.push(...found.progress)
      if (found.ending !== null) return { outputs: [...outputs, ...(yield* conclude(found.ending))], isOver: true }
      if (isKnown) continue
      readTo.stdout = line.end
      if (found.progress.length > 0 || reader.state() !== state) outputs.push(yield* checkpoint)
    }
    return { outputs, isOver: false }
  })

  return { read, closed, spent }
}

/** After a stop request, the leader of a trainer may exit before the trainer has written its last lines. */
const isGone = ({ stopping, trainer }: FollowOptions): boolean =>
  trainer === null || (!trainer.isAlive() && stopping()?.isDone !== false)

const endingOf = Effect.fnUntraced(function* ({ job, stopping, trainer }: FollowOptions) {
  if (trainer !== null) yield* trainer.sweep
  return stopping()?.failure ?? lossOf(yield* io(() => Leader.exitCode(job.folder)))
})

/**
 * Ends with the trainer's result, or fails with its failure. A job that was gone at the start may also end without a
 * result.
 */
export const follow = (followed: FollowOptions): Stream.Stream<Progress, StageFailure> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { context, job, known, trainer } = followed
      const files = Job.output(job)
      // An attempt of an evaluation must read all answers.
      const from = context.stage.kind === "eval" ? 0 : known.stdout
      const stdout = Tail.make(files.stdout, from, ProcessLimits.lineBytesMax)
      const stderr = Tail.make(files.stderr, known.stderr, ProcessLimits.textBytesMax)
      const lines = lineReader(followed)
      let spentAt = yield* Clock.currentTimeMillis

      const wait = Effect.gen(function* () {
        yield* Effect.sleep(ProcessLimits.pollMillis)
        const now = yield* Clock.currentTimeMillis
        if (now < spentAt + ProcessLimits.quantumMillis) return []
        spentAt = now
        return [yield* lines.spent]
      })

      const end = Effect.gen(function* () {
        const last = yield* lines.read(stdout.rest(), stderr.rest())
        if (last.isOver || trainer === null) return { ...last, isOver: true }
        return { outputs: [...last.outputs, ...(yield* lines.closed(yield* endingOf(followed)))], isOver: true }
      })

      const turn: Effect.Effect<Turn, StageFailure> = Effect.gen(function* () {
        // Checked before the read, so that the read below sees everything a finished trainer wrote.
        const wasGone = isGone(followed)
        const { err, isMore, out } = yield* Tail.readBoth(stdout, stderr)
        const found = yield* lines.read(out, err)
        if (found.isOver || isMore) return found
        return wasGone ? yield* end : { outputs: yield* wait, isOver: false }
      })

      return Stream.paginate(null, () =>
        Effect.map(turn, ({ isOver, outputs }) => [outputs, isOver ? Option.none() : Option.some(null)] as const)
      )
    })
  ).pipe(
    Stream.mapEffect((output) =>
      output instanceof StageFailure ? Effect.fail(output) : Effect.succeed<Progress>(output)
    )
  )
