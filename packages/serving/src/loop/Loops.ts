/** Loops for callers: created, read with their latest resources, renamed. */
import type { ChangedMeanwhile, NotFound, StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import { firstPage, type Page, type PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import * as Loop from "@limbeck/distill/loop/Loop"
import * as LoopLabel from "@limbeck/distill/loop/LoopLabel"
import * as Report from "@limbeck/distill/report/Report"
import * as Run from "@limbeck/distill/run/Run"
import * as Upload from "@limbeck/distill/upload/Upload"
import * as UploadMachine from "@limbeck/distill/upload/UploadMachine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployment from "../deployment/Deployment.ts"

export interface NewLoop {
  readonly name: string
  readonly description?: string | null | undefined
}

export interface LoopPatch {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface LatestOne {
  readonly id: string
  readonly status: string
  readonly createdAt: number
}

/** The newest of each kind that belongs to a loop. */
export interface Latest {
  readonly upload: LatestOne | null
  readonly datasetVersion: LatestOne | null
  readonly run: LatestOne | null
  /** Of the newest run that has one. */
  readonly report: LatestOne | null
  readonly deployment: LatestOne | null
}

export class Loops extends Context.Service<
  Loops,
  {
    readonly create: (partition: Partition, request: NewLoop) => Effect.Effect<Loop.Loop, StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Loop.Loop, NotFound | StorageError>
    readonly latest: (partition: Partition, id: Loop.LoopId) => Effect.Effect<Latest, StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Loop.Loop>, StorageError>
    /** Missing fields stay unchanged. */
    readonly update: (
      partition: Partition,
      id: string,
      patch: LoopPatch
    ) => Effect.Effect<Loop.Loop, NotFound | ChangedMeanwhile | StorageError>
  }
>()("@limbeck/serving/loop/Loops") {}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids

  const newest = <A extends Kind.Resource>(partition: Partition, kind: Kind.Kind<A>, labels: ReadonlyArray<string>) =>
    Effect.map(resources.page(partition, kind, labels, firstPage(1)), ({ items: [first] }) => first ?? null)

  /** A run has a report exactly when it has succeeded. */
  const newestReport = Effect.fnUntraced(function* (partition: Partition, loop: string) {
    const run = yield* newest(partition, Run.kind, [loop, "status:succeeded"])
    if (run === null || run.report === null) return null
    const report = Option.getOrNull(yield* resources.find(partition, Report.kind, run.report))
    return report === null ? null : { ...report.value, status: "ready" }
  })

  const latest = Effect.fn("Loops.latest")(function* (partition: Partition, id: Loop.LoopId) {
    const label = LoopLabel.of(id)
    const now = yield* Clock.currentTimeMillis
    const upload = yield* newest(partition, Upload.kind, [label])
    return {
      upload: upload === null ? null : UploadMachine.at(upload, now),
      datasetVersion: yield* newest(partition, DatasetVersion.kind, [label]),
      run: yield* newest(partition, Run.kind, [label]),
      report: yield* newestReport(partition, label),
      deployment: yield* newest(partition, Deployment.kind, [label])
    }
  })

  const create = Effect.fn("Loops.create")(function* (partition: Partition, { description, name }: NewLoop) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.make("loop")
    const loop: Loop.Loop = { id, name, description: description ?? null, createdAt: now, updatedAt: now }
    yield* resources.add(partition, Loop.kind, loop)
    return loop
  })

  const update = Effect.fn("Loops.update")(function* (partition: Partition, id: string, patch: LoopPatch) {
    const { revision, value } = yield* Resources.require(resources, partition, Loop.kind, id)
    const loop: Loop.Loop = {
      ...value,
      name: patch.name ?? value.name,
      description: patch.description === undefined ? value.description : patch.description,
      updatedAt: yield* Clock.currentTimeMillis
    }
    yield* resources.compareAndSet(partition, Loop.kind, { value: loop, revision })
    return loop
  })

  return Loops.of({
    create,
    latest,
    get: (partition: Partition, id: string) => Resources.requireValue(resources, partition, Loop.kind, id),
    page: (partition: Partition, request: PageRequest) => resources.page(partition, Loop.kind, [], request),
    update: (partition, id, patch) => Writers.inTurn(Loop.kind, id)(update(partition, id, patch))
  })
})

export const layer: Layer.Layer<Loops, never, ResourceStore | Ids> = Layer.effect(Loops, make)
