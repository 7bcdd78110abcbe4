/**
 * How many attempts one process has under way, in all and per endpoint. It hands out no more than the bounds, so that an
 * endpoint that hangs holds its own share and no other's.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export interface SlotBounds {
  readonly max: number
  readonly perEndpointMax: number
  /** Taken of one endpoint at once. */
  readonly perEndpointClaimMax: number
}

export interface Slots {
  readonly free: () => number
  /** Endpoints with less room than one claim may take. */
  readonly crowded: () => ReadonlyArray<string>
  readonly take: (endpointId: string) => void
  /** Answers whether the endpoint was crowded and is no more. */
  readonly give: (endpointId: string) => boolean
  /** Ends when there is room: at once, or after being full when a quarter is free again, so that claims stay large. */
  readonly awaitRoom: Effect.Effect<void>
  readonly awaitIdle: Effect.Effect<void>
}

export const make = (bounds: SlotBounds): Slots => {
  const byEndpoint = new Map<string, number>()
  const room = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  let used = 0

  const isCrowded = (count: number) => count + bounds.perEndpointClaimMax > bounds.perEndpointMax

  return {
    free: () => Math.max(0, bounds.max - used),
    crowded: () => [...byEndpoint].filter(([, count]) => isCrowded(count)).map(([endpointId]) => endpointId),
    take: (endpointId) => {
      byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + 1)
      used += 1
      idle.closeUnsafe()
      if (used >= bounds.max) room.closeUnsafe()
    },
    give: (endpointId) => {
      const count = byEndpoint.get(endpointId) ?? 0
      if (count > 1) byEndpoint.set(endpointId, count - 1)
      else byEndpoint.delete(endpointId)
      used -= 1
      if (used === 0) idle.openUnsafe()
      if (used <= (bounds.max * 3) / 4) room.openUnsafe()
      return isCrowded(count) && !isCrowded(count - 1)
    },
    awaitRoom: room.await,
    awaitIdle: idle.await
  }
}
