/**
 * Plans the runs that waited for their version:
 *
 *     version built  ──▶ the run has its plan, and is due on `Run.topic`
 *     version failed ──▶ the run fails with `dataset_version_failed`
 *
 * The transaction that ends a version makes its waiting runs due here, so none waits for ever.
 */
import type { InvalidInput, NotFound, ReferenceUnknown } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as KnownVersions from "../dataset/internal/KnownVersions.ts"
import { DistillLimits } from "../Limits.ts"
import * as RunChanges from "./internal/RunChanges.ts"
import * as RunPlanner from "./internal/RunPlanner.ts"
import * as Run from "./Run.ts"
import { RunEvent } from "./RunMachine.ts"

export class RunPlanning extends Context.Service<RunPlanning, LeasedWorker.LeasedWorker>()(
  "@limbeck/distill/run/RunPlanning"
) {}

const refused = (code: string, message: string) => RunEvent.PlanRefused({ code, message })

const refusalOf = ({ datasetVersion }: Run.Run, { message }: { readonly message: string }) =>
  refused("plan_refused", `The recipe does not fit the dataset version ${datasetVersion}: ${message}`)

const isOfPlan = (error: { readonly _tag: string }): error is InvalidInput | NotFound | ReferenceUnknown =>
  error._tag !== "StorageError"

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const changes = yield* RunChanges.make
  const planner = yield* RunPlanner.make

  const write = Effect.fnUntraced(function* (partition: Partition, stored: StoredResource<Run.Run>, run: Run.Run) {
    const now = yield* Clock.currentTimeMillis
    yield* changes.write(partition, [{ stored, draft: RunChanges.noChange({ ...run, updatedAt: now }) }])
    yield* queue.offer(partition, Run.topic, run.id, now)
    yield* queue.nudge(Run.topic)
  })

  const fail = (partition: Partition, stored: StoredResource<Run.Run>, event: RunEvent) =>
    Effect.catchTag(changes.move(partition, stored, event), "InvalidTransition", Effect.die)

  /** What to write of a run without a plan; undefined while its version is being built, whose end makes it due again. */
  const next = Effect.fnUntraced(function* (partition: Partition, stored: StoredResource<Run.Run>) {
    const version = yield* resources.find(partition, DatasetVersion.kind, stored.value.datasetVersion)
    const { error = null, status } = Option.getOrUndefined(version)?.value ?? { status: "failed" as const }
    if (status === "building") return undefined
    if (status === "failed") {
      const message = `The dataset version ${stored.value.datasetVersion} failed: ${error?.message ?? "it is gone"}`
      return fail(partition, stored, refused("dataset_version_failed", message))
    }
    return yield* planner.planned(partition, stored.value).pipe(
      Effect.map((run) => write(partition, stored, run)),
      Effect.catchIf(isOfPlan, (error) => Effect.succeed(fail(partition, stored, refusalOf(stored.value, error))))
    )
  })

  const plan = Effect.fnUntraced(function* ({ partition, subject }: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(partition, Run.kind, subject))
    if (stored?.value.status !== "queued" || stored.value.awaitsVersion === undefined) return
    const change = yield* next(partition, stored)
    if (change !== undefined) yield* storage.transaction(change)
  })

  return RunPlanning.of(
    yield* LeasedWorker.make({
      topic: Run.planTopic,
      perform: Effect.fn("RunPlanning.perform")((work: Work) =>
        plan(work).pipe(
          // It was canceled meanwhile, or another server has planned it: looks again.
          Effect.retry({ while: ({ _tag }) => _tag === "RevisionConflict" }),
          Effect.andThen(queue.settle(work))
        )
      ),
      pool: Pools.runPlans,
      leaseMillis: DistillLimits.leaseMillis,
      heartbeatMillis: DistillLimits.heartbeatMillis,
      pollMillis: DistillLimits.pollMillis
    })
  )
})

export const layer = Layer.provide(Layer.effect(RunPlanning, make), KnownVersions.layer)
