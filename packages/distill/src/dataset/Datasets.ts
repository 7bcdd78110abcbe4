/** Datasets and their versions for callers. The version builder builds a version, which is immutable afterwards. */
import {
  type InvalidInput,
  invalid,
  type NotFound,
  type ReferenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Characters from "@limbeck/core/text/Characters"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ContentNotReady, ContentRemoved, VersionNotReady } from "../Errors.ts"
import { DistillLimits } from "../Limits.ts"
import * as KnownLoops from "../loop/internal/KnownLoops.ts"
import * as Pull from "../pull/Pull.ts"
import type { Candidates } from "../race/Candidates.ts"
import * as RelabelRequest from "../suspects/RelabelRequest.ts"
import * as Upload from "../upload/Upload.ts"
import { CallRows } from "./CallRows.ts"
import type { CallsFilter } from "./CallsFilter.ts"
import * as DatasetVersion from "./DatasetVersion.ts"
import * as Dataset from "./internal/Dataset.ts"
import * as KnownVersions from "./internal/KnownVersions.ts"
import type { Split } from "./Row.ts"
import { RowStore, type StoredRow } from "./RowStore.ts"
import type { RedactionKind } from "./redaction/Redaction.ts"

export interface DatasetRequest {
  readonly name: string
  readonly description?: string
  readonly loop?: string
}

export interface VersionRequest {
  /** `calls.source`: by name or id. */
  readonly from: (
    | { readonly upload: string }
    | { readonly pull: string }
    | { readonly calls: CallsFilter }
    | { readonly versions: ReadonlyArray<string> }
  ) & {
    /** Ready versions whose rows are joined. */
    readonly versions?: ReadonlyArray<string>
  }
  /** 0 to 0.5; by default 0.1. */
  readonly holdoutFraction?: number
  /** By default `exact`. */
  readonly dedupe?: DatasetVersion.DatasetVersion["dedupe"]
  /** By default nothing. */
  readonly redact?: ReadonlyArray<RedactionKind>
  /** By default 0. */
  readonly seed?: number
  /** By default the build examines no row. */
  readonly clean?: NonNullable<DatasetVersion.DatasetVersion["clean"]>
  /** Given with `clean: "relabel"`, and only then. */
  readonly relabel?: RelabelRequest.RelabelRequest
}

export interface RowsRequest {
  readonly split: Split | null
  /** The key after which the page begins; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export class Datasets extends Context.Service<
  Datasets,
  {
    readonly create: (
      partition: Partition,
      request: DatasetRequest
    ) => Effect.Effect<Dataset.Dataset, InvalidInput | NotFound | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Dataset.Dataset, NotFound | StorageError>
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Dataset.Dataset>, StorageError>
    /** A version that is going to be built from a succeeded upload or pull, or from the calls captured until now. */
    readonly createVersion: (
      partition: Partition,
      dataset: string,
      request: VersionRequest
    ) => Effect.Effect<
      DatasetVersion.DatasetVersion,
      InvalidInput | ReferenceUnknown | NotFound | ContentNotReady | ContentRemoved | VersionNotReady | StorageError
    >
    readonly versions: (
      partition: Partition,
      dataset: string,
      request: PageRequest
    ) => Effect.Effect<Page<DatasetVersion.DatasetVersion>, NotFound | StorageError>
    readonly getVersion: (
      partition: Partition,
      id: string
    ) => Effect.Effect<DatasetVersion.DatasetVersion, NotFound | StorageError>
    /** Rows of a ready version, by ascending key. */
    readonly rows: (
      partition: Partition,
      version: string,
      request: RowsRequest
    ) => Effect.Effect<Page<StoredRow>, NotFound | VersionNotReady | StorageError>
    /** Streams all rows of a ready version as uploaded: one JSON line each, without its newline. */
    readonly exportRows: (
      partition: Partition,
      version: string,
      split: Split | null
    ) => Stream.Stream<string, NotFound | VersionNotReady | StorageError>
  }
>()("@limbeck/distill/dataset/Datasets") {}

/** The rules of a version that its types cannot say. */
const checkVersion = ({
  dedupe,
  from,
  holdoutFraction = 0,
  seed = 0
}: VersionRequest): Result.Result<void, InvalidInput> => {
  if (!(holdoutFraction >= 0 && holdoutFraction <= 0.5)) {
    return Result.fail(invalid("holdout_fraction", "The holdout fraction is from 0 to 0.5"))
  }
  if (from.versions !== undefined && dedupe === "none") {
    return Result.fail(invalid("dedupe", "A row that two joined versions have is one: send exact, or no versions"))
  }
  return Number.isSafeInteger(seed) ? Result.void : Result.fail(invalid("seed", "The seed is a whole number"))
}

