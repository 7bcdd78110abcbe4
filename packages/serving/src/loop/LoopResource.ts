/** A loop in lists, and on its own page with its latest resources. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Loop } from "@limbeck/distill/loop/Loop"
import * as Schema from "effect/Schema"
import type { Latest, LatestOne } from "./Loops.ts"

export const LoopResource = Schema.Struct({
  id: idOf("loop"),
  object: Schema.Literal("distill_loop"),
  livemode: Schema.Boolean,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Loop" })

const LatestResource = Schema.NullOr(Schema.Struct({ id: Schema.String, status: Schema.String, created_at: Timestamp }))

export const LoopWithLatestResource = Schema.Struct({
  ...LoopResource.fields,
  latest: Schema.Struct({
    upload: LatestResource,
    dataset_version: LatestResource,
    run: LatestResource,
    report: LatestResource,
    deployment: LatestResource
  })
}).annotate({ identifier: "LoopWithLatest", description: "`latest` has the newest of each kind that names the loop" })

export const render = Rendered.by(LoopResource, (partition: Partition, loop: Loop) => ({
  id: loop.id,
  object: "distill_loop",
  livemode: partition.livemode,
  name: loop.name,
  description: loop.description,
  created_at: toIso(loop.createdAt),
  updated_at: toIso(loop.updatedAt)
}))

const renderOne = Rendered.by(LatestResource, (one: LatestOne | null) =>
  one === null ? null : { id: one.id, status: one.status, created_at: toIso(one.createdAt) }
)

export const renderWithLatest = Rendered.by(
  LoopWithLatestResource,
  (partition: Partition, loop: Loop, latest: Latest) => ({
    ...render(partition, loop),
    latest: {
      upload: renderOne(latest.upload),
      dataset_version: renderOne(latest.datasetVersion),
      run: renderOne(latest.run),
      report: renderOne(latest.report),
      deployment: renderOne(latest.deployment)
    }
  })
)
