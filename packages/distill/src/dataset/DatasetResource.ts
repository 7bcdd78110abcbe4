/** A dataset in the form of its GET (contract 6). */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Dataset } from "./internal/Dataset.ts"

export const DatasetResource = Schema.Struct({
  id: idOf("ds"),
  object: Schema.Literal("dataset"),
  livemode: Schema.Boolean,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  loop: Schema.NullOr(idOf("loop")),
  created_at: Timestamp
}).annotate({ identifier: "Dataset" })

export const render = Rendered.memoize(
  Rendered.by(DatasetResource, (partition: Partition, dataset: Dataset) => ({
    id: dataset.id,
    object: "dataset",
    livemode: partition.livemode,
    name: dataset.name,
    description: dataset.description,
    loop: dataset.loop,
    created_at: toIso(dataset.createdAt)
  }))
)
