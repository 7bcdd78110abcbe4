/** A loop as lists show it, and as its own page does: with the latest of what belongs to it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Loop } from "@limbeck/distill/loop/Loop"
import type { Latest, LatestOne } from "./Loops.ts"

export const render = (partition: Partition, loop: Loop) => ({
  id: loop.id,
  object: "distill_loop" as const,
  livemode: partition.livemode,
  name: loop.name,
  description: loop.description,
  created_at: toIso(loop.createdAt),
  updated_at: toIso(loop.updatedAt)
})

const renderOne = (one: LatestOne | null) =>
  one === null ? null : { id: one.id, status: one.status, created_at: toIso(one.createdAt) }

export const renderWithLatest = (partition: Partition, loop: Loop, latest: Latest) => ({
  ...render(partition, loop),
  latest: {
    upload: renderOne(latest.upload),
    dataset_version: renderOne(latest.datasetVersion),
    run: renderOne(latest.run),
    report: renderOne(latest.report),
    deployment: renderOne(latest.deployment)
  }
})
