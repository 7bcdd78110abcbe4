/** A workspace: the tenant that everything belongs to. */
import * as Schema from "effect/Schema"
import { WorkspaceId } from "../../ids/Id.ts"
import * as Kind from "../../resources/Kind.ts"
import { Millis } from "../../time/Timestamp.ts"

export const Workspace = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  plan: Schema.String,
  createdAt: Millis
})
export type Workspace = typeof Workspace.Type

/** Workspaces live in `Partition.system`; the first is found again by its name. */
export const kind = Kind.make({ name: "workspace", schema: Workspace, unique: (workspace) => workspace.name })
