/** Runs on memory storage, driven by an executor that says what a test tells it to. */

import * as Ledger from "@limbeck/billing/ledger/Ledger"
import * as ChatCompletions from "@limbeck/capture/source/ChatCompletions"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as StudentCatalog from "@limbeck/distill/recipe/StudentCatalog"
import * as StudentProbe from "@limbeck/distill/recipe/StudentProbe"
import * as Report from "@limbeck/distill/report/Report"
import * as Rewards from "@limbeck/distill/reward/Rewards"
import * as Budget from "@limbeck/distill/run/Budget"
import {
  EndpointExecutor,
  type Executor,
  Executors,
  endpointName,
  Progress,
  type StageContext,
  StageFailure
} from "@limbeck/distill/run/Executor"
import * as Run from "@limbeck/distill/run/Run"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import type { CompleteRequest, RunRequest } from "@limbeck/distill/run/RunRequest"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import * as Runs from "@limbeck/distill/run/Runs"
import * as ModelServers from "@limbeck/distill/student/ModelServers"
import * as Crypto from "@limbeck/node/Crypto"
import * as RewardTools from "@limbeck/node/reward/RewardTools"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { request, version } from "@limbeck/testing/fixtures/Plans"
import * as World from "@limbeck/testing/World"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Candidates from "../../src/race/Candidates.ts"
import * as HostedModels from "../../src/race/HostedModels.ts"
import * as StageDriver from "../../src/run/internal/StageDriver.ts"

/** The executor's script for each stage, and its received contexts. */
export class Script extends Context.Service<
  Script,
  { say: Executor["execute"]; readonly heard: Array<StageContext>; stopped: number }
>()("test/Script") {}

export const log = (message: string) => Progress.Log({ level: "info", message })
export const metric = (step: number, value: number) => Progress.Metric({ name: "loss", unit: "nats", step, value })
export const done = (result: Schema.Json = null) => Progress.Finished({ outcome: "succeeded", result })

/** A free checkpoint of a stage, with its stored form. */
export const remembered = (state: Schema.Json) => ({ state, usage: Budget.noUsage })
export const checkpoint = (state: Schema.Json) => Progress.Checkpoint(remembered(state))

/** Logs a line and finishes. A dry run publishes nothing. */
export const plain: Executor["execute"] = ({ run, stage }) =>
  Stream.make<Array<Progress>>(
    log(`${stage.kind} ${stage.attempt}`),
    stage.kind === "publish" && run.dryRun
      ? Progress.Finished({ outcome: "skipped", result: null })
      : done({ made: stage.kind })
  )

/** At this stage something else; at all others `plain`. */
export const at =
  (kind: string, say: Executor["execute"]): Executor["execute"] =>
  (context) =>
    context.stage.kind === kind ? say(context) : plain(context)

export const failing = (retryable: boolean, message = "Out of memory") =>
  Stream.fail(new StageFailure({ code: "oom", message, retryable }))

const scripted = Layer.effect(
  Executors,
  Effect.map(Script, (script) => {
    const executor: Executor = {
      name: "scripted",
      execute: (context) => {
        script.heard.push(context)
        return Stream.ensuring(
          script.say(context),
          Effect.sync(() => script.stopped++)
        )
      }
    }
    return Executors.of({
      choose: ({ dryRun, engine }) =>
        dryRun || engine === "builtin" ? Result.succeed(executor) : Result.fail("Install a trainer"),
      find: (name) => (name === executor.name ? executor : undefined)
    })
  })
)

/** Nobody here evaluates students of elsewhere. */
const endpoint = Layer.succeed(EndpointExecutor, { name: endpointName, execute: () => failing(false, "Not here") })

const rewards = Rewards.layer.pipe(
  Layer.provide([World.secrets, ChatCompletions.none]),
  Layer.provide(RewardTools.layer({ policy: { allowed: [] } }))
)

const baseOn = <E>(storage: Layer.Layer<Layer.Success<typeof StorageMemory.layer>, E>) =>
  Layer.mergeAll(
    rewards,
    StudentCatalog.layer(),
    scripted,
    endpoint,
    ModelServers.none,
    Candidates.none(() => Effect.succeedNone),
    HostedModels.none,
    StudentProbe.layerUnmeasured
  ).pipe(
    Layer.provideMerge(Layer.merge(storage, Ids.layer)),
    Layer.provideMerge(Layer.sync(Script, () => ({ say: plain, heard: [], stopped: 0 }))),
    Layer.provideMerge(Crypto.layer)
  )

