/** Runs as callers see them: create, read, cancel, retry. The work itself is the scheduler's. */
import {
  type Conflict,
  conflict,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as KnownLoops from "../loop/KnownLoops.ts"
import { Catalog } from "../recipe/Catalog.ts"
import * as RecipeRules from "../recipe/RecipeRules.ts"
import { StudentProbe } from "../recipe/StudentProbe.ts"
import * as KnownRewards from "../reward/KnownRewards.ts"
import { Executors } from "./Executor.ts"
import * as NewRun from "./NewRun.ts"
import { planHash } from "./PlanHash.ts"
import * as Run from "./Run.ts"
import * as RunChanges from "./RunChanges.ts"
import { check, RunEvent } from "./RunMachine.ts"
import type { RunRecords } from "./RunRecords.ts"
import { eventsOf } from "./RunResource.ts"
import { checkBudget, checkLiveGate, checkRetry } from "./RunRules.ts"

export interface RunFilter {
  readonly status: Run.RunStatus | null
  readonly dryRun: boolean | null
  readonly datasetVersion: string | null
}

export interface RetryRequest {
  readonly fromStage: number | null
  readonly maxCostUsd: number | null
}

export class Runs extends Context.Service<
  Runs,
  {
    readonly create: (
      partition: Partition,
      request: NewRun.RunRequest
    ) => Effect.Effect<Run.Run, InvalidInput | NotFound | Conflict | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Run.Run, NotFound | StorageError>
    readonly page: (
      partition: Partition,
      filter: RunFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Run.Run>, StorageError>
    /** Ends the run at once; a worker that has it finds out and stops. */
    readonly cancel: (partition: Partition, id: string) => Effect.Effect<Run.Run, NotFound | Conflict | StorageError>
    readonly retry: (
      partition: Partition,
      id: string,
      request: RetryRequest
    ) => Effect.Effect<Run.Run, InvalidInput | NotFound | Conflict | StorageError>
  }
>()("@limbeck/distill/run/Runs") {}

/** Rung when a run was canceled, so that the worker that has it asks at once. */
export const cancelTopic = "run_canceled"

const labelsOf = (filter: RunFilter): ReadonlyArray<string> => [
  ...(filter.status === null ? [] : [`status:${filter.status}`]),
  ...(filter.dryRun === null ? [] : [`dry_run:${filter.dryRun}`]),
  ...(filter.datasetVersion === null ? [] : [`dataset_version:${filter.datasetVersion}`])
]

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const events = yield* Events
  const ids = yield* Ids
  const executors = yield* Executors
  const probe = yield* StudentProbe
  const catalog = yield* Catalog
  const changes = yield* RunChanges.make
  const digest = yield* Digest

  const readyVersion = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, DatasetVersion.kind, id)
    if (Option.isNone(found)) return yield* notFound("dataset version", id, "dataset_version")
    const version = found.value.value
    if (version.status !== "ready" || version.contentSha256 === null) {
      return yield* conflict(`Dataset version ${id} is ${version.status}, not ready`, "dataset_version")
    }
    if (version.rows === 0) return yield* conflict(`Dataset version ${id} holds no rows`, "dataset_version")
    return { ...version, contentSha256: version.contentSha256 }
  })

  const hashOf = (data: string, run: Pick<Run.Run, "recipe" | "compute">, maxCostUsd: number) =>
    planHash({ data, recipe: run.recipe, budget: { max_cost_usd: maxCostUsd }, compute: run.compute }).pipe(
      Effect.provideService(Digest, digest)
    )

  const rehearsalOf = Effect.fnUntraced(function* (partition: Partition, id: string | null) {
    if (id === null) return Option.none()
    const found = yield* resources.find(partition, Run.kind, id)
    return Option.isSome(found) ? Option.some(found.value.value) : yield* notFound("run", id, "validated_dry_run")
  })

  const create = Effect.fn("Runs.create")(function* (partition: Partition, asked: NewRun.RunRequest) {
    const request = { ...asked, dryRun: asked.dryRun || !partition.livemode }
    const version = yield* readyVersion(partition, request.datasetVersion)
    yield* KnownLoops.check(resources, partition, request.loop)
    const student = yield* Effect.fromResult(catalog.findStudent(request.recipe.student_model))
    const profile = yield* Effect.fromResult(catalog.findProfile(request.profile))
    const rewards = yield* KnownRewards.among(resources, partition, RecipeRules.rewardIdsOf(request.recipe))
    yield* Effect.fromResult(RecipeRules.check(request.recipe, student, rewards))
    const budgetMicros = yield* Effect.fromResult(checkBudget(request.maxCostUsd, request.dryRun))
    const { gpu, id: profileId, machine, spot } = profile
    const compute = { profile: profileId, machine, spot, gpu }
    const hash = yield* hashOf(version.contentSha256, { recipe: request.recipeAsSent, compute }, request.maxCostUsd)
    const gate = request.dryRun ? Option.none() : yield* rehearsalOf(partition, request.validatedDryRun)
    yield* Effect.fromResult(checkLiveGate(request, Option.getOrNull(gate), hash))
    const executor = executors.choose({ dryRun: request.dryRun, engine: student.engine })
    if (Result.isFailure(executor)) return yield* conflict(executor.failure, "recipe.student_model")
    const now = yield* Clock.currentTimeMillis
    const run = NewRun.make({
      id: yield* ids.make("run"),
      now,
      request,
      version,
      profile,
      student,
      builtinSpeed: student.engine === "builtin" ? yield* probe.speed : 1,
      budgetMicros,
      planHash: hash,
      validatedDryRun: Option.match(gate, { onNone: () => null, onSome: (rehearsal) => rehearsal.id }),
      executor: executor.success.name
    })
    yield* storage.transaction(
      Effect.gen(function* () {
        yield* Effect.catchTag(resources.insert(partition, Run.kind, run), "AlreadyExists", Effect.die)
        yield* changes.recordState(partition, run)
        yield* queue.offer(partition, Run.topic, run.id, now)
        yield* events.publish(partition, eventsOf(partition, null, run))
        yield* queue.nudge(Run.topic)
      })
    )
    return run
  })

  const cancel = Effect.fn("Runs.cancel")(function* (partition: Partition, id: string) {
    const canceled = yield* storage
      .transaction(
        Effect.gen(function* () {
          // First the work item: whoever works on the run holds it, so both wait for each other in one order.
          yield* queue.withdraw(partition, Run.topic, id)
          const stored = yield* changes.find(partition, id)
          return yield* changes.move(partition, stored, RunEvent.CancelRequested())
        })
      )
      .pipe(
        Effect.catchTags({
          InvalidTransition: ({ from }) => conflict(`Run ${id} is already ${from}`),
          RevisionConflict: () => Writers.metAnother("Run", id)
        })
      )
    yield* queue.nudge(cancelTopic)
    return canceled.value
  })

  const replan = Effect.fnUntraced(function* (partition: Partition, run: Run.Run, maxCostUsd: number) {
    const version = yield* readyVersion(partition, run.datasetVersion)
    const budgetMicros = yield* Effect.fromResult(checkBudget(maxCostUsd, run.dryRun))
    if (!run.dryRun && budgetMicros <= run.totals.costMicros) {
      return yield* invalid("budget.max_cost_usd", "The budget must be above what the run has already spent")
    }
    if (budgetMicros === run.budgetMicros) return run
    const hash = yield* hashOf(version.contentSha256, run, maxCostUsd)
    return { ...run, budgetMicros, planHash: hash, validatedDryRun: null }
  })

  const retry = Effect.fn("Runs.retry")(function* (partition: Partition, id: string, request: RetryRequest) {
    const now = yield* Clock.currentTimeMillis
    const retried = yield* storage
      .transaction(
        Effect.gen(function* () {
          const stored = yield* changes.find(partition, id)
          yield* Effect.fromResult(check(stored.value, "Retried"))
          const fromStage = yield* Effect.fromResult(checkRetry(stored.value, request.fromStage))
          const planned =
            request.maxCostUsd === null ? stored.value : yield* replan(partition, stored.value, request.maxCostUsd)
          yield* queue.offer(partition, Run.topic, id, now)
          yield* queue.nudge(Run.topic)
          return yield* changes.move(partition, { ...stored, value: planned }, RunEvent.Retried({ fromStage }))
        })
      )
      .pipe(
        Effect.catchTags({
          InvalidTransition: ({ from }) => conflict(`Run ${id} is ${from}; only a failed or canceled run is retried`),
          RevisionConflict: () => Writers.metAnother("Run", id)
        })
      )
    return retried.value
  })

  return Runs.of({
    create,
    cancel,
    retry,
    get: Effect.fn("Runs.get")(function* (partition: Partition, id: string) {
      return (yield* changes.find(partition, id)).value
    }),
    page: (partition, filter, request) => resources.page(partition, Run.kind, labelsOf(filter), request)
  })
})

export const layer: Layer.Layer<
  Runs,
  never,
  Storage | ResourceStore | RunRecords | Queue | Events | Ids | Executors | Catalog | Digest
> = Layer.effect(Runs, make)
