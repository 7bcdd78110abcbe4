/** Trainers as jobs of a Ray cluster, which reaches the runs' folder under the same path. */
import path from "node:path"
import { type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import type { Run } from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { io, readText, writeJson } from "../../process/internal/Files.ts"
import * as Job from "../../process/internal/Job.ts"
import { ProcessLimits } from "../../process/internal/Limits.ts"
import * as Metering from "../../process/internal/Metering.ts"
import type { Launcher, Trainer } from "../../process/internal/Trainer.ts"
import * as JobScript from "./JobScript.ts"
import * as JobView from "./JobView.ts"
import { RayLimits } from "./Limits.ts"
import * as RayJobs from "./RayJobs.ts"

export interface RayOptions extends JobScript.Command {
  /** Of the cluster's dashboard, such as `http://head:8265`. */
  readonly address: string
  /** How long a job survives without a sign of a server; 40 seconds by default. */
  readonly silenceMillis?: number
  /** What a job asks of the cluster. */
  readonly resourcesOf: (compute: Run["compute"]) => RayJobs.RayResources
}

/** The same id for the same start of a stage: a second submission names the same job. */
const idOf = ({ attempt, folder }: Job.Job): string => {
  const stage = path.dirname(folder)
  return `limbeck-${path.basename(path.dirname(stage))}-${path.basename(stage)}-${attempt}`
}

/** The submission of a job, stored for repetition: a job lost before its start is submitted again. */
const orderFile = "submission.json"
const Order = Schema.Struct({
  entrypoint: Schema.String,
  resources: RayJobs.RayResources,
  metadata: Schema.Record(Schema.String, Schema.String)
})
const decodeOrder = Schema.decodeUnknownEffect(Schema.fromJsonString(Order))

const failed = (code: string, message: string) => new StageFailure({ code, message, retryable: true })

const notBegun = ({ known }: JobView.JobView) => {
  const reason = typeof known === "object" && known.message !== null ? known.message : "it is gone"
  return failed(
    "ray_job_not_begun",
    `The job ended before the trainer began: ${reason.slice(0, RayLimits.messageCharactersMax)}. ` +
      "Every machine of the cluster must reach RAY_SHARED_DIR under the same path and as the same account"
  )
}

const unreachable = (what: string) => failed("ray_unreachable", `The Ray cluster of RAY_ADDRESS: ${what}`)

const withoutOrder = failed("ray_job_lost", "What the job was to do is not in its folder any more")

const orderOf = Effect.fnUntraced(function* (job: Job.Job) {
  const text = yield* io(() => readText(Job.file(job, orderFile)))
  return { id: idOf(job), ...(yield* Effect.mapError(decodeOrder(text), () => withoutOrder)) }
})

/** The view of a job, and the loop that updates it. */
const observe = Effect.fnUntraced(function* (rays: RayJobs.RayJobs, job: Job.Job) {
  // An error says nothing about the job.
  const known = Effect.map(rays.find(idOf(job)), (found): JobView.KnownJob => found ?? "absent").pipe(
    Effect.orElseSucceed((): JobView.KnownJob => "unknown")
  )
  const seen = Effect.fnUntraced(function* (before: JobView.JobView | null) {
    const said = yield* known
    const now = yield* Clock.currentTimeMillis
    const view = yield* io(() => JobView.look(job, before, said, now))
    return { view, isAlive: JobView.isAlive(view, now) }
  })
  let last = yield* seen(null)
  const look = Effect.gen(function* () {
    last = yield* seen(last.view)
  })

  /** Whether it ended in so many milliseconds. */
  const ended = Effect.fnUntraced(function* (millis: number) {
    const until = (yield* Clock.currentTimeMillis) + millis
    yield* Effect.ignore(look)
    while (last.isAlive && (yield* Clock.currentTimeMillis) < until) {
      yield* Effect.sleep(ProcessLimits.pollMillis)
      yield* Effect.ignore(look)
    }
    return !last.isAlive
  })

  return { look, ended, view: () => last.view, isAlive: () => last.isAlive } as const
})
type JobObservation = Effect.Success<ReturnType<typeof observe>>

/** Returns why it is not known whether the cluster has the job. Its name may be taken, by a submission before. */
const submit = Effect.fnUntraced(function* (rays: RayJobs.RayJobs, job: Job.Job) {
  const order = yield* orderOf(job)
  const error = yield* Effect.flip(rays.submit(order)).pipe(Effect.orElseSucceed(() => null))
  if (error === null || (yield* Effect.orElseSucceed(rays.find(order.id), () => null)) !== null) return null
  if (error.status === null || error.status >= 500) return error
  const message = `Ray refused the job: ${error.message}`
  return yield* new StageFailure({ code: "ray_refused", message, retryable: false })
})

/** Waits for the job to begin, whatever the cluster does meanwhile; returns when it did. */
const awaitBegin = Effect.fnUntraced(function* (
  rays: RayJobs.RayJobs,
  job: Job.Job,
  { isAlive, look, view }: JobObservation
) {
  const from = yield* Clock.currentTimeMillis
  while (true) {
    const { answeredAt, begunAt, known } = view()
    if (begunAt !== null) return begunAt
    if (!isAlive()) return yield* notBegun(view())
    const now = yield* Clock.currentTimeMillis
    if (now - answeredAt > RayLimits.unreachableMillis) return yield* unreachable("does not answer")
    if (known === "absent") {
      const error = yield* submit(rays, job)
      if (error !== null && now - from > RayLimits.unreachableMillis) return yield* unreachable(error.message)
      yield* look
    }
    yield* Effect.sleep(ProcessLimits.pollMillis)
  }
})

const trainerOf = (rays: RayJobs.RayJobs, job: Job.Job, observed: JobObservation): Trainer => {
  const { ended, isAlive, look, view } = observed
  const beat = Effect.flatMap(Clock.currentTimeMillis, (now) => io(() => JobScript.beat(job, now)))
  const tellToStop = (graceMillis: number) => Effect.ignore(io(() => JobScript.tellToStop(job, graceMillis)))
  return {
    isAlive,
    attend: Effect.forever(
      Effect.andThen(Effect.ignore(Effect.andThen(beat, look)), Effect.sleep(RayLimits.lookMillis))
    ),
    begun: awaitBegin(rays, job, observed),
    stop: Effect.fnUntraced(function* (graceMillis: number) {
      if (!isAlive()) return
      yield* tellToStop(graceMillis)
      if (view().begunAt !== null && (yield* ended(graceMillis + RayLimits.stopMarginMillis))) return
      yield* Effect.ignore(rays.stop(idOf(job)))
      yield* ended(RayLimits.clusterStopMillis)
    }),
    leave: ended(ProcessLimits.leaveMillis),
    sweep: Effect.andThen(tellToStop(0), Effect.ignore(io(() => JobView.markGone(job))))
  }
}

/** Of a job that the cluster does not run, only its pulse tells whether it lives: that takes a while. */
const find = Effect.fnUntraced(function* (rays: RayJobs.RayJobs, job: Job.Job) {
  const observed = yield* observe(rays, job)
  const { isAlive, look, view } = observed
  const { begunAt, pulse } = view()
  const isPlain = () => JobView.isWaitingOrRunning(view()) || view().pulse !== pulse
  while (isAlive() && !isPlain()) {
    yield* Effect.sleep(ProcessLimits.pollMillis)
    yield* look
  }
  const trainer = trainerOf(rays, job, observed)
  if (isAlive()) return trainer
  if (begunAt !== null) yield* trainer.sweep
  return null
})

export const finder =
  (address: string): Launcher["find"] =>
  (job) =>
    find(RayJobs.make(address), job)

export const make = (name: string, options: RayOptions): Launcher => {
  const rays = RayJobs.make(options.address)
  return {
    name,
    waiting: "Waits for the Ray cluster",
    start: Effect.fnUntraced(function* (job: Job.Job, input: Schema.Json, context: StageContext) {
      const { compute, id } = context.run
      const boughtMillis = Metering.endOfBudget(context, job, 0) - job.startedAt
      const order: typeof Order.Type = {
        entrypoint: JobScript.entrypoint(job, boughtMillis, options.silenceMillis),
        resources: options.resourcesOf(compute),
        metadata: { run: id, stage: context.stage.kind, attempt: String(job.attempt) }
      }
      yield* io(() => JobScript.write(job, options))
      yield* io(() => writeJson(Job.file(job, orderFile), order))
      yield* io(() => Job.prepare(job, input))
      yield* Job.drive(job, job.attempt)
      return trainerOf(rays, job, yield* observe(rays, job))
    }),
    find: (job) => find(rays, job),
    lifeOf: (job) => Effect.flatMap(Clock.currentTimeMillis, (now) => io(() => JobView.lifeOf(job, now)))
  }
}
