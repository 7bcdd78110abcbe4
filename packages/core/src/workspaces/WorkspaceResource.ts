/** A workspace as its GET shows it. It belongs to both modes, and shows the one of the asker. */
import * as Schema from "effect/Schema"
import type { Partition } from "../partition/Partition.ts"
import * as Rendered from "../resources/Rendered.ts"
import { Timestamp } from "../resources/WireSchemas.ts"
import { toIso } from "../time/Timestamp.ts"
import type { Workspace } from "./internal/Workspace.ts"

export const WorkspaceResource = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("workspace"),
  livemode: Schema.Boolean,
  name: Schema.String,
  plan: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Workspace" })

export const render = Rendered.by(
  WorkspaceResource,
  ({ livemode }: Partition, { createdAt, id, name, plan, updatedAt = createdAt }: Workspace) => ({
    id,
    object: "workspace",
    livemode,
    name,
    plan,
    created_at: toIso(createdAt),
    updated_at: toIso(updatedAt)
  })
)
