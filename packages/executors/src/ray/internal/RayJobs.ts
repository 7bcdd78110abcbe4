/** Ray's job API over HTTP, as of Ray 2.60: `/api/jobs/` on the dashboard's port. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RayLimits } from "./Limits.ts"
import * as RayHttp from "./RayHttp.ts"

/** What an entrypoint asks of the cluster, in Ray's own names; `memory` in bytes, 0 for any. */
export const RayResources = Schema.Struct({
  num_cpus: Schema.Finite,
  num_gpus: Schema.Finite,
  memory: Schema.Finite,
  /** Custom resources, such as `accelerator_type:L4`. */
  resources: Schema.Record(Schema.String, Schema.Finite)
})
export type RayResources = typeof RayResources.Type

const RayJob = Schema.Struct({
  status: Schema.Literals(["PENDING", "RUNNING", "STOPPED", "SUCCEEDED", "FAILED"]),
  message: Schema.NullOr(Schema.String)
})
export type RayJob = typeof RayJob.Type

const decodeJob = Schema.decodeUnknownEffect(Schema.fromJsonString(RayJob))
const decodeVersion = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ ray_version: Schema.String })))

export interface Submission {
  readonly id: string
  readonly entrypoint: string
  readonly resources: RayResources
  readonly metadata: Readonly<Record<string, string>>
}

const silent = new RayHttp.RayError({ status: null, message: "does not answer in time" })
const shapeless = () => new RayHttp.RayError({ status: null, message: "answered in a shape that is not Ray's" })

export const make = (address: string) => {
  const send = (call: RayHttp.Call) =>
    Effect.timeoutOrElse(RayHttp.call(call), { duration: RayLimits.callMillis, orElse: () => Effect.fail(silent) })
  /** A refusal is a stack trace, whose last line with a letter says why. */
  const refused = ({ status, text }: RayHttp.Answer) => {
    const last = text.split("\n").findLast((line) => /[a-z]/i.test(line))
    return new RayHttp.RayError({ status, message: (last ?? "").trim().slice(0, RayLimits.messageCharactersMax) })
  }
  const jobUrl = (id: string) => `${address}/api/jobs/${encodeURIComponent(id)}`

  return {
    /** Of Ray. */
    version: Effect.gen(function* () {
      const answer = yield* send({ method: "GET", url: `${address}/api/version` })
      if (answer.status !== 200) return yield* refused(answer)
      return (yield* Effect.mapError(decodeVersion(answer.text), shapeless)).ray_version
    }),

    /** Null for a job that the cluster does not know. */
    find: Effect.fnUntraced(function* (id: string) {
      const answer = yield* send({ method: "GET", url: jobUrl(id) })
      if (answer.status === 404) return null
      if (answer.status !== 200) return yield* refused(answer)
      return yield* Effect.mapError(decodeJob(answer.text), shapeless)
    }),

    /** Fails for a taken id like for any other error: look first, and look again after a failure. */
    submit: Effect.fnUntraced(function* ({ entrypoint, id, metadata, resources }: Submission) {
      const { memory, num_cpus, num_gpus, resources: custom } = resources
      const body = {
        entrypoint,
        submission_id: id,
        metadata,
        entrypoint_num_cpus: num_cpus,
        entrypoint_num_gpus: num_gpus,
        ...(memory > 0 ? { entrypoint_memory: memory } : {}),
        ...(Object.keys(custom).length > 0 ? { entrypoint_resources: custom } : {})
      }
      const answer = yield* send({ method: "POST", url: `${address}/api/jobs/`, body })
      if (answer.status !== 200) return yield* refused(answer)
    }),

    /** SIGTERM, and SIGKILL 3 seconds later. A job that waits for resources goes on waiting all the same. */
    stop: Effect.fnUntraced(function* (id: string) {
      const answer = yield* send({ method: "POST", url: `${jobUrl(id)}/stop` })
      if (answer.status !== 200 && answer.status !== 404) return yield* refused(answer)
    }, Effect.timeoutOption(RayLimits.stopCallMillis))
  } as const
}
export type RayJobs = ReturnType<typeof make>
