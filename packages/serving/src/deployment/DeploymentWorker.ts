/** Makes deployments ready, or says why they cannot be: a builtin student is loaded once, a language model has an endpoint. */

import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ServingLimits } from "../Limits.ts"
import { ManagedStudents, type WantedStudent } from "../student/ManagedStudents.ts"
import { Students } from "../student/Students.ts"
import * as Deployment from "./Deployment.ts"
import { DeploymentEvent } from "./DeploymentMachine.ts"
import * as AliasCache from "./internal/AliasCache.ts"
import * as DeploymentChanges from "./internal/DeploymentChanges.ts"

/** Provisions deployments that are due. */
export class DeploymentWorker extends Context.Service<DeploymentWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/serving/deployment/DeploymentWorker"
) {}

const failed = (code: string, message: string) => DeploymentEvent.ProvisioningFailed({ code, message })

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const students = yield* Students
  const managed = yield* ManagedStudents
  const changes = yield* DeploymentChanges.make

  const loaded = (partition: Partition, id: string): Effect.Effect<DeploymentEvent, StorageError> =>
    Effect.scoped(students.load(partition, id)).pipe(
      Effect.as(DeploymentEvent.Provisioned()),
      Effect.catchTag("StudentUnreadable", ({ message }) => Effect.succeed(failed("student_unreadable", message)))
    )

  /** Its process answers before calls go there. */
  const served = (wanted: WantedStudent): Effect.Effect<DeploymentEvent, StorageError> =>
    Effect.scoped(managed.ready(wanted)).pipe(
      Effect.as(DeploymentEvent.Provisioned()),
      Effect.catchTag("StudentUnreadable", ({ message }) => Effect.succeed(failed("student_not_served", message)))
    )

  /** What came of it. A dead endpoint is no failure: health is the fallback's business (contract 14.26). */
  const provision = Effect.fnUntraced(function* (
    partition: Partition,
    { endpoint, id, studentModel }: Deployment.Deployment
  ) {
    const student = Option.getOrUndefined(yield* students.find(partition, studentModel))
    if (student === undefined || !student.deployable) return failed("student_gone", "There is no such student any more")
    if (student.engine === "builtin") return yield* loaded(partition, studentModel)
    if (Deployment.isManaged(endpoint)) return yield* served({ partition, deployment: id, student: studentModel })
    return endpoint === null
      ? failed("endpoint_missing", "It is said nowhere where the student is served")
      : DeploymentEvent.Provisioned()
  })

  const provisionOnce = Effect.fnUntraced(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, Deployment.kind, work.subject))
    if (stored?.value.status !== "provisioning") return yield* queue.settle(work)
    const event = yield* provision(work.partition, stored.value)
    const end = Effect.gen(function* () {
      yield* queue.guard(work)
      yield* Effect.catchTag(changes.move(work.partition, stored, event), "InvalidTransition", Effect.die)
      yield* queue.settle(work)
    })
    yield* storage.transaction(end)
  })

  const perform = Effect.fn("DeploymentWorker.perform")(
    (work: Work): Effect.Effect<void, LeaseLost | StorageError> =>
      provisionOnce(work).pipe(
        // Its owner has changed it meanwhile, so the attempt may be outdated.
        Effect.retry({ while: (error) => error._tag === "RevisionConflict" })
      )
  )

  const worker = yield* LeasedWorker.make({
    topic: Deployment.topic,
    perform,
    pool: Pools.provisions,
    leaseMillis: ServingLimits.leaseMillis,
    heartbeatMillis: ServingLimits.heartbeatMillis,
    pollMillis: ServingLimits.pollMillis
  })
  return DeploymentWorker.of(worker)
})

export const layer: Layer.Layer<
  DeploymentWorker,
  never,
  Storage | ResourceStore | Queue | Events | CallStore | Students | ManagedStudents
> = Layer.provide(Layer.effect(DeploymentWorker, make), AliasCache.layer)