const newVersion = (
  id: DatasetVersion.DatasetVersionId,
  dataset: Dataset.Dataset,
  source: DatasetVersion.RowsFrom,
  request: VersionRequest,
  now: number
): DatasetVersion.DatasetVersion => ({
  id,
  dataset: dataset.id,
  loop: dataset.loop,
  status: "building",
  source,
  holdoutFraction: request.holdoutFraction ?? 0.1,
  dedupe: request.dedupe ?? "exact",
  redact: [...new Set(request.redact)],
  seed: request.seed ?? 0,
  ...(request.clean === undefined ? {} : { clean: request.clean }),
  rows: 0,
  trainRows: 0,
  holdoutRows: 0,
  tokens: 0,
  contentSha256: null,
  dropped: { duplicates: 0, invalid: 0, redactions: 0, unsupported: 0 },
  droppedReasons: {},
  nearDuplicates: 0,
  profile: null,
  error: null,
  createdAt: now,
  updatedAt: now
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const rowStore = yield* RowStore
  const queue = yield* Queue
  const ids = yield* Ids
  const calls = yield* CallRows
  const known = yield* KnownVersions.KnownVersions
  const relabelOf = yield* RelabelRequest.make

  const getVersion = (partition: Partition, id: string) => known.get(partition, id)

  const get = (partition: Partition, id: string) => Resources.requireValue(resources, partition, Dataset.kind, id)

  const create = Effect.fn("Datasets.create")(function* (partition: Partition, request: DatasetRequest) {
    if (request.name.length === 0 || !Characters.areAtMost(request.name, DistillLimits.nameMax)) {
      return yield* invalid("name", `A name has 1 to ${DistillLimits.nameMax} characters`)
    }
    yield* KnownLoops.check(resources, partition, request.loop)
    const dataset: Dataset.Dataset = {
      id: yield* ids.make("ds"),
      name: request.name,
      description: request.description ?? null,
      loop: request.loop ?? null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, Dataset.kind, dataset)
    return dataset
  })

  /** A succeeded upload or pull with retained content. */
  const wholeContent = Effect.fnUntraced(function* <
    A extends Kind.Resource & { readonly status: string; readonly contentGoneAt?: number }
  >(partition: Partition, kind: Kind.Kind<A>, resource: "pull" | "upload", id: string) {
    const field = `from.${resource}`
    const content = yield* Resources.requireValue(resources, partition, kind, id, field)
    const { contentGoneAt, status } = content
    if (status !== "succeeded") return yield* new ContentNotReady({ resource, id, status, field })
    if (contentGoneAt !== undefined) return yield* new ContentRemoved({ resource, id, field })
    return content
  })

  const rowsOf = (upload: Upload.Upload) =>
    upload.format === "student_model"
      ? invalid("from.upload", `Upload ${upload.id} holds a student model and no rows`)
      : Effect.succeed(upload)

  /** A version needs complete content: an unfinished upload or pull is rejected. */
  const contentFrom = Effect.fnUntraced(function* (partition: Partition, from: VersionRequest["from"]) {
    if ("calls" in from) return { calls: yield* calls.resolve(partition, from.calls) }
    if ("pull" in from) return { pull: (yield* wholeContent(partition, Pull.kind, "pull", from.pull)).id }
    if (!("upload" in from)) return undefined
    return { upload: (yield* rowsOf(yield* wholeContent(partition, Upload.kind, "upload", from.upload))).id }
  })

  const joinedVersion = Effect.fnUntraced(function* (partition: Partition, id: string, field: string) {
    const version = yield* known.get(partition, id, field)
    return version.status === "ready" ? version.id : yield* new VersionNotReady({ id, status: version.status, field })
  })

  const rowsFrom = Effect.fnUntraced(function* (partition: Partition, from: VersionRequest["from"]) {
    const content = yield* contentFrom(partition, from)
    if (from.versions === undefined) return content ?? { versions: [] }
    const versions = yield* Effect.forEach(from.versions, (id, index) =>
      joinedVersion(partition, id, `from.versions[${index}]`)
    )
    return { ...content, versions: [...new Set(versions)] }
  })

  const createVersion = Effect.fn("Datasets.createVersion")(function* (
    partition: Partition,
    datasetId: string,
    request: VersionRequest
  ) {
    const dataset = yield* get(partition, datasetId)
    yield* Effect.fromResult(checkVersion(request))
    const source = yield* rowsFrom(partition, request.from)
    const relabel = yield* relabelOf(partition, request.clean, request.relabel)
    const now = yield* Clock.currentTimeMillis
    const traceparent = yield* Trace.current
    const version = {
      ...newVersion(yield* ids.make("dsv"), dataset, source, request, now),
      ...(relabel === undefined ? {} : { relabel }),
      ...(traceparent === null ? {} : { traceparent })
    }
    yield* storage.transaction(
      Effect.gen(function* () {
        yield* resources.add(partition, DatasetVersion.kind, version)
        yield* queue.offer(partition, DatasetVersion.topic, version.id, now)
        yield* queue.nudge(DatasetVersion.topic)
      })
    )
    return version
  })

  const versions = Effect.fnUntraced(function* (partition: Partition, dataset: string, request: PageRequest) {
    yield* get(partition, dataset)
    return yield* resources.page(partition, DatasetVersion.kind, [`dataset:${dataset}`], request)
  })

  /** Rows are visible only for a ready version. */
  const readyVersion = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const version = yield* getVersion(partition, id)
    return version.status === "ready" ? version : yield* new VersionNotReady({ id, status: version.status })
  })

  const rows = Effect.fn("Datasets.rows")(function* (partition: Partition, id: string, request: RowsRequest) {
    const version = yield* readyVersion(partition, id)
    return yield* rowStore.page(partition, version.id, request)
  })

  const exportRows = (partition: Partition, id: string, split: Split | null) =>
    Stream.unwrap(
      Effect.map(readyVersion(partition, id), (version) =>
        Stream.map(rowStore.scan(partition, version.id, split), ({ body }) => body)
      )
    )

  const page = (partition: Partition, request: PageRequest) => resources.page(partition, Dataset.kind, [], request)

  return Datasets.of({ create, get, page, createVersion, versions, getVersion, rows, exportRows })
})

export const layer: Layer.Layer<
  Datasets,
  never,
  Storage | ResourceStore | RowStore | Queue | Ids | CallRows | Candidates
> = Layer.provide(Layer.effect(Datasets, make), KnownVersions.layer)
