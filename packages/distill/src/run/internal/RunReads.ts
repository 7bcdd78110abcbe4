/** What a worker reads of claimed runs: the runs of one claim by one look-up for each partition, and versions once. */

import { BoundedCache, entries } from "@limbeck/core/cache/BoundedCache"
import { type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import * as Gathered from "@limbeck/core/queue/Gathered"
import type { Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as DatasetVersion from "../../dataset/DatasetVersion.ts"
import { DistillLimits } from "../../Limits.ts"
import * as Run from "../Run.ts"

type RunLookup = Exit.Exit<StoredResource<Run.Run>, NotFound | StorageError>

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const versions = new BoundedCache<string, DatasetVersion.DatasetVersion>(entries(DistillLimits.versionsKeptMax))

  const runsOf = Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
    const groups = Map.groupBy(works, ({ partition }) => partition.key)
    const found = yield* Effect.forEach(
      groups.values(),
      // A group is never empty.
      (group) =>
        resources.findMany(
          group[0]!.partition,
          Run.kind,
          group.map(({ subject }) => subject)
        ),
      { concurrency: "unbounded" }
    )
    const runs = new Map(found.flat().map((run) => [run.value.id as string, run]))
    return works.map(({ subject }): RunLookup => {
      const run = runs.get(subject)
      return run === undefined ? Exit.fail(notFound(Run.kind.noun, subject)) : Exit.succeed(run)
    })
  })

  return {
    /** The run of a work item. */
    runOf: yield* Gathered.make<Work, StoredResource<Run.Run>, NotFound | StorageError>({
      perform: runsOf,
      togetherMax: Pools.runs.size
    }),
    /** A version is never removed, so a run without one is our defect. */
    versionOf: ({ datasetVersion: id }: Run.Run, partition: Partition) =>
      versions.lookup(
        `${partition.key} ${id}`,
        ({ status }) => status === "ready",
        Effect.catchTag(Resources.requireValue(resources, partition, DatasetVersion.kind, id), "NotFound", Effect.die)
      )
  } as const
})
