/** A workspace as its GET shows it. It belongs to both modes, and shows the one of the asker. */
import type { Partition } from "../partition/Partition.ts"
import { toIso } from "../time/Timestamp.ts"
import type { Workspace } from "./internal/Workspace.ts"

export const render = ({ livemode }: Partition, { createdAt, id, name, plan, updatedAt = createdAt }: Workspace) => ({
  id,
  object: "workspace" as const,
  livemode,
  name,
  plan,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt)
})
