/**
 * A partition is a workspace in one mode: the boundary that data never crosses (service-api 5.4). Every store method takes
 * one first; only authentication and workers' claims create them.
 */
import type { WorkspaceId } from "../ids/Id.ts"

declare const PartitionBrand: unique symbol

export interface Partition {
  readonly [PartitionBrand]: true
  readonly workspace: WorkspaceId
  readonly livemode: boolean
  /** What storage writes: `ws_….live` or `ws_….test`. */
  readonly key: string
}

export const make = (workspace: WorkspaceId, livemode: boolean): Partition =>
  // The only place that creates the brand, which has no runtime value.
  ({ workspace, livemode, key: `${workspace}.${livemode ? "live" : "test"}` }) as Partition

/** Reads what `key` wrote; for storage adapters. */
export const fromKey = (key: string): Partition => {
  const dot = key.lastIndexOf(".")
  return make(key.slice(0, dot) as WorkspaceId, key.slice(dot + 1) === "live")
}

/** Holds what belongs to no workspace: the list of workspaces itself. */
export const system: Partition = make("ws_00000000000000000000000000", true)
