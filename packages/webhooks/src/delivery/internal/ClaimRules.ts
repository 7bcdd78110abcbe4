/** What a claim tells of the due work that it left. Pure. */
import type { ClaimedDelivery, ClaimOptions } from "../DeliveryStore.ts"

/**
 * `more`: another claim may take some at once. `hidden`: what is left belongs to endpoints that have no room, and the end of an
 * attempt rings. `none`: nothing is left but what has become due since. `unknown`: it took nothing.
 */
export type Left = "more" | "hidden" | "none" | "unknown"

/** How many the claim may take of the endpoint. */
const maxOf = ({ limit, many, perEndpointMax = limit, single = [] }: ClaimOptions, endpointId: string): number => {
  if (single.includes(endpointId)) return 1
  return many?.endpoints.includes(endpointId) === true ? many.max : perEndpointMax
}

/** `crowded`: the endpoints that have no room for another claim, now that what was claimed is under way. */
export const leftBy = (
  asked: ClaimOptions,
  claimed: ReadonlyArray<ClaimedDelivery>,
  crowded: ReadonlyArray<string>
): Left => {
  if (claimed.length === 0) return "unknown"
  if (claimed.length >= asked.limit) return "more"
  const groups = Map.groupBy(claimed, ({ delivery }) => delivery.endpointId)
  const bounded = [...groups].filter(([endpointId, { length }]) => length >= maxOf(asked, endpointId))
  if (bounded.some(([endpointId]) => !crowded.includes(endpointId))) return "more"
  return bounded.length > 0 ? "hidden" : "none"
}
