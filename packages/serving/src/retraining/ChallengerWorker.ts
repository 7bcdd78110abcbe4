/** Puts the student of a retraining run into the shadow of its deployment, in place of the challenger that was there. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { Sources } from "@limbeck/capture/source/Sources"
import type { Upstream } from "@limbeck/capture/upstream/Upstream"
import type { Events } from "@limbeck/core/events/Events"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Run from "@limbeck/distill/run/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployment from "../deployment/Deployment.ts"
import { Deployments, type NewDeployment } from "../deployment/Deployments.ts"
import { ServingLimits } from "../Limits.ts"

export class ChallengerWorker extends Context.Service<ChallengerWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/serving/retraining/ChallengerWorker"
) {}

const challengerOf = (deployment: Deployment.Deployment, studentModel: string): NewDeployment => ({
  alias: deployment.alias,
  studentModel,
  mode: "shadow",
  fallback: deployment.fallback,
  onFallbackFailure: deployment.onFallbackFailure,
  fields: deployment.fields,
  trafficPercent: deployment.trafficPercent,
  timeoutMillis: deployment.timeoutMillis,
  guard: deployment.guard
})

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const deployments = yield* Deployments

  /** The live deployment in the shadow of this alias. */
  const inShadow = (partition: Partition, { alias }: Deployment.Deployment) =>
    Effect.map(
      resources.findUnique(partition, Deployment.kind, Deployment.placeOf({ alias, mode: "shadow" })),
      Option.map(({ value }) => value)
    )

  const replace = Effect.fnUntraced(function* (
    partition: Partition,
    deployment: Deployment.Deployment,
    studentModel: string
  ) {
    const before = Option.getOrUndefined(yield* inShadow(partition, deployment))
    if (before?.studentModel === studentModel) return
    if (before !== undefined) yield* deployments.retire(partition, before.id)
    yield* deployments.create(partition, challengerOf(deployment, studentModel))
  })

  const place = Effect.fnUntraced(function* ({ partition, subject }: Work) {
    const run = Option.getOrUndefined(yield* resources.find(partition, Run.kind, subject))?.value
    if (run?.retrains === undefined || run.studentModel === null) return
    const deployment = Option.getOrUndefined(yield* resources.find(partition, Deployment.kind, run.retrains))?.value
    // Its owner has ended it meanwhile; the student stays.
    if (deployment === undefined || deployment.status === "retired") return
    yield* storage.transaction(replace(partition, deployment, run.studentModel))
  })

  const perform = Effect.fn("ChallengerWorker.perform")((work: Work) =>
    place(work).pipe(
      // Somebody else has changed or placed a deployment in the meantime.
      Effect.retry({ while: ({ _tag }) => _tag === "ChangedMeanwhile" || _tag === "AliasTaken" }),
      Effect.catchIf(
        (error) => error._tag !== "StorageError",
        (error) => Effect.annotateLogs(Effect.logError("challenger_refused", error), { run: work.subject })
      ),
      Effect.andThen(queue.settle(work))
    )
  )

  return ChallengerWorker.of(
    yield* LeasedWorker.make({
      topic: Run.challengerTopic,
      perform,
      pool: Pools.challengers,
      leaseMillis: ServingLimits.leaseMillis,
      heartbeatMillis: ServingLimits.heartbeatMillis,
      pollMillis: ServingLimits.pollMillis
    })
  )
})

export const layer: Layer.Layer<
  ChallengerWorker,
  never,
  Storage | ResourceStore | Queue | Deployments | Events | Ids | CallStore | Sources | Upstream
> = Layer.effect(ChallengerWorker, make)
