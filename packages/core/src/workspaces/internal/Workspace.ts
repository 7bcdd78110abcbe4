/** A workspace: the tenant that everything belongs to. */
import * as Schema from "effect/Schema"
import { WorkspaceId } from "../../ids/Id.ts"
import { PersonId } from "../../people/Person.ts"
import * as Kind from "../../resources/Kind.ts"
import { Millis } from "../../time/Timestamp.ts"

export const Workspace = Schema.Struct({
  id: WorkspaceId,
  /** For people; several workspaces may have the same one. */
  name: Schema.String,
  /**
   * By what a start of the server finds the workspace again, whatever its name is by then; null: it is found by its id alone.
   * Absent in what earlier versions wrote: there the name is the key.
   */
  key: Schema.optionalKey(Schema.NullOr(Schema.String)),
  plan: Schema.String,
  createdAt: Millis,
  /** Absent in what earlier versions wrote: never changed. */
  updatedAt: Schema.optionalKey(Millis),
  /** The person who made it; absent: the operator, a host, or an earlier version. */
  createdBy: Schema.optionalKey(PersonId)
})
export type Workspace = typeof Workspace.Type

export const keyOf = ({ key, name }: Workspace): string | null => (key === undefined ? name : key)

/** Rung (`Queue.nudge`) when a workspace has changed. */
export const bell = "workspaces"

export const labelOfMaker = (person: string): string => `by:${person}`

/** Workspaces live in `Partition.system`. */
export const kind = Kind.make({
  name: "workspace",
  schema: Workspace,
  unique: keyOf,
  labels: ({ createdBy }) => (createdBy === undefined ? [] : [labelOfMaker(createdBy)])
})
