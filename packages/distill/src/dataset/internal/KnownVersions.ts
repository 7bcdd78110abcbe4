/** Dataset versions by id. One that is ready never changes again: the last ones that were asked for are kept. */
import * as Final from "@limbeck/core/cache/Final"
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DistillLimits } from "../../Limits.ts"
import * as DatasetVersion from "../DatasetVersion.ts"

export class KnownVersions extends Context.Service<
  KnownVersions,
  {
    /** `field`: the field of the request that names it, where the request is not addressed to it. */
    readonly get: (
      partition: Partition,
      id: string,
      field?: string
    ) => Effect.Effect<DatasetVersion.DatasetVersion, NotFound | StorageError>
  }
>()("@limbeck/distill/dataset/KnownVersions") {}

/** One per process: layers that are given it share it. */
export const layer: Layer.Layer<KnownVersions, never, ResourceStore> = Layer.effect(
  KnownVersions,
  Effect.map(ResourceStore, (resources) => {
    const ready = Final.make<DatasetVersion.DatasetVersion>(
      ({ status }) => status === "ready",
      DistillLimits.versionsKeptMax
    )
    return KnownVersions.of({
      get: (partition, id, field) =>
        ready.get(
          `${partition.key} ${id}`,
          Resources.requireValue(resources, partition, DatasetVersion.kind, id, field)
        )
    })
  })
)
