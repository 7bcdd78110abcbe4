/**
 * How many attempts one process has under way: in all, per endpoint, and of both the part that retries may have. It hands
 * out no more than the bounds, so that an endpoint that hangs holds its own share and no other's.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Delivery, Lane } from "./Delivery.ts"

export interface SlotBounds {
  readonly max: number
  /** Of `max`, those of retries. */
  readonly retryMax: number
  readonly perEndpointMax: number
  readonly perEndpointRetryMax: number
  /** Taken of one endpoint at once, by lane. */
  readonly perEndpointClaimMax: { readonly [L in Lane]: number }
}

export interface Slots {
  readonly free: (lane: Lane) => number
  /** Endpoints with less room in the lane than one claim may take. */
  readonly crowded: (lane: Lane) => ReadonlyArray<string>
  /** Those of these first attempts that there is room for, all of them together. */
  readonly fitting: (deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether due work may have to wait for room. */
  readonly isTight: () => boolean
  readonly take: (endpointId: string, lane: Lane) => void
  /** Answers whether there is room again where there was too little. */
  readonly give: (endpointId: string, lane: Lane) => boolean
  /** Ends when there is room: at once, or after being full when a quarter is free again, so that claims stay large. */
  readonly awaitRoom: Effect.Effect<void>
  readonly awaitIdle: Effect.Effect<void>
}

/** Attempts under way. */
interface Count {
  readonly all: number
  readonly retries: number
}

const none: Count = { all: 0, retries: 0 }

const plus = (count: Count, lane: Lane, by: 1 | -1): Count => ({
  all: count.all + by,
  retries: lane === "retry" ? count.retries + by : count.retries
})

const isPlenty = (used: number, max: number): boolean => used <= (max * 3) / 4

export const make = (bounds: SlotBounds): Slots => {
  const byEndpoint = new Map<string, Count>()
  const room = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  let used = none

  const isCrowded = (lane: Lane, { all, retries }: Count) => {
    const more = bounds.perEndpointClaimMax[lane]
    return all + more > bounds.perEndpointMax || (lane === "retry" && retries + more > bounds.perEndpointRetryMax)
  }
  const crowded = (lane: Lane) =>
    [...byEndpoint].filter(([, count]) => isCrowded(lane, count)).map(([endpointId]) => endpointId)
  const free = (lane: Lane) => {
    const all = Math.max(0, bounds.max - used.all)
    return lane === "retry" ? Math.min(all, Math.max(0, bounds.retryMax - used.retries)) : all
  }
  const lanes = ["first", "retry"] as const
  const fitting = (deliveries: ReadonlyArray<Delivery>) => {
    const added = new Map<string, number>()
    let room = free("first")
    return deliveries.filter(({ endpointId }) => {
      const already = (byEndpoint.get(endpointId)?.all ?? 0) + (added.get(endpointId) ?? 0)
      if (room === 0 || already >= bounds.perEndpointMax) return false
      added.set(endpointId, (added.get(endpointId) ?? 0) + 1)
      room--
      return true
    })
  }

  return {
    free,
    crowded,
    fitting,
    isTight: () => lanes.some((lane) => free(lane) === 0 || crowded(lane).length > 0),
    take: (endpointId, lane) => {
      byEndpoint.set(endpointId, plus(byEndpoint.get(endpointId) ?? none, lane, 1))
      used = plus(used, lane, 1)
      idle.closeUnsafe()
      if (used.all >= bounds.max) room.closeUnsafe()
    },
    give: (endpointId, lane) => {
      const [before, usedBefore] = [byEndpoint.get(endpointId) ?? none, used]
      const after = plus(before, lane, -1)
      if (after.all > 0) byEndpoint.set(endpointId, after)
      else byEndpoint.delete(endpointId)
      used = plus(used, lane, -1)
      if (used.all === 0) idle.openUnsafe()
      if (isPlenty(used.all, bounds.max)) room.openUnsafe()
      const fits = (each: Lane) => isCrowded(each, before) && !isCrowded(each, after)
      // What a first attempt frees is told once, when first attempts have room for a claim: retries then choose first.
      if (lane === "first") return fits("first")
      const retriesFit = isPlenty(used.retries, bounds.retryMax) && !isPlenty(usedBefore.retries, bounds.retryMax)
      return retriesFit || fits("first") || fits("retry")
    },
    awaitRoom: room.await,
    awaitIdle: idle.await
  }
}
