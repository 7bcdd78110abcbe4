/** Runs as callers see them: create, read, cancel, retry. The work itself is the scheduler's. */
import type { QuotaExceeded } from "@limbeck/billing/Errors"
import type { Ledger } from "@limbeck/billing/ledger/Ledger"
import type {
  ChangedMeanwhile,
  InvalidInput,
  NotFound,
  ReferenceUnknown,
  StorageError
} from "@limbeck/core/errors/Errors"
import type { Events } from "@limbeck/core/events/Events"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KnownVersions from "../dataset/internal/KnownVersions.ts"
import {
  type BudgetTooSmall,
  type NoExecutor,
  type PlanHashMismatch,
  type RehearsalUnusable,
  RunEnded,
  RunNotRetryable,
  type StageNotRetryable,
  type VersionUnusable
} from "../Errors.ts"
import type { Candidates } from "../race/Candidates.ts"
import type { HostedModels } from "../race/HostedModels.ts"
import type { StudentCatalog } from "../recipe/StudentCatalog.ts"
import type { StudentProbe } from "../recipe/StudentProbe.ts"
import type { ModelServers } from "../student/ModelServers.ts"
import type { EndpointExecutor, Executors } from "./Executor.ts"
import * as RunChanges from "./internal/RunChanges.ts"
import * as RunPlanner from "./internal/RunPlanner.ts"
import { checkRetry } from "./internal/RunRules.ts"
import * as Run from "./Run.ts"
import { check, RunEvent } from "./RunMachine.ts"
import type { RunRecords } from "./RunRecords.ts"
import type { RunRequest } from "./RunRequest.ts"
import type { RunResource } from "./RunResource.ts"

export interface RunFilter {
  readonly status: Run.RunStatus | null
  readonly dryRun: boolean | null
  readonly datasetVersion: string | null
}

export interface RetryRequest {
  /** Null: the first stage that has no result. */
  readonly fromStage: number | null
  /** Null: as before. */
  readonly maxCostUsd: number | null
}

export interface CreatedRun {
  readonly run: Run.Run
  /** The run as its event shows it. */
  readonly resource: RunResource
}

export class Runs extends Context.Service<
  Runs,
  {
    readonly create: (
      partition: Partition,
      request: RunRequest
    ) => Effect.Effect<
      CreatedRun,
      | InvalidInput
      | ReferenceUnknown
      | NotFound
      | VersionUnusable
      | RehearsalUnusable
      | PlanHashMismatch
      | NoExecutor
      | QuotaExceeded
      | StorageError
    >
    readonly get: (partition: Partition, id: string) => Effect.Effect<Run.Run, NotFound | StorageError>
    readonly page: (
      partition: Partition,
      filter: RunFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Run.Run>, StorageError>
    /** Ends the run at once; its worker is notified and stops. */
    readonly cancel: (
      partition: Partition,
      id: string
    ) => Effect.Effect<Run.Run, NotFound | RunEnded | ChangedMeanwhile | StorageError>
    readonly retry: (
      partition: Partition,
      id: string,
      request: RetryRequest
    ) => Effect.Effect<
      Run.Run,
      | InvalidInput
      | NotFound
      | VersionUnusable
      | RunNotRetryable
      | StageNotRetryable
      | BudgetTooSmall
      | QuotaExceeded
      | ChangedMeanwhile
      | StorageError
    >
  }
>()("@limbeck/distill/run/Runs") {}

/** Rung when a run was canceled, so that its worker checks its lease at once. */
export const cancelTopic = "run_canceled"

const labelsOf = (filter: RunFilter): ReadonlyArray<string> => [
  ...(filter.status === null ? [] : [`status:${filter.status}`]),
  ...(filter.dryRun === null ? [] : [`dry_run:${filter.dryRun}`]),
  ...(filter.datasetVersion === null ? [] : [`dataset_version:${filter.datasetVersion}`])
]

/** Written with its work item, its first state and its event, or not at all. */
const makeCreate = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const changes = yield* RunChanges.make
  const planner = yield* RunPlanner.make

  return Effect.fnUntraced(function* (partition: Partition, request: RunRequest) {
    const run = yield* planner.newRun(partition, request)
    return yield* storage.transaction(
      Effect.gen(function* () {
        // Without a plan it waits for the end of its version, whose builder offers it.
        if (run.awaitsVersion === undefined) {
          yield* queue.offer(partition, Run.topic, run.id, run.createdAt)
          yield* queue.nudge(Run.topic)
        }
        // Last, because publishing events may wait for other writers.
        return yield* changes.insert(partition, run)
      })
    )
  }, Trace.traceSpan("Runs.create"))
})

const makeCancel = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const changes = yield* RunChanges.make

  return Effect.fn("Runs.cancel")(function* (partition: Partition, id: string) {
    const canceled = yield* storage
      .transaction(
        Effect.gen(function* () {
          // First the work item: a worker locks it before the run too, so the two never wait for each other in a circle.
          yield* queue.withdraw(partition, Run.topic, id)
          const stored = yield* changes.find(partition, id)
          return yield* changes.move(partition, stored, RunEvent.CancelRequested())
        })
      )
      .pipe(
        Effect.catchTags({
          InvalidTransition: ({ from }) => new RunEnded({ id, status: from }),
          RevisionConflict: () => Writers.concurrentChange(Run.kind, id)
        })
      )
    yield* queue.nudge(cancelTopic)
    return canceled.value
  })
})

const makeRetry = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const changes = yield* RunChanges.make
  const planner = yield* RunPlanner.make

  return Effect.fn("Runs.retry")(function* (partition: Partition, id: string, { fromStage, maxCostUsd }: RetryRequest) {
    const now = yield* Clock.currentTimeMillis
    const retried = yield* storage
      .transaction(
        Effect.gen(function* () {
          const stored = yield* changes.find(partition, id)
          yield* Effect.fromResult(check(stored.value, "Retried"))
          const firstStage = yield* Effect.fromResult(checkRetry(stored.value, fromStage))
          const value =
            maxCostUsd === null ? stored.value : yield* planner.withBudget(partition, stored.value, maxCostUsd)
          const topic = value.awaitsVersion === undefined ? Run.topic : Run.planTopic
          yield* queue.offer(partition, topic, id, now)
          yield* queue.nudge(topic)
          return yield* changes.restart(partition, { ...stored, value }, RunEvent.Retried({ fromStage: firstStage }))
        })
      )
      .pipe(
        Effect.catchTags({
          InvalidTransition: ({ from }) => new RunNotRetryable({ id, status: from }),
          RevisionConflict: () => Writers.concurrentChange(Run.kind, id)
        })
      )
    return retried.value
  })
})

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const changes = yield* RunChanges.make

  return Runs.of({
    create: yield* makeCreate,
    cancel: yield* makeCancel,
    retry: yield* makeRetry,
    get: (partition, id) => Effect.map(changes.find(partition, id), ({ value }) => value),
    page: (partition, filter, request) => resources.page(partition, Run.kind, labelsOf(filter), request)
  })
})

export const layer: Layer.Layer<
  Runs,
  never,
  | Storage
  | ResourceStore
  | RunRecords
  | Queue
  | Events
  | Ids
  | Ledger
  | EndpointExecutor
  | Executors
  | StudentProbe
  | StudentCatalog
  | Digest
  | ModelServers
  | Candidates
  | HostedModels
> = Layer.provide(Layer.effect(Runs, make), KnownVersions.layer)
