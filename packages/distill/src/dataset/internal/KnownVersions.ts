/** Dataset versions by id. A ready version never changes, so recently used ones are cached. */
import { BoundedCache, entries } from "@limbeck/core/cache/BoundedCache"
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
    /** `field`: the request field with the id, if the id is not in the path. */
    readonly get: (
      partition: Partition,
      id: string,
      field?: string
    ) => Effect.Effect<DatasetVersion.DatasetVersion, NotFound | StorageError>
  }
>()("@limbeck/distill/dataset/KnownVersions") {}

/** One instance per process, shared by its users. */
export const layer: Layer.Layer<KnownVersions, never, ResourceStore> = Layer.effect(
  KnownVersions,
  Effect.map(ResourceStore, (resources) => {
    const versions = new BoundedCache<string, DatasetVersion.DatasetVersion>(entries(DistillLimits.versionsKeptMax))
    return KnownVersions.of({
      get: (partition, id, field) =>
        versions.lookup(
          `${partition.key} ${id}`,
          ({ status }) => status === "ready",
          Resources.requireValue(resources, partition, DatasetVersion.kind, id, field)
        )
    })
  })
)
