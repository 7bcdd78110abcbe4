/**
 * The executor that starts a trainer of the operator's, once per stage, and speaks with it in JSON (contract 5,
 * docs/runs.md). The trainer outlives this server: whoever takes the stage over finds it again and reads on where the run
 * knows its output to end.
 */
import path from "node:path"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import { type Executor, Progress, type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import { Usage } from "@limbeck/distill/run/Run"
import { sanitize, sanitizeJson } from "@limbeck/distill/run/Sanitizer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Artifacts from "./Artifacts.ts"
import { io } from "./Files.ts"
import * as Hearing from "./Hearing.ts"
import * as Job from "./Job.ts"
import * as Leader from "./Leader.ts"
import { Limits } from "./Limits.ts"
import * as Metering from "./Metering.ts"
import * as Place from "./Place.ts"
import * as Protocol from "./Protocol.ts"
import * as Rows from "./Rows.ts"
import * as Tail from "./Tail.ts"

export const processName = "process"

export interface ProcessOptions extends Job.Command {
  /** Where runs have their files; its own, and nobody else's. */
  readonly folder: string
}

/** What a checkpoint of ours says: how far a job was heard, and what its trainer would go on from. */
const Known = Schema.Struct({ job: Schema.Int, stdout: Schema.Int, stderr: Schema.Int, trainer: Schema.Json })
type Known = typeof Known.Type
const decodeKnown = Schema.decodeUnknownOption(Known)
const decodeRecipe = Schema.decodeUnknownOption(Recipe.Recipe)
const decodeLeft = Schema.decodeUnknownOption(Schema.Struct({ artifact: Artifacts.Artifact }))

/** Progress, and at last perhaps why it ends. */
type Said = Progress | StageFailure

const log = (message: string) => Progress.Log({ level: "info", message })
const fail = (code: string, message: string, retryable = true) => new StageFailure({ code, message, retryable })

const materialize = (context: StageContext, place: Place.Place): Stream.Stream<Progress, StageFailure> => {
  const { rows, trainRows } = context.version
  if (trainRows === 0) return Stream.fail(fail("no_training_rows", "The version has no train rows", false))
  return Stream.fromEffect(Rows.writeTrain(context, place)).pipe(
    Stream.flatMap(() =>
      Stream.make(
        log(`${trainRows} train rows of ${rows} rows are written for the trainer`),
        Progress.Metric({ name: "rows", unit: "rows", step: 1, value: rows }),
        Progress.Finished({ outcome: "succeeded", result: { rows } })
      )
    )
  )
}

/** What the last stage before this one left that left anything. */
const artifactBefore = ({ run, stage }: StageContext): Artifacts.Artifact | null => {
  const left = run.stages
    .filter(({ seq }) => seq < stage.seq)
    .flatMap(({ result }) => Option.toArray(decodeLeft(result)))
    .at(-1)
  return left === undefined ? null : left.artifact
}

/** How a trainer ended that did not say how. */
const lossOf = (code: number | null): StageFailure => {
  if (code === null) return fail("trainer_lost", "The trainer was ended from outside, without a result")
  if (code === 0) return fail("no_result", "The trainer ended without a result")
  const isAbsent = code === 126 || code === 127
  return fail("trainer_failed", `The trainer ended with exit code ${code} and without a result`, !isAbsent)
}

/** Follows one job of the trainer. */
const follow = (options: {
  readonly context: StageContext
  readonly place: Place.Place
  readonly job: Job.Job
  readonly leader: Leader.Leader | null
  readonly from: Pick<Known, "stdout" | "stderr">
  readonly hearing: Hearing.Hearing
  readonly metering: Metering.Metering
  /** Only what it left is of interest: somebody else follows. */
  readonly isPast: boolean
}): Stream.Stream<Said, StageFailure> => {
  const { context, from, hearing, isPast, job, leader, metering, place } = options
  const files = Job.output(job)
  let stopped: StageFailure | null = null
  let saidAt = 0
  const known = { ...from }

  const isAlive = () => leader !== null && Leader.isAlive(leader)

  const pays = Effect.gen(function* () {
    const { failure, graceMillis } = yield* metering.untilRefused
    stopped = failure
    if (leader !== null) yield* Job.stop(leader, graceMillis)
  })

  const checkpoint = Effect.map(metering.usage, (usage) => {
    const { stderr, stdout } = known
    return Progress.Checkpoint({ state: { job: job.attempt, stdout, stderr, trainer: hearing.state() }, usage })
  })

  const leftBy = Effect.fnUntraced(function* ({ artifact, details = {} }: Protocol.Result) {
    if (artifact === undefined || artifact === null) {
      const before = context.stage.kind === "publish" ? artifactBefore(context) : null
      return before === null ? { details } : { artifact: before, details }
    }
    const workdir = path.join(job.folder, "work")
    return { artifact: yield* Artifacts.put(context, artifact, { runFolder: place.run, workdir }), details }
  })

  /** The trainer may leave by itself; then what it made is kept. */
  const finish = Effect.fnUntraced(function* (result: Protocol.Result) {
    const missing = hearing.unanswered()
    if (missing > 0) return yield* fail("answers_missing", `${missing} holdout rows have no answer`, false)
    if (leader !== null && !(yield* Job.leave(leader))) yield* Job.stop(leader, Limits.budgetGraceMillis)
    yield* metering.end
    const usage = yield* metering.usage
    const left = yield* leftBy(result)
    return [Progress.Spend({ usage }), Progress.Finished({ outcome: "succeeded", result: left })]
  })

  const conclude = (ending: Hearing.Ending): Effect.Effect<ReadonlyArray<Said>, StageFailure> => {
    if (ending.type === "result") return finish(ending)
    const { message, retryable = true } = ending
    if (isPast) return Effect.succeed([log(`An earlier start of the trainer failed: ${message}`)])
    return Effect.fail(fail("trainer_failed", message, retryable))
  }

  /** Whoever comes after a failure begins anew; who comes after a crash of ours finds the job as it is. */
  const failed = (failure: StageFailure) =>
    Effect.gen(function* () {
      yield* metering.end
      yield* Job.close(job)
      return [Progress.Spend({ usage: yield* metering.usage }), failure]
    })

  const hearLines = Effect.fnUntraced(function* (
    stdout: ReadonlyArray<Tail.Lines>,
    stderr: ReadonlyArray<Tail.Lines>
  ) {
    const said: Array<Said> = []
    for (const line of stderr) {
      known.stderr = line.end
      said.push(...hearing.hearText(line), yield* checkpoint)
    }
    for (const line of stdout) {
      const isKnown = line.end <= from.stdout
      const heard = yield* hearing.hear(line, isKnown)
      said.push(...heard.said)
      if (heard.ending !== null) return { said: [...said, ...(yield* conclude(heard.ending))], isOver: true }
      known.stdout = Math.max(known.stdout, line.end)
      if (!isKnown) said.push(yield* checkpoint)
    }
    return { said, isOver: false }
  })

  return Stream.never
}
