/** A dataset as its GET shows it (contract 6). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Dataset } from "./internal/Dataset.ts"

export const render = Rendered.once((partition: Partition, dataset: Dataset) => ({
  id: dataset.id,
  object: "dataset" as const,
  livemode: partition.livemode,
  name: dataset.name,
  description: dataset.description,
  loop: dataset.loop,
  created_at: toIso(dataset.createdAt)
}))