/** A fresh world on this storage for each test. */
export const worldOn = <E>(storage: Layer.Layer<Layer.Success<typeof StorageMemory.layer>, E>) =>
  Layer.mergeAll(Runs.layer, RunScheduler.layer).pipe(
    Layer.provideMerge(Ledger.layer),
    Layer.provideMerge(World.events),
    Layer.provideMerge(baseOn(storage))
  )

export const world = worldOn(StorageMemory.layer)

/** A scheduler of another process on the same storage. */
export const anotherScheduler = Effect.map(Layer.build(Layer.fresh(RunScheduler.layer)), (context) =>
  Context.get(context, RunScheduler.RunScheduler)
)

export const { live, test, stranger } = World

export const stored = Effect.fnUntraced(function* (
  fields: Partial<DatasetVersion.DatasetVersion> = {},
  partition = live
) {
  const made = version(fields)
  yield* (yield* ResourceStore).insert(partition, DatasetVersion.kind, made)
  return made
})

/** A run on a new version. */
export const created = Effect.fnUntraced(function* (
  fields: Partial<Omit<CompleteRequest, "recipe">> = {},
  partition = live
) {
  const { id } = yield* stored({}, partition)
  return yield* create(request(id, fields), partition)
})

/** A scripted run, driven as far as possible at once. */
export const driven = Effect.fnUntraced(function* (
  fields: Partial<Omit<CompleteRequest, "recipe">> = {},
  partition = live
) {
  const { id } = yield* created(fields, partition)
  yield* (yield* RunScheduler.RunScheduler).runOnce
  return yield* read(id, partition)
})

export const say = (execute: Executor["execute"]) =>
  Effect.map(Script, (script) => {
    script.say = execute
  })

/** Runs fibers that need no time. The clock waits only for fibers that it wakes itself. */
const settled = Effect.repeat(Effect.yieldNow, { times: 1_000 })

/** Time passes; what is due by then is done. */
export const pass = (time: Duration.Input) => Effect.andThen(settled, Effect.andThen(TestClock.adjust(time), settled))

export const create = (asked: RunRequest, partition = live) =>
  Effect.flatMap(Runs.Runs, (runs) => Effect.map(runs.create(partition, asked), ({ run }) => run))

export const retry = (
  id: string,
  fromStage: number | null = null,
  maxCostUsd: number | null = null,
  partition = live
) => Effect.flatMap(Runs.Runs, (runs) => runs.retry(partition, id, { fromStage, maxCostUsd }))

export const cancel = (id: string, partition = live) => Effect.flatMap(Runs.Runs, (runs) => runs.cancel(partition, id))

export const read = (id: string, partition = live) => Effect.flatMap(Runs.Runs, (runs) => runs.get(partition, id))

/** What a run's event shows of it. */
export interface EventRecord {
  readonly type: string
  readonly object: { readonly id: string; readonly status: string; readonly run?: string }
}

/** Oldest first. */
export const told = Effect.fnUntraced(function* (partition = live) {
  const events = yield* World.eventsOf(partition)
  return events.map(
    ({ body, type }): EventRecord => ({ type: type.replace("distill.", ""), object: JSON.parse(body).data.object })
  )
})

export const typesTold = (partition = live) => Effect.map(told(partition), (events) => events.map(({ type }) => type))

export const linesOf = (id: string, partition = live) =>
  Effect.flatMap(RunRecords, (records) => records.logs(partition, id, { stage: null, after: 0, limit: 1_000 }))

export const { failureOf } = World

export const runOnce = Effect.flatMap(RunScheduler.RunScheduler, (scheduler) => scheduler.runOnce)
export const forever = Effect.flatMap(RunScheduler.RunScheduler, (scheduler) => scheduler.forever)

export const reports = Effect.flatMap(ResourceStore, (store) =>
  Effect.map(store.page(live, Report.kind, [], Page.firstPage(100)), ({ items }) => items)
)

export const messages = (id: string, partition = live) =>
  Effect.map(linesOf(id, partition), (lines) => lines.map(({ message }) => message))

export const stageOf = (run: Run.Run, kind: string) => run.stages.find((stage) => stage.kind === kind)

/** The error logs under `layer`. */
export const logged = Effect.sync(() => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Error") lines.push(String(message))
  })
  return { lines, layer: Logger.layer([logger]) }
})

/** A worker that holds a run and does not prolong its lease: it seems dead to all others. */
export const silentWorker = Effect.gen(function* () {
  const queue = yield* Queue
  const now = yield* Clock.currentTimeMillis
  const [work] = yield* queue.claim({ topic: Run.topic, now, limit: 1, leaseUntil: now + DistillLimits.leaseMillis })
  if (work === undefined) return yield* Effect.die("expected a run that is due")
  const driver = yield* StageDriver.make
  return { work, drive: driver.drive(work) }
})
