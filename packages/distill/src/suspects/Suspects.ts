/** The suspects of versions for callers: train rows whose answers look wrong. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Page } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Datasets, type RowsRequest } from "../dataset/Datasets.ts"
import { RowStore, type StoredRow } from "../dataset/RowStore.ts"
import { SuspectsUnknown, VersionNotReady } from "../Errors.ts"
import * as SuspectList from "./SuspectList.ts"

export class Suspects extends Context.Service<
  Suspects,
  {
    /** Suspects of a ready, examined version; the most suspicious row first. */
    readonly page: (
      partition: Partition,
      version: string,
      request: Omit<RowsRequest, "split">
    ) => Effect.Effect<Page<StoredRow>, NotFound | VersionNotReady | SuspectsUnknown | StorageError>
  }
>()("@limbeck/distill/suspects/Suspects") {}

const make = Effect.gen(function* () {
  const datasets = yield* Datasets
  const resources = yield* ResourceStore
  const rowStore = yield* RowStore

  const page: Suspects["Service"]["page"] = Effect.fn("Suspects.page")(function* (partition, id, request) {
    const { status } = yield* datasets.getVersion(partition, id)
    if (status !== "ready") return yield* new VersionNotReady({ id, status })
    const list = yield* resources.find(partition, SuspectList.kind, id)
    if (Option.isNone(list)) return yield* new SuspectsUnknown({ id })
    return yield* rowStore.page(partition, SuspectList.rowsOf(list.value.value), { ...request, split: null })
  })

  return Suspects.of({ page })
})

export const layer: Layer.Layer<Suspects, never, Datasets | ResourceStore | RowStore> = Layer.effect(Suspects, make)
