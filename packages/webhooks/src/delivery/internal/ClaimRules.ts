/** What a claim tells of the due work that it left. Pure. */
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { ClaimedDelivery, ClaimOptions, Rooms } from "../DeliveryStore.ts"

/**
 * `more`: another claim may take some at once. `hidden`: what is left belongs to endpoints or workspaces that have no room, and the end of an
 * attempt rings. `none`: nothing is left but what has become due since. `unknown`: it took nothing.
 */
export type Remainder = "more" | "hidden" | "none" | "unknown"

/** How many the claim may take of the endpoint. */
const maxOf = ({ limit, many, perEndpointMax = limit, single = [] }: ClaimOptions, endpointId: string): number => {
  if (single.includes(endpointId)) return 1
  return many?.endpoints.includes(endpointId) === true ? many.max : perEndpointMax
}

const roomOf = ({ of, others }: Rooms, workspace: WorkspaceId): number => of.get(workspace) ?? others

/** What has room for another claim, now that what was claimed is under way. */
export interface RoomNow {
  /** Endpoints that have none. */
  readonly crowded: ReadonlyArray<string>
  readonly rooms: Rooms
}

export const remainderOf = (asked: ClaimOptions, claimed: ReadonlyArray<ClaimedDelivery>, now: RoomNow): Remainder => {
  if (claimed.length === 0) return "unknown"
  if (claimed.length >= asked.limit) return "more"
  const ofEndpoints = [...Map.groupBy(claimed, ({ delivery }) => delivery.endpointId)].filter(
    ([endpointId, { length }]) => length >= maxOf(asked, endpointId)
  )
  const { rooms = { of: new Map<WorkspaceId, number>(), others: asked.limit } } = asked
  const ofWorkspaces = [...Map.groupBy(claimed, ({ partition }) => partition.workspace)].filter(
    ([workspace, { length }]) => length >= roomOf(rooms, workspace)
  )
  const isMore =
    ofEndpoints.some(([endpointId]) => !now.crowded.includes(endpointId)) ||
    ofWorkspaces.some(([workspace]) => roomOf(now.rooms, workspace) > 0)
  if (isMore) return "more"
  return ofEndpoints.length + ofWorkspaces.length > 0 ? "hidden" : "none"
}
